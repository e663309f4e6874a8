from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from tests.messages import only_says
from upheld.errors import BudgetExceededError, StorageError
from upheld.ports import QueryPassagePair
from upheld.retrieval.rerank import Order, Rerank
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Evidence, Hit, Passage, Question
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

ASK = Question("q")


def evidence(*chances: float) -> Evidence:
    """Passages whose text is the probability that `reads` gives them, best score first."""
    return Evidence(
        tuple(
            Hit(Passage(f"{n}", str(chance), "d", "v", 0, 3), 1.0 / (n + 1), "q")
            for n, chance in enumerate(chances)
        )
    )


def reads(pair: QueryPassagePair) -> float:
    return float(pair.text)


@dataclass
class Found:
    """A search that finds the same for every question."""

    evidence: Evidence
    asked: list[Question] = field(default_factory=list)

    async def __call__(self, question: Question) -> Evidence:
        self.asked.append(question)
        return self.evidence


def ids(found: Evidence) -> list[str]:
    return [passage.id for passage in found.passages]


def reranking(
    found: Evidence, grader: FakeGrader | None, *, candidates: int = 20, limit: int = 3
) -> Rerank:
    """By the grader alone."""
    search = Found(found)
    return Rerank(search=search, grader=grader, candidates=candidates, limit=limit, search_weight=0)


async def test_the_most_relevant_come_first() -> None:
    search = Found(evidence(0.2, 0.9, 0.5, 0.7))
    best = await Rerank(search=search, grader=FakeGrader(score=reads), limit=3, search_weight=0)(
        ASK
    )
    assert ids(best) == ["1", "3", "2"]
    assert [hit.relevance for hit in best] == pytest.approx([0.8, 0.4, 0.0])
    assert [hit.score for hit in best] == [1 / 2, 1 / 4, 1 / 3]
    assert search.asked == [ASK]


async def test_only_the_candidates_are_graded() -> None:
    grader = FakeGrader(score=reads)
    best = await reranking(evidence(0.2, 0.5, 0.9), grader, candidates=2)(ASK)
    assert ids(best) == ["1", "0"]
    assert len(grader.asked[0]) == 2


async def test_equals_keep_the_order_of_search() -> None:
    best = await reranking(evidence(0.5, 0.9, 0.5, 0.5), FakeGrader(score=reads), limit=9)(ASK)
    assert ids(best) == ["1", "0", "2", "3"]


async def test_a_passage_comes_once() -> None:
    found = evidence(0.2, 0.9)
    best = await reranking(Evidence(found.hits * 2), FakeGrader(score=reads))(ASK)
    assert ids(best) == ["1", "0"]


async def test_what_the_search_scored_counts_beside_the_grader() -> None:
    found = evidence(0.4, 0.6, 0.999)  # scored 1, 1/2, 1/3 by the search
    rerank = Rerank(search=Found(found), grader=FakeGrader(score=reads), search_weight=4.0)
    best = await rerank(ASK)
    assert ids(best) == ["2", "0", "1"]  # far surer wins, a little surer does not
    assert [hit.relevance for hit in best] == pytest.approx([0.998, -0.2, 0.2])


async def test_scores_of_another_question_do_not_count() -> None:
    best = await Order(grader=FakeGrader(score=reads))(Question("else"), evidence(0.4, 0.6))
    assert ids(best) == ["1", "0"]


@pytest.mark.parametrize("scores", [(0.0, 0.0), (-1.0, -2.0)])
async def test_scores_that_are_no_shares_do_not_count(scores: tuple[float, float]) -> None:
    hits = zip(evidence(0.4, 0.6), scores, strict=True)
    found = Evidence(tuple(replace(hit, score=score) for hit, score in hits))
    assert ids(await Order(grader=FakeGrader(score=reads))(ASK, found)) == ["1", "0"]


async def test_a_grader_that_is_quite_sure_is_no_error() -> None:
    best = await reranking(evidence(0.0, 1.0, 0.5), FakeGrader(score=reads))(ASK)
    assert ids(best) == ["1", "2", "0"]


async def test_other_questions_order_the_same_candidates_anew() -> None:
    owls = Passage("owls", "Owls hoot at night.", "d", "v", 0, 19)
    dogs = Passage("dogs", "Dogs bark by day.", "d", "v", 20, 37)
    candidates = Evidence(tuple(Hit(each, 1.0, "animals") for each in (owls, dogs)))
    order = Order(grader=FakeGrader(), limit=1)
    assert ids(await order(Question("When do owls hoot?"), candidates)) == ["owls"]
    assert ids(await order(Question("When do dogs bark?"), candidates)) == ["dogs"]


async def test_each_question_orders_the_candidates_once_all_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    class Meeting(FakeGrader):
        async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
            async with asyncio.timeout(5):
                await both.wait()
            return await super().grade(pairs)

    one, other = Question("one"), Question("other")
    order = Order(grader=Meeting(score=reads), limit=1)
    best = await order.each([one, other, one], evidence(0.2, 0.9))
    assert {id: ids(found) for id, found in best.items()} == {one.id: ["1"], other.id: ["1"]}


async def test_without_passages_found_the_model_is_not_called() -> None:
    grader = FakeGrader()
    with start_run() as run:
        assert await reranking(Evidence(), grader)(ASK) == Evidence()
        assert await reranking(Evidence(), None)(ASK) == Evidence()
    assert (grader.asked, run.degraded) == ([], [])


@pytest.mark.parametrize("fault", [Fault.ERROR, Fault.INFINITE, Fault.TOO_MANY])
async def test_a_grader_that_fails_leaves_the_order_of_search(fault: Fault) -> None:
    found = evidence(0.2, 0.9, 0.5, 0.7)
    with start_run() as run:
        best = await reranking(found, FakeGrader(score=reads, faults=[fault]))(ASK)
    assert best == found.top(3)
    assert "passages are in search order" in run.degraded[0]


async def test_no_grader_leaves_the_order_of_search() -> None:
    found = evidence(0.2, 0.9, 0.5, 0.7)
    with start_run() as run:
        assert await reranking(found, None)(ASK) == found.top(3)
    assert only_says(run.degraded, "no grader", "search order")


async def test_the_budget_and_the_errors_of_search_pass_through() -> None:
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await reranking(evidence(0.2), FakeGrader())(ASK)

    async def down(question: Question) -> Evidence:
        raise StorageError("down")

    with pytest.raises(StorageError):
        await Rerank(search=down, grader=FakeGrader())(ASK)
