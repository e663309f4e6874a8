"""The guarantee: it holds as often as it says, and choosing naively does not."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from upheld.calibration.learn_then_test import (
    calibrate,
    labels_needed,
    one_of_each,
    plan,
    upper_bound,
)
from upheld.errors import CalibrationError

ALPHA, DELTA = 0.1, 0.1


def chance_wrong(score: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return 0.02 + 0.6 * (1 - score) ** 2


def true_error(threshold: float) -> float:
    """Of the claims kept, in a world where scores are spread evenly."""
    return float(chance_wrong(np.linspace(threshold, 1, 500)).mean())


def world(dice: np.random.Generator, size: int) -> tuple[list[float], list[bool]]:
    score = dice.random(size)
    return score.tolist(), (dice.random(size) >= chance_wrong(score)).tolist()


def certified(scores: list[float], supported: list[bool]) -> float | None:
    return calibrate(scores, supported, alpha=ALPHA, delta=DELTA).threshold


def naive(scores: list[float], supported: list[bool]) -> float | None:
    """The laxest threshold whose error on the same claims is at most alpha."""
    order = np.argsort(scores)[::-1]
    wrong = ~np.asarray(supported)[order]
    share = np.cumsum(wrong) / np.arange(1, len(wrong) + 1)
    fine = np.flatnonzero(share <= ALPHA)
    return float(np.asarray(scores)[order][fine[-1]]) if len(fine) else None


def broken_share(
    choose: Callable[[list[float], list[bool]], float | None], size: int = 400
) -> float:
    dice = np.random.default_rng(7)
    found = [choose(*world(dice, size)) for _ in range(300)]
    return sum(each is not None and true_error(each) > ALPHA for each in found) / len(found)


def test_the_guarantee_breaks_no_more_often_than_delta_and_a_naive_choice_does() -> None:
    allowed = DELTA + 2 * math.sqrt(DELTA * (1 - DELTA) / 300)
    assert broken_share(certified) <= allowed
    assert broken_share(certified, size=50) <= allowed  # only the laxest threshold is tested
    assert broken_share(naive) > 0.3 > allowed


def test_it_certifies_most_of_what_is_good() -> None:
    found = calibrate(*world(np.random.default_rng(0), 3000), alpha=ALPHA, delta=DELTA)
    assert found.threshold is not None
    assert 0.3 < found.threshold < 0.6  # the error is 0.1 at 0.37
    assert found.kept_share == pytest.approx(1 - found.threshold, abs=0.05)
    assert upper_bound(found.errors, found.kept, DELTA) <= ALPHA


labelled = st.lists(
    st.tuples(st.sampled_from([-math.inf, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]), st.booleans()),
    max_size=300,
)


@settings(max_examples=50, deadline=None)
@given(labelled, st.sampled_from([0.05, 0.2, 0.5]), st.integers(0, 3))
def test_what_is_certified_was_tested(
    claims: list[tuple[float, bool]], alpha: float, seed: int
) -> None:
    scores, supported = [s for s, _ in claims], [y for _, y in claims]
    found = calibrate(scores, supported, alpha=alpha, delta=DELTA, seed=seed)
    assert found == calibrate(scores, supported, alpha=alpha, delta=DELTA, seed=seed)
    thresholds = [step.threshold for step in found.curve]
    assert thresholds == sorted(set(thresholds), reverse=True)
    assert all(math.isfinite(each) for each in thresholds)
    kept = [step.kept for step in found.curve]
    assert kept == sorted(kept)
    if found.threshold is None:
        assert (found.kept, found.errors, found.kept_share) == (0, 0, 0)
        return
    assert found.start is not None
    tested = [step for step in found.curve if found.start >= step.threshold >= found.threshold]
    assert all(step.upper_bound <= alpha for step in tested)
    after = [step for step in found.curve if step.threshold < found.threshold]
    assert not after or after[0].upper_bound > alpha


def test_flipping_labels_moves_neither_grid_nor_start() -> None:
    scores, supported = world(np.random.default_rng(3), 500)
    one = calibrate(scores, supported, alpha=ALPHA, delta=DELTA)
    other = calibrate(scores, [not each for each in supported], alpha=ALPHA, delta=DELTA)
    assert one.start == other.start
    assert [s.threshold for s in one.curve] == [s.threshold for s in other.curve]
    assert other.threshold is None


def test_the_start_keeps_fifty_a_tenth_and_enough_for_one_error() -> None:
    def kept(tested: int, alpha: float) -> float:
        tuning = np.linspace(0, 1, 1000)
        thresholds, start = plan(tuning, tested, alpha, DELTA)
        return float((tuning >= thresholds[start]).mean()) * tested

    assert kept(200, 0.1) == pytest.approx(50, abs=11)
    assert kept(5000, 0.1) == pytest.approx(500, abs=251)
    assert kept(400, 0.02) >= 194  # 0.98^194 (1 + 194 * 0.02 / 0.98) = 0.0985
    thresholds, start = plan(np.linspace(0, 1, 10), 30, 0.1, DELTA)
    assert start == len(thresholds) - 1  # 30 claims are only enough for all of them
    thresholds, start = plan(np.linspace(0, 1, 10), 21, 0.1, DELTA)
    assert start == len(thresholds)  # 21 are too few even without an error


def test_few_claims_that_are_nearly_all_right_are_certified_as_a_whole() -> None:
    scores = np.random.default_rng(1).random(60).tolist()
    found = calibrate(scores, [True] * 60, alpha=ALPHA, delta=DELTA)
    assert found.threshold is not None
    assert found.kept_share > 0.8
    assert calibrate(scores, [True, False] * 30, alpha=ALPHA, delta=DELTA).threshold is None


def test_one_claim_of_each_cluster() -> None:
    names = [f"q{i % 40}" for i in range(200)]
    drawn = one_of_each(names, 0)
    assert sorted(names[i] for i in drawn) == sorted(set(names))
    assert drawn != one_of_each(names, 1)
    scores, supported = world(np.random.default_rng(1), 200)
    found = calibrate(scores, supported, clusters=names, alpha=ALPHA, delta=DELTA)
    assert found.claims == 40


def test_a_hundred_copies_of_a_claim_are_one_claim() -> None:
    found = calibrate([0.9] * 500, [True] * 500, clusters=["q"] * 500, alpha=ALPHA, delta=DELTA)
    assert (found.claims, found.threshold) == (1, None)


def test_claims_that_are_never_shown_are_never_kept() -> None:
    scores = [0.9] * 300 + [-math.inf] * 300
    found = calibrate(scores, [True] * 300 + [False] * 300, alpha=ALPHA, delta=DELTA)
    assert found.threshold == 0.9
    assert found.kept_share == pytest.approx(0.5, abs=0.1)
    assert found.errors == 0


def test_how_many_labels_would_do() -> None:
    few = calibrate([0.9] * 20, [True] * 20, alpha=ALPHA, delta=DELTA)
    assert few.threshold is None
    assert 60 <= (labels_needed(few) or 0) <= 400
    bad = calibrate([0.9] * 200, [i % 3 > 0 for i in range(200)], alpha=ALPHA, delta=DELTA)
    assert labels_needed(bad) is None
    # Nothing seen: 154 kept claims, half as bad as allowed, pass in four of five draws.
    assert labels_needed(calibrate([], [], alpha=ALPHA, delta=DELTA)) == 193


def test_more_good_labels_never_ask_for_a_larger_set() -> None:
    good = [calibrate([0.9] * n, [True] * n, alpha=ALPHA, delta=DELTA) for n in range(0, 60, 5)]
    asked = [labels_needed(each) or 0 for each in good if each.threshold is None]
    assert asked == sorted(asked, reverse=True)
    assert min(asked) >= 63  # 50 of four fifths


def test_what_failed_is_not_asked_for_again() -> None:
    supported = [i % 12 > 0 for i in range(150)]
    found = calibrate([0.9] * 150, supported, alpha=ALPHA, delta=DELTA)
    assert found.threshold is None
    assert (labels_needed(found) or 0) > found.claims


@pytest.mark.parametrize(
    ("scores", "supported", "alpha", "delta"),
    [
        ([math.nan], [True], 0.1, 0.1),
        ([math.inf], [True], 0.1, 0.1),
        ([0.5], [True, False], 0.1, 0.1),
        ([0.5], [True], 0.0, 0.1),
        ([0.5], [True], 0.1, 1.0),
    ],
)
def test_what_does_not_fit_is_refused(
    scores: list[float], supported: list[bool], alpha: float, delta: float
) -> None:
    with pytest.raises(CalibrationError):
        calibrate(scores, supported, alpha=alpha, delta=delta)


def test_no_claims_certify_nothing() -> None:
    found = calibrate([], [], alpha=ALPHA, delta=DELTA)
    assert (found.threshold, found.start, found.curve, found.claims) == (None, None, (), 0)
