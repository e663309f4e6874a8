"""The table and its paired differences, on runs small enough to reckon by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.page_run import questions, run
from upheld_lab.bench.page.paired import Difference, differences, holm
from upheld_lab.bench.page.run_data import ALL, Cut, fair_cut
from upheld_lab.bench.page.run_report import as_markdown, in_brief, run_report, told
from upheld_lab.bench.page.table import Line, columns, table


def right(value: float | None, **more: float | None) -> dict[str, float | None]:
    return {"correct": value, **more}


def line(lines: tuple[Line, ...], set: str, variant: str) -> Line:
    return next(each for each in lines if (each.set, each.variant) == (set, variant))


def two_sets() -> Cut:
    asked = [*questions(4, "large"), *questions(2, "small")]
    rows = {
        "rag": [*map(right, (1, 0, 1, 1, 0, 0))],
        "upheld": [*map(right, (1, 1, 1, 1, None, 1))],
    }
    return fair_cut(run(asked, rows))


def test_a_line_for_every_set_and_variant_and_all_sets_first() -> None:
    lines = table(two_sets())
    assert [(each.set, each.variant, each.n) for each in lines] == [
        (ALL, "rag", 6), (ALL, "upheld", 6), ("large", "rag", 4), ("large", "upheld", 4),
        ("small", "rag", 2), ("small", "upheld", 2),
    ]  # fmt: skip
    together = line(lines, ALL, "rag").cells["correct"]
    assert (together.value, together.n) == pytest.approx((0.375, 6))
    upheld = line(lines, "small", "upheld").cells["correct"]
    assert (upheld.value, upheld.n) == (1, 1)  # a score that does not apply is not a 0


def test_a_single_set_stands_once() -> None:
    lines = table(fair_cut(run(questions(2), {"rag": [right(1), right(0)]})))
    assert [(each.set, each.n) for each in lines] == [(ALL, 2)]


def test_columns_that_nobody_has_are_left_out() -> None:
    rows = {
        "rag": [right(1, em=None, seconds=2.0)],
        "upheld": [right(1, em=None, completions=3.0)],
    }
    names = [each.name for each in columns(table(fair_cut(run(questions(1), rows))))]
    assert names == ["correct", "seconds", "completions"]


def test_the_median_length_stands_beside_correct() -> None:
    rows = {"rag": [right(1, em=0.0, answer_words=each) for each in (4, None, 90, 8)]}
    cut = fair_cut(run(questions(4), rows))
    found = table(cut)
    assert [each.label for each in columns(found)][:2] == ["correct", "words (median)"]
    words = found[0].cells["answer_words"]
    assert (words.value, words.n) == (8, 3)
    assert {"all (n = 4)": "words (median)", "rag": "8.00"} in in_brief(run_report(cut)).rows


def abstaining(*pairs: tuple[int, int]) -> list[dict[str, float | None]]:
    return [{"abstained": float(did), "should_abstain": float(ought)} for did, ought in pairs]


def test_abstention_is_scored_over_the_whole_list() -> None:
    # Silent 3 times, twice rightly; 4 questions have no answer.
    pairs = [(1, 1), (1, 1), (1, 0), (0, 1), (0, 1), (0, 0)]
    cut = fair_cut(run(questions(6), {"upheld": abstaining(*pairs)}))
    cells = table(cut)[0].cells
    assert cells["abstention_precision"].value == pytest.approx(2 / 3)
    assert cells["abstention_recall"].value == pytest.approx(2 / 4)
    assert cells["abstention_f1"].value == pytest.approx(4 / 7)


def test_who_is_never_silent_has_no_abstention_and_no_error() -> None:
    cells = table(fair_cut(run(questions(2), {"rag": abstaining((0, 1), (0, 0))})))[0].cells
    assert cells["abstention_f1"].value == cells["abstention_precision"].value == 0


def test_where_everything_can_be_answered_there_is_no_abstention() -> None:
    cells = table(fair_cut(run(questions(2), {"rag": abstaining((1, 0), (0, 0))})))[0].cells
    assert "abstention_f1" not in cells


def test_differences_are_from_rag_on_the_same_questions() -> None:
    found = {(each.set, each.score): each for each in differences(two_sets())}
    large, small = found["large", "correct"], found["small", "correct"]
    assert (large.variant, large.against) == ("upheld", "rag")
    assert (large.our, large.their, large.difference) == pytest.approx((1, 0.75, 0.25))
    assert (large.n, large.p) == (4, 1.0)  # one question differs: chance does as much always
    assert (small.n, small.difference) == (1, 1)
    together = found[ALL, "correct"]
    assert together.difference == pytest.approx((0.25 + 1) / 2)


def test_without_rag_the_first_variant_is_compared_with() -> None:
    rows = {"crag": [right(1)], "upheld": [right(0)]}
    assert {each.against for each in differences(fair_cut(run(questions(1), rows)))} == {"crag"}


def test_each_further_test_makes_it_harder_to_be_sure() -> None:
    def tested(*ps: float) -> list[bool]:
        family = [Difference(ALL, "f1", "a", "b", 1, 0, 1, 1, 1, p, 20) for p in ps]
        return [each.sure for each in holm(family)]

    assert tested(0.04) == [True]
    assert tested(0.04, 0.01) == [True, True]  # 0.01 < 0.05 / 2, then 0.04 < 0.05 / 1
    assert tested(0.04, 0.03) == [False, False]  # 0.03 > 0.05 / 2 ends it
    assert tested(0.001, 0.2, 0.026) == [True, False, False]  # 0.026 > 0.05 / 2


def test_what_passes_on_fewer_than_20_questions_is_not_sure() -> None:
    def tested(n: int, p: float) -> tuple[bool, bool]:
        (found,) = holm([Difference(ALL, "f1", "a", "b", 1, 0, 1, 1, 1, p, n)])
        return found.sure, found.too_few

    assert tested(20, 0.01) == (True, False)
    assert tested(19, 0.01) == (False, True)
    assert tested(19, 0.5) == (False, False)  # it claims nothing


def sure_run(count: int = 21) -> Cut:
    """Our method is right on every question, the last of which is alone in its set."""
    better: dict[str, Any] = {"rag": [right(0)] * count, "upheld": [right(1)] * count}
    return fair_cut(run([*questions(count - 1, "nq"), *questions(1, "squad")], better))


def test_the_report_for_a_terminal_and_for_a_page() -> None:
    report = run_report(sure_run())
    brief = in_brief(report)
    assert brief.rows[-1] == {"all (n = 21)": "correct", "rag": "0.000", "upheld": "1.00▲"}
    page = as_markdown(report)
    assert page.startswith("| bar | value | 95 % | 90 % | n | of | verdict |")
    assert "| correct | 0.000 [0.000, 0.000] | 1.00 [1.00, 1.00]▲ |" in page
    assert "| squad (n = 1) | rag | upheld |" in page
    assert told(report) in page
    assert "21 of 21 questions" in page
    assert "surely above or below rag" in page
    assert "| surely better |" in page


def test_a_report_of_few_questions_says_so() -> None:
    report = run_report(sure_run(19))
    brief = in_brief(report)
    assert brief.rows[0]["verdict"] == "too few"
    assert brief.rows[-1] == {"all (n = 19)": "correct", "rag": "0.000", "upheld": "1.00 (too few)"}
    page = as_markdown(report)
    assert "| too few |" in page
    assert "| correct | 0.000 [0.000, 0.000] | 1.00 [1.00, 1.00] (too few) |" in page
    assert "fewer than 20 questions compared: too few" in page
    assert "▲ |" not in page
    assert "surely better" not in page
