"""Confidently wrong at equal coverage, and precision and recall, worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from upheld_lab.bench.scores.precision_recall import PrecisionRecall, precision_recall
from upheld_lab.bench.scores.wrong import (
    Point,
    Row,
    at_coverage,
    coverage,
    curve,
    equal_coverage,
    row_of,
    wrong_rate,
)

# Ten questions. Shown: 0.9 right, 0.8 wrong, 0.7 right, 0.7 wrong. Marked: 0.95 wrong, 0.1 right.
OURS = [
    Row(0.9, True, False),
    Row(0.8, True, True),
    Row(0.7, True, False),
    Row(0.7, True, True),
    Row(0.95, False, True),
    Row(0.1, False, False),
    *(Row(None, False, True) for _ in range(4)),
]
# All eight that it answers are shown alike; four of them are wrong.
THEIRS = [
    *(Row(1.0, True, wrong) for wrong in [True] * 4 + [False] * 4),
    *(Row(None, False, True) for _ in range(2)),
]


def test_the_rate_is_over_all_questions_and_counts_what_is_shown() -> None:
    assert wrong_rate(OURS) == 2 / 10
    assert coverage(OURS) == 4 / 10
    assert wrong_rate(THEIRS) == 4 / 10
    assert coverage(THEIRS) == 8 / 10
    assert wrong_rate([]) == coverage([]) == 0


def test_the_curve_takes_the_surest_first_and_what_is_marked_last() -> None:
    assert curve(OURS) == [
        Point(0, 0),
        Point(0.1, 0),  # 0.9 right
        Point(0.2, 0.1),  # 0.8 wrong
        Point(0.4, 0.2),  # two at 0.7, one of them wrong: this is where the method works
        Point(0.5, 0.3),  # marked: 0.95, surer than any, but the method would not show it
        Point(0.6, 0.3),
    ]
    assert curve(THEIRS) == [Point(0, 0), Point(0.8, 0.4)]


def test_ties_are_shared_by_expectation() -> None:
    # the third answer is one of two at 0.7, of which half are wrong: 0.1 + 0.5 x 0.1
    assert at_coverage(OURS, 0.3).rate == pytest.approx(0.15)
    # two of eight alike, half of them wrong: one wrong to be expected
    assert at_coverage(THEIRS, 0.2).rate == pytest.approx(0.1)
    assert at_coverage(OURS, 0) == Point(0, 0)


def test_coverage_that_is_out_of_reach_is_told() -> None:
    assert at_coverage(OURS, 0.8) == Point(0.6, 0.3)
    assert at_coverage([Row(None, False, True)], 0.5) == Point(0, 0)
    assert at_coverage([], 0.5) == Point(0, 0)


def test_methods_compare_at_the_coverage_of_the_other_or_the_most_we_reach() -> None:
    # theirs is 0.8, ours reaches 0.6: ours 0.3 there, theirs 6/8 of 0.4 = 0.3
    both = equal_coverage(OURS, THEIRS)
    assert (both.coverage, both.ours, both.theirs) == pytest.approx((0.6, 0.3, 0.3))
    assert both.ratio == pytest.approx(1)
    # the other way: at 0.4, theirs 0.2, ours 0.2
    other = equal_coverage(THEIRS, OURS)
    assert (other.coverage, other.ours, other.theirs) == pytest.approx((0.4, 0.2, 0.2))


def test_there_is_no_ratio_to_a_method_that_is_never_wrong() -> None:
    assert equal_coverage(OURS, [Row(1.0, True, False)] * 2).ratio is None


@given(
    st.lists(
        st.builds(
            Row,
            st.none() | st.sampled_from([0.0, 0.3, 0.5, 1.0]),
            st.booleans(),
            st.booleans(),
        ).map(
            lambda row: Row(
                row.confidence, row.shown and row.confidence is not None, row.wrong_if_shown
            )
        ),
        min_size=1,
    ),
    st.floats(0, 1),
)
def test_the_curve_only_rises_and_passes_where_the_method_works(
    rows: list[Row], share: float
) -> None:
    points = curve(rows)
    assert points == sorted(points, key=lambda each: (each.coverage, each.rate))
    natural = at_coverage(rows, coverage(rows))
    assert natural.rate == pytest.approx(wrong_rate(rows))
    point = at_coverage(rows, share)
    assert 0 <= point.rate <= point.coverage + 1e-9 <= share + 2e-9


def test_rows_come_from_scores() -> None:
    scores = {"confidence": 0.4, "shown": 1.0, "wrong_if_shown": 0.0}
    assert row_of(scores) == Row(0.4, True, False)
    assert row_of({**scores, "wrong_if_shown": None}) is None


def test_precision_and_recall() -> None:
    # abstained three times, twice rightly: 2/3; four times it should have: 2/4
    found = precision_recall(2, 3, 4)
    assert found == PrecisionRecall(precision=2 / 3, recall=1 / 2)
    assert found.f1 == pytest.approx(4 / 7)  # 2 x 2/3 x 1/2 / (7/6)
    assert precision_recall(0, 0, 1) == PrecisionRecall(0, 0)
    assert precision_recall(0, 0, 0).f1 == 0
