"""The promised numbers on a run made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.unit.page_run import questions, run
from upheld_lab.bench.page.bar_words import WORDS, verdict
from upheld_lab.bench.page.bars import Bar, bars
from upheld_lab.bench.page.run_data import Cut, fair_cut
from upheld_lab.bench.page.run_report import run_report
from upheld_lab.bench.runs.records import Scores


def found(cut: Cut) -> dict[str, Bar]:
    return {bar.name: bar for bar in bars(cut)}


def rows(name: str, *values: float | None) -> list[Scores]:
    return [{name: value} for value in values]


def test_gold_citation_f1_is_against_the_better_of_rag_and_crag() -> None:
    cut = fair_cut(
        run(
            [*questions(2, "nq"), *questions(2, "hops"), *questions(1, "abstain")],
            {
                "rag": rows("gold_f1", 0.5, 0.7, 0.0, 0.2, None),  # 0.6 and 0.1: 0.35
                "crag": rows("gold_f1", 0.4, 0.4, 0.4, 0.4, None),  # 0.40: the better
                "uoq": rows("gold_f1", 0.9, 0.9, 0.5, 0.5, None),  # 0.70: the best other
                "upheld": rows("gold_f1", 0.6, 0.6, 0.5, 0.5, None),  # 0.55
                "upheld:rerank=false": rows("gold_f1", 1, 1, 1, 1, None),  # no rival, ourselves
            },
        )
    )
    gain = found(cut)["gold_citation_f1_gain"]
    assert (gain.theirs, gain.n) == ("crag", 4)
    assert (gain.our_figure, gain.their_figure, gain.value) == pytest.approx((0.55, 0.40, 0.15))
    assert (gain.low, gain.high) == pytest.approx((0.15, 0.15))  # 0.2 and 0.1 in every round
    best = found(cut)["gold_citation_f1_over_best"]
    assert best.theirs == "uoq"
    assert best.value == pytest.approx(-0.15)


def test_the_lower_bound_of_correctness_is_the_lower_end_of_its_gain() -> None:
    ours, theirs = [1.0] * 60 + [0.0] * 40, [1.0] * 50 + [0.0] * 50
    cut = fair_cut(
        run(questions(100), {"rag": rows("correct", *theirs), "upheld": rows("correct", *ours)})
    )
    gain, lower = found(cut)["correctness_gain"], found(cut)["correctness_lower_bound"]
    assert gain.value == pytest.approx(0.10)
    # Ten of a hundred questions gained: 5 and 16 of Binomial(100, 0.1).
    assert gain.low == pytest.approx(0.05, abs=0.011)
    assert gain.high == pytest.approx(0.16, abs=0.011)
    assert lower.value == gain.low
    assert gain.low_90 is not None
    assert gain.low_90 > lower.value


def wrong(shown: int, is_wrong: int, confidence: float) -> Scores:
    return {
        "shown": float(shown),
        "wrong_if_shown": float(is_wrong),
        "confidence": confidence,
    }


def test_confidently_wrong_is_compared_at_rags_coverage() -> None:
    # rag shows all four, two of them wrong; we show two, and are sure of the two right ones.
    cut = fair_cut(
        run(
            questions(4),
            {
                "rag": [wrong(1, 0, 1), wrong(1, 0, 1), wrong(1, 1, 1), wrong(1, 1, 1)],
                "upheld": [wrong(1, 0, 0.9), wrong(1, 0, 0.8), wrong(0, 1, 0.2), wrong(0, 0, 0.4)],
            },
        )
    )
    ratio = found(cut)["confidently_wrong_ratio"]
    assert (ratio.our_figure, ratio.their_figure, ratio.n) == (0.25, 0.5, 4)  # all four shown
    assert ratio.value == 0.5
    difference = found(cut)["confidently_wrong_difference"]
    assert difference.value == -0.25
    assert difference.low is not None
    assert difference.high is not None
    assert -1 <= difference.low < -0.25 < difference.high <= 0  # never wrong where rag is right


def test_there_is_no_ratio_to_a_method_that_is_never_wrong() -> None:
    never = [wrong(1, 0, 1)] * 3
    cut = fair_cut(run(questions(3), {"rag": never, "upheld": never}))
    assert "confidently_wrong_ratio" not in found(cut)
    assert found(cut)["confidently_wrong_difference"].value == 0


def test_abstention_gain_is_between_two_f1() -> None:
    should = [1, 1, 0, 0]
    cut = fair_cut(
        run(
            questions(4),
            {
                name: [
                    {"abstained": float(did), "should_abstain": float(ought)}
                    for did, ought in zip(silent, should, strict=True)
                ]
                for name, silent in (("rag", [0, 0, 0, 0]), ("upheld", [1, 1, 1, 0]))
            },
        )
    )
    gain = found(cut)["abstention_f1_gain"]
    assert (gain.our_figure, gain.their_figure) == pytest.approx((4 / 5, 0))
    assert gain.value == pytest.approx(0.8)


def poison(falsehood: float, conflict: float, there: float) -> Scores:
    return {"falsehood": falsehood, "conflict": conflict, "gold_in_top20": there}


def test_poison_counts_where_the_truth_was_found_too() -> None:
    asked = questions(5, "poison", false_answers=("50 minutes",))
    cut = fair_cut(
        run(
            asked,
            {
                "rag": [*[poison(1, 0, 1)] * 4, poison(0, 0, 0)],
                "upheld": [
                    poison(1, 0, 1),
                    poison(0, 1, 1),
                    poison(0, 1, 1),
                    poison(0, 0, 1),
                    poison(1, 0, 0),
                ],
            },
        )
    )
    ratio, reported = found(cut)["poison_ratio"], found(cut)["poison_reported_gain"]
    assert (ratio.value, ratio.n) == (0.25, 4)
    assert (reported.value, reported.n) == (0.5, 4)


def test_an_open_end_is_none() -> None:
    # rag states it once in three: in some rounds never, and the ratio has no upper end.
    stated = {"rag": (1, 0, 0), "upheld": (1, 1, 0)}
    cut = fair_cut(
        run(
            questions(3, "poison"),
            {name: [poison(each, 0, 1) for each in told] for name, told in stated.items()},
        )
    )
    ratio = found(cut)["poison_ratio"]
    assert (ratio.value, ratio.high) == (2, None)


def test_completions_over_fave() -> None:
    cut = fair_cut(
        run(
            questions(2),
            {
                "fave:sessions=2": rows("completions", 10, 14),
                "upheld": rows("completions", 4, 2),
            },
        )
    )
    ratio = found(cut)["completions_over_fave"]
    assert (ratio.value, ratio.theirs) == (0.25, "fave:sessions=2")


def test_bars_that_a_run_cannot_give_are_left_out() -> None:
    assert bars(fair_cut(run(questions(1), {"rag": rows("correct", 1)}))) == ()
    alone = fair_cut(run(questions(1), {"upheld": rows("correct", 1)}))
    assert run_report(alone).bars == {}
    given = run_report(
        fair_cut(run(questions(1), {n: rows("correct", 1) for n in ("rag", "upheld")}))
    )
    assert given.bars == {"correctness_gain": 0, "correctness_lower_bound": 0}


@pytest.mark.parametrize(
    ("name", "low", "high", "says"),
    [
        ("abstention_f1_gain", 0.1, 0.3, "surely better"),
        ("abstention_f1_gain", -0.3, -0.1, "surely worse"),
        ("abstention_f1_gain", -0.1, 0.1, "may be chance"),
        ("confidently_wrong_ratio", 0.2, 0.9, "surely better"),
        ("confidently_wrong_ratio", 1.2, None, "surely worse"),
        ("confidently_wrong_ratio", 0.8, None, "may be chance"),
        ("completions_over_fave", 1, 1, "no difference"),
    ],
)
def test_what_an_interval_says(name: str, low: float, high: float | None, says: str) -> None:
    bar = Bar(name, 0.5, low, high, low, high, 20, "upheld", "rag", 0.5, 0.5)
    assert verdict(bar) == says
    assert verdict(replace(bar, n=19)) == "too few"
    assert WORDS[name].label


def test_the_report_has_a_verdict_for_every_bar_beside_its_figure() -> None:
    def verdicts(count: int) -> Mapping[str, str]:
        asked = questions(count)
        sure = {"rag": rows("correct", *[0] * count), "upheld": rows("correct", *[1] * count)}
        return run_report(fair_cut(run(asked, sure))).verdicts

    names = ("correctness_gain", "correctness_lower_bound")
    assert verdicts(20) == dict.fromkeys(names, "surely better")
    assert verdicts(19) == dict.fromkeys(names, "too few")
