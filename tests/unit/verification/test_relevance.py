"""Bearing: what a grader makes of each claim beside the question, and nothing where it cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from upheld.ports import QueryPassagePair
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import (
    Citation,
    Claim,
    Draft,
    Evidence,
    Hit,
    Passage,
    Question,
    Support,
    Verdict,
)
from upheld.verification.relevance import score_relevance
from upheld_lab.testing.fake_embedder import FakeEmbedder
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

TEXT = "The crossing takes 35 minutes."
SOURCE = Passage("p", TEXT, "d", "v", 0, len(TEXT), title="Wren Island ferry")
ASKED = Question("How long does the ferry to Wren Island take?")


class Alike(FakeGrader):
    """Thinks the same of everything."""

    async def grade(self, pairs: Sequence[QueryPassagePair]) -> list[float]:
        return [0.5] * len(pairs)


def claim(text: str, *cited: Passage) -> Claim:
    marks = (Citation(each.id, "d", "v", 0, len(each.text), each.text) for each in cited)
    return Claim(text, tuple(marks))


def draft(*claims: Claim) -> Draft:
    return Draft(ASKED, claims, Evidence((Hit(SOURCE, 1.0, ASKED.text),)))


async def test_a_claim_is_read_under_the_title_of_what_it_cites() -> None:
    with start_run():
        told = await score_relevance(draft(claim(TEXT, SOURCE), claim(TEXT)), FakeGrader(), None)
    cited, bare = (each.relevance for each in told.claims)
    assert cited is not None
    assert bare is not None
    assert cited > bare  # the title has words of the question


async def test_what_is_not_checkworthy_has_none() -> None:
    greeting = replace(claim("Hello!"), verdict=Verdict(Support.NOT_CHECKWORTHY))
    with start_run():
        told = await score_relevance(draft(greeting, claim(TEXT, SOURCE)), FakeGrader(), None)
    assert told.claims[0].relevance is None
    assert told.claims[1].relevance is not None


async def test_the_embedder_has_its_say_too() -> None:
    """Of two claims that the grader thinks alike of, the nearer one bears more."""
    near, far = "A ferry to Wren Island.", "Tickets are sold on board."
    with start_run():
        told = await score_relevance(draft(claim(near), claim(far)), Alike(), FakeEmbedder())
    first, second = (each.relevance for each in told.claims)
    assert first is not None
    assert second is not None
    assert 0 < second < first < 1


async def test_an_embedder_that_fails_leaves_the_word_to_the_grader() -> None:
    with start_run() as run:
        told = await score_relevance(draft(claim(TEXT)), Alike(), FakeEmbedder(fail=True))
        assert any("grades alone" in label for label in run.degraded)
    assert [each.relevance for each in told.claims] == [0.5]


async def test_without_a_grader_claims_get_no_relevance() -> None:
    before = draft(claim(TEXT, SOURCE))
    with start_run() as run:
        assert await score_relevance(before, None, None) == before
        assert not run.degraded


async def test_a_grader_that_fails_takes_nothing_away_and_is_told() -> None:
    before = draft(claim(TEXT, SOURCE))
    with start_run() as run:
        assert await score_relevance(before, FakeGrader(faults=[Fault.ERROR]), None) == before
        assert any("relevance" in label.lower() for label in run.degraded)


async def test_when_time_is_up_it_is_not_asked() -> None:
    before = draft(claim(TEXT, SOURCE))
    with start_run(Budget(seconds=1e-9)) as run:
        assert await score_relevance(before, FakeGrader(), None) == before
        assert not run.degraded
