"""Two variants at the same coverage, by worked examples."""

from __future__ import annotations

import pytest

from tests.unit.page_run import questions, run
from upheld_lab.bench.page.compare import compare, one_method
from upheld_lab.bench.page.equal_coverage import AtEqualCoverage, at_equal_coverage
from upheld_lab.bench.page.run_data import Cut, fair_cut
from upheld_lab.bench.runs.records import Scores


def answered(confidence: float, correct: float | None) -> Scores:
    return {"shown": 1.0, "confidence": confidence, "correct": correct}


def silent(correct: float | None = 0.0) -> Scores:
    return {"shown": 0.0, "confidence": None, "correct": correct}


def cut_of(ours: list[Scores], theirs: list[Scores]) -> Cut:
    return fair_cut(run(questions(len(ours)), {"upheld": ours, "rag+gate": theirs}))


def compared(ours: list[Scores], theirs: list[Scores]) -> AtEqualCoverage:
    (found,) = at_equal_coverage(cut_of(ours, theirs), "upheld", "rag+gate")
    return found


def test_who_answers_more_keeps_the_surest_answers() -> None:
    """Ours shows 2 of 4, theirs 4: their two surest are one right and one wrong."""
    found = compared(
        [answered(0.9, 1), answered(0.8, 1), silent(), silent()],
        [answered(0.2, 1), answered(0.9, 1), answered(0.7, 0), answered(0.1, 1)],
    )
    assert (found.coverage, found.our, found.their) == (0.5, 0.5, 0.25)
    assert (found.difference, found.n, found.too_few, found.sure) == (0.25, 4, True, False)
    assert found.low <= 0.25 <= found.high


def test_it_does_not_matter_which_of_the_two_answers_more() -> None:
    few, many = [answered(0.9, 1), silent()], [answered(0.4, 1), answered(0.6, 0)]
    assert (compared(few, many).our, compared(few, many).their) == (0.5, 0)
    assert (compared(many, few).our, compared(many, few).their) == (0, 0.5)


def test_of_answers_that_are_equally_sure_each_counts_by_the_share_that_stays() -> None:
    """Theirs is sure of all four alike, three are right; half of them stay: 1.5 right of 4."""
    found = compared(
        [answered(0.9, 1), answered(0.8, 0), silent(), silent()],
        [answered(1, 1), answered(1, 1), answered(1, 1), answered(1, 0)],
    )
    assert found.our == 0.25
    assert found.their == pytest.approx(0.375)


def test_what_nothing_answers_takes_up_coverage_and_has_no_score() -> None:
    """Their surest answer is to a question that nothing answers; the score is over the other."""
    found = compared(
        [answered(0.9, 1), silent(None)],
        [answered(0.5, 1), answered(0.9, None)],
    )
    assert (found.coverage, found.our, found.their, found.n) == (0.5, 1, 0, 1)


def test_an_answer_with_a_warning_is_not_shown() -> None:
    """It said the right thing, but with a conflict beside it."""
    warned: Scores = {"shown": 0.0, "confidence": 0.9, "correct": 1.0}
    found = compared([warned, answered(0.5, 1)], [answered(0.5, 1), answered(0.9, 1)])
    assert (found.coverage, found.our, found.their) == (0.5, 0.5, 0.5)


def test_enough_questions_that_all_differ_are_more_than_noise() -> None:
    found = compared([answered(0.5, 1)] * 20, [answered(0.5, 0)] * 20)
    assert (found.low, found.high, found.sure) == (1, 1, True)


def test_without_anything_to_score_there_is_nothing_to_say() -> None:
    cut = cut_of([answered(0.9, None)], [silent(None)])
    assert list(at_equal_coverage(cut, "upheld", "rag+gate")) == []


def test_the_comparison_of_two_methods_says_it() -> None:
    cut = cut_of([answered(0.9, 1), silent(), *[answered(0.9, 1)] * 18], [answered(0.9, 0)] * 20)
    name = "rag+gate → upheld"
    found = compare(one_method(cut, "rag+gate", name), one_method(cut, "upheld", name))
    (equal,) = found.equal_coverage[name]
    assert (equal.coverage, equal.our, equal.their, equal.sure) == (0.95, 0.95, 0, True)
    assert any("coverage of 0.950" in told and "+0.950" in told for told in found.says)
