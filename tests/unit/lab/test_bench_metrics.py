"""Metrics against examples worked out by hand."""

from __future__ import annotations

import pytest

from upheld.types import Passage
from upheld_lab.bench.corpus import BenchQuestion
from upheld_lab.bench.metrics import Score, answer_in, normalise, paired_interval, score
from upheld_lab.bench.retrieval.reranking import RERANKED
from upheld_lab.bench.retrieval.run import REFERENCE, compare
from upheld_lab.bench.split import Split


def passage(id: str, text: str = "nothing") -> Passage:
    return Passage(id, text, id, "v", 0, len(text))


def question(*gold: str, answers: tuple[str, ...] = ("Princeton",)) -> BenchQuestion:
    return BenchQuestion("nq", "q", "who won?", answers, frozenset(gold), Split.TEST)


def test_hits_count_any_gold_passage_by_place() -> None:
    found = [passage(f"p{i}") for i in range(30)]
    assert score(question("p0", "p9"), found) == Score(True, True, True, False)
    assert score(question("p4"), found) == Score(False, True, True, False)
    assert score(question("p5"), found) == Score(False, False, True, False)
    assert score(question("p20"), found) == Score(False, False, False, False)
    assert score(question("gone"), []) == Score(False, False, False, False)


def test_the_answer_may_stand_in_a_passage_that_is_not_gold() -> None:
    found = [passage("x"), passage("y", "The title went to PRINCETON, in 1869.")]
    assert score(question("gold"), found).answer_in5
    far = [passage(f"p{i}") for i in range(5)] + [passage("y", "Princeton")]
    assert not score(question("gold"), far).answer_in5


def test_answers_match_whole_words() -> None:
    assert normalise("The  U.S. Senate!") == "u s senate"
    assert answer_in("It cost $12 then.", ["nearly $12", "$12"])
    assert not answer_in("In 1869 they met.", ["186"])
    assert not answer_in("anything", ["", "the"])


def test_a_clear_difference_has_an_interval_above_zero() -> None:
    found = paired_interval({"a": [True] * 90 + [False] * 10}, {"a": [True] * 60 + [False] * 40})
    assert found.mean == pytest.approx(0.3)
    assert 0.2 < found.low < 0.3 < found.high < 0.4


def test_no_difference_has_an_interval_around_zero() -> None:
    one, other = [True, False] * 50, [False, True] * 50
    found = paired_interval({"a": one}, {"a": other})
    assert found.low < 0 < found.high


def test_sets_weigh_the_same_however_many_questions_they_have() -> None:
    ours = {"large": [True] * 1000, "small": [False] * 10}
    theirs = {"large": [False] * 1000, "small": [False] * 10}
    assert paired_interval(ours, theirs, rounds=100).mean == pytest.approx(0.5)


def test_a_set_of_one_question_has_no_spread() -> None:
    found = paired_interval({"a": [True], "b": [True] * 3}, {"a": [False], "b": [True] * 3})
    assert (found.mean, found.low, found.high) == (0.5, 0.5, 0.5)


def test_bars_are_over_the_sets_that_are_large_enough() -> None:
    def scores(hits: int) -> list[Score]:
        return [Score(False, i < hits, True, False) for i in range(10)]

    bars, rows = compare(
        {
            "bm25": {"a": scores(5), "b": scores(8), "tiny": scores(10)},
            "nearest": {"a": scores(7), "b": scores(4), "tiny": scores(10)},
            "hybrid": {"a": scores(8), "b": scores(7), "tiny": scores(0)},
            REFERENCE: {"a": scores(5), "b": scores(7), "tiny": scores(0)},
            RERANKED: {"a": scores(9), "b": scores(9), "tiny": scores(0)},
        },
        ["a", "b"],
        seed=0,
    )
    assert bars == {
        "hybrid_minus_bm25_hit5": pytest.approx(0.1),
        "bm25_minus_reference_hit5": pytest.approx(0.05),
        "rerank_minus_hybrid_hit5": pytest.approx(0.15),
        "hybrid_worst_set_gap": pytest.approx(-0.1),
    }
    assert [row["mode"] for row in rows] == list(bars)[:3]
