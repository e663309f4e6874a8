"""On the point: what answers another question is quoted instead or withheld, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.drafts import citation
from upheld.generation.fallback import Write
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.final_checks import QUOTED, WITHHELD, FinalChecks, RelevanceGate
from upheld.run.trace import start_run
from upheld.testing.fake_entailment import Fault
from upheld.testing.fake_grader import FakeGrader
from upheld.types import Claim, Conflict, Draft, Evidence, Question, Support, Verdict
from upheld.verification.verify_draft import Check

ASKED = Question("Who built the lighthouse?")
ON = Claim("Tolland built the lighthouse.")
OFF = Claim("The ferry leaves at noon.")
NEAR = Claim("The lighthouse is old.")
FALSE = replace(ON, verdict=Verdict(Support.UNSUPPORTED))


async def unchecked(draft: Draft) -> Draft:
    return draft


def quoting(*claims: Claim) -> Write:
    """A quote writer that finds these sentences."""

    async def quote(question: Question, evidence: Evidence) -> Draft:
        return Draft(question, claims, evidence)

    return quote


def point(
    grader: FakeGrader | None, quote: Write | None = None, check: Check = unchecked
) -> RelevanceGate:
    return RelevanceGate(
        grader=grader, embedder=None, quote=quote, check=check, enough=0.9, least=0.4
    )


async def told(*claims: Claim, grader: FakeGrader | None = None) -> Draft:
    with start_run():
        return await point(grader or FakeGrader())(Draft(ASKED, claims), alone=True)


async def test_one_claim_on_the_point_carries_the_rest() -> None:
    assert (await told(OFF, ON)).claims == (OFF, ON)


async def test_where_no_claim_answers_nothing_is_said() -> None:
    draft = await told(OFF)
    assert draft.claims == ()
    assert draft.notes == (WITHHELD, f"searched for: {ASKED.text}")


async def test_a_grader_that_fails_withholds_nothing() -> None:
    assert (await told(OFF, grader=FakeGrader(faults=[Fault.ERROR]))).claims == (OFF,)


async def test_without_a_grader_nothing_is_withheld() -> None:
    with start_run():
        assert (await point(None)(Draft(ASKED, (OFF,)), alone=True)).claims == (OFF,)


async def test_an_abstention_stays_one() -> None:
    assert (await told()).notes == ()


async def test_what_answers_one_facet_of_several_is_not_withheld() -> None:
    async def nothing(question: Question) -> Evidence:
        return Evidence()

    look = FinalChecks(
        relevance_gate=point(FakeGrader()),
        detect_conflicts=ConflictDetector(search=nothing, grader=None),
    )
    with start_run() as run:
        assert (await look(Draft(ASKED, (OFF,)), facets=2)).claims == (OFF,)
        withheld = await look(Draft(ASKED, (OFF,)), facets=1)
        assert withheld.claims == ()
        assert run.best is withheld  # so it stays when the budget ends


@pytest.mark.parametrize(
    ("written", "found", "shown"),
    [
        ((ON,), (OFF,), (ON,)),  # good enough as it was written
        ((OFF, ON), (NEAR,), (OFF, ON)),
        ((NEAR,), (OFF,), (OFF,)),  # upheld, and weak: the sources speak
        ((OFF,), (ON, OFF), (ON, OFF)),
        ((OFF,), (OFF,), ()),  # neither answers
        ((NEAR,), (), (NEAR,)),  # nothing to quote
        ((OFF,), (), ()),
        ((FALSE, NEAR), (ON,), (ON,)),  # what fell does not make an answer strong
        ((), (ON,), ()),  # nothing was upheld: quotes do not break an abstention
    ],
)
async def test_what_is_written_and_weak_is_told_by_the_sources(
    written: tuple[Claim, ...], found: tuple[Claim, ...], shown: tuple[Claim, ...]
) -> None:
    with start_run():
        draft = await point(FakeGrader(), quoting(*found))(Draft(ASKED, written), alone=True)
    assert draft.claims == shown
    assert (QUOTED in draft.notes) is (bool(shown) and shown == found)
    assert (WITHHELD in draft.notes) is (bool(written) and not shown)


async def test_a_warning_outlives_what_was_written() -> None:
    conflict = Conflict(NEAR.text, citation("museum"), citation("entry"))
    before = Draft(ASKED, (NEAR,), conflicts=(conflict,))
    with start_run():
        draft = await point(FakeGrader(), quoting(ON))(before, alone=True)
    assert (draft.claims, draft.conflicts) == ((ON,), (conflict,))


async def test_facets_are_told_as_they_were_written() -> None:
    with start_run():
        draft = await point(FakeGrader(), quoting(ON))(Draft(ASKED, (NEAR,)), alone=False)
    assert draft.claims == (NEAR,)


async def test_what_is_quoted_is_checked_as_well() -> None:
    held = Verdict(Support.SUPPORTED)

    async def check(draft: Draft) -> Draft:
        return replace(draft, claims=tuple(replace(each, verdict=held) for each in draft.claims))

    with start_run():
        draft = await point(FakeGrader(), quoting(ON), check)(Draft(ASKED, (NEAR,)), alone=True)
    assert [claim.verdict for claim in draft.claims] == [held]
