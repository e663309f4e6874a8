"""CRAG's actions for one sub-question: what is written from, and where nothing should be."""

from __future__ import annotations

import asyncio

import pytest

from tests.messages import only_says
from tests.unit.drafts import draft
from tests.unit.museum import Asked, shelf
from upheld.errors import WebUnavailableError
from upheld.ports import Searcher
from upheld.retrieval.correct import Correct
from upheld.retrieval.distil import Distil
from upheld.retrieval.grade import Grade
from upheld.retrieval.rewrite import Rewrite
from upheld.run.trace import start_run
from upheld.types import Evidence, Question
from upheld_lab.testing.fake_grader import FakeGrader
from upheld_lab.testing.fake_llm import FakeLLM

FERRY = Question("When does the ferry leave?")
GOOD = "The ferry does leave at noon."
HALF = "The ferry is blue."
BAD = "Owls sleep by day."


def ids(evidence: Evidence) -> list[str]:
    return [passage.document_id for passage in evidence.passages]


def correct(
    *,
    grader: FakeGrader | None = None,
    distil: bool = False,
    rewrite: Rewrite | None = None,
    fallback_search: Searcher | None = None,
) -> Correct:
    grader = grader or FakeGrader()
    return Correct(
        grade=Grade(grader=grader, upper=0.5, lower=-0.5),
        distil=Distil(grader=grader) if distil else None,
        rewrite=rewrite,
        fallback_search=fallback_search,
    )


async def found(**documents: str) -> Evidence:
    """All documents, whatever is asked."""
    search = await shelf({name: f"{text} everything" for name, text in documents.items()})
    return await search(Question("everything"))


async def test_correct_evidence_is_used_and_nothing_else_is_searched() -> None:
    fallback_search = await shelf({"web": "The ferry does leave at dawn."})
    evidence = await found(good=GOOD, bad=BAD)
    assert await correct(fallback_search=fallback_search)(FERRY, evidence) != Evidence()
    assert set(ids(await correct(fallback_search=fallback_search)(FERRY, evidence))) == {
        "good",
        "bad",
    }
    assert ids(await correct(distil=True)(FERRY, evidence)) == ["good"]
    assert fallback_search.queries == []


async def test_ambiguous_evidence_is_joined_by_a_wider_search() -> None:
    fallback_search = await shelf({"web": "The ferry does leave at dawn."})
    evidence = await found(half=HALF)
    assert ids(await correct(fallback_search=fallback_search)(FERRY, evidence)) == ["half", "web"]
    assert ids(await correct()(FERRY, evidence)) == ["half"]


async def test_incorrect_evidence_is_replaced_by_a_wider_search_in_key_phrases() -> None:
    fallback_search = await shelf({"web": "The ferry does leave at dawn."})
    rewrite = Rewrite(llm=FakeLLM([{"phrases": ["ferry", "departure"]}]))
    evidence = await found(bad=BAD)
    assert ids(
        await correct(rewrite=rewrite, fallback_search=fallback_search)(FERRY, evidence)
    ) == ["web"]
    assert fallback_search.queries == ["ferry departure"]


async def test_incorrect_evidence_is_not_written_from() -> None:
    evidence = await found(bad=BAD)
    assert await correct()(FERRY, evidence) == Evidence()
    assert await correct()(FERRY, Evidence()) == Evidence()
    assert await correct(fallback_search=Asked())(FERRY, evidence) == Evidence()


async def test_evidence_of_another_search_stands_in_if_it_is_better() -> None:
    bad = await found(bad=BAD)
    better, half, worse = (
        asyncio.create_task(found(**each))
        for each in ({"good": GOOD}, {"half": HALF}, {"bad": BAD})
    )
    assert ids(await correct()(FERRY, bad, better)) == ["good"]
    assert ids(await correct(distil=True)(FERRY, bad, half)) == ["half"]
    assert await correct()(FERRY, bad, worse) == Evidence()


async def test_a_wider_search_that_fails_leaves_what_there_is() -> None:
    async def down(question: Question) -> Evidence:
        raise WebUnavailableError("down")

    half, bad = await found(half=HALF), await found(bad=BAD)
    with start_run() as run:
        assert ids(await correct(fallback_search=down)(FERRY, half)) == ["half"]
        assert await correct(fallback_search=down)(FERRY, bad) == Evidence()
    assert only_says(run.degraded, "fallback search failed", "down")


async def test_strips_that_all_fall_leave_the_passages_whole() -> None:
    grader = FakeGrader(score=lambda pair: 0.9 if "everything" in pair.text else 0.1)
    evidence = await found(long=f"{GOOD} {HALF} {BAD} One more.")
    kept = await correct(grader=grader, distil=True)(FERRY, evidence)
    assert ids(kept) == ["long"]


@pytest.mark.parametrize("evidence", [Evidence(), draft().evidence])
async def test_without_grades_what_was_found_will_do(evidence: Evidence) -> None:
    ungraded = Correct(grade=None, distil=None, rewrite=None, fallback_search=Asked())
    assert await ungraded(FERRY, evidence) is evidence
