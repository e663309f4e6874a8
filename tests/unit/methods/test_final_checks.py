"""The relevance gate: an answer of low relevance is replaced by quotes or withheld."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.drafts import citation
from upheld.generation.fallback import Write
from upheld.methods.by_diagnosis.conflict_detector import ConflictDetector
from upheld.methods.by_diagnosis.final_checks import (
    QUOTED,
    WITHHELD,
    FinalChecks,
    GatedMethod,
    RelevanceGate,
)
from upheld.run.trace import start_run
from upheld.types import Claim, Conflict, Draft, Evidence, Question, Support, Verdict
from upheld.verification.verify_draft import Check
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

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


def gate(
    grader: FakeGrader | None, quote: Write | None = None, check: Check = unchecked
) -> RelevanceGate:
    return RelevanceGate(
        grader=grader, embedder=None, quote=quote, check=check, enough=0.9, least=0.4
    )


async def told(*claims: Claim, grader: FakeGrader | None = None) -> Draft:
    with start_run():
        return await gate(grader or FakeGrader())(Draft(ASKED, claims), alone=True)


async def test_one_relevant_claim_is_enough() -> None:
    assert (await told(OFF, ON)).claims == (OFF, ON)


async def test_where_no_claim_is_relevant_the_answer_is_withheld() -> None:
    draft = await told(OFF)
    assert draft.claims == ()
    withheld, searched = draft.notes
    assert withheld == WITHHELD
    assert ASKED.text in searched


async def test_a_grader_that_fails_withholds_nothing() -> None:
    assert (await told(OFF, grader=FakeGrader(faults=[Fault.ERROR]))).claims == (OFF,)


async def test_without_a_grader_nothing_is_withheld() -> None:
    with start_run():
        assert (await gate(None)(Draft(ASKED, (OFF,)), alone=True)).claims == (OFF,)


async def test_an_abstention_stays_one() -> None:
    assert (await told()).notes == ()


async def test_what_answers_one_facet_of_several_is_not_withheld() -> None:
    async def nothing(question: Question) -> Evidence:
        return Evidence()

    look = FinalChecks(
        relevance_gate=gate(FakeGrader()),
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
        ((NEAR,), (OFF,), (OFF,)),  # supported, of low relevance: replaced by quotes
        ((OFF,), (ON, OFF), (ON, OFF)),
        ((OFF,), (OFF,), ()),  # neither answers
        ((NEAR,), (), (NEAR,)),  # nothing to quote
        ((OFF,), (), ()),
        ((FALSE, NEAR), (ON,), (ON,)),  # an unsupported claim does not count as relevant
        ((), (ON,), ()),  # nothing was upheld: quotes do not break an abstention
    ],
)
async def test_an_answer_of_low_relevance_is_replaced_by_quotes(
    written: tuple[Claim, ...], found: tuple[Claim, ...], shown: tuple[Claim, ...]
) -> None:
    with start_run():
        draft = await gate(FakeGrader(), quoting(*found))(Draft(ASKED, written), alone=True)
    assert draft.claims == shown
    assert (QUOTED in draft.notes) is (bool(shown) and shown == found)
    assert (WITHHELD in draft.notes) is (bool(written) and not shown)


async def test_a_conflict_stays_when_the_answer_is_replaced() -> None:
    conflict = Conflict(NEAR.text, citation("museum"), citation("entry"))
    before = Draft(ASKED, (NEAR,), conflicts=(conflict,))
    with start_run():
        draft = await gate(FakeGrader(), quoting(ON))(before, alone=True)
    assert (draft.claims, draft.conflicts) == ((ON,), (conflict,))


async def test_an_answer_to_several_facets_is_not_replaced() -> None:
    with start_run():
        draft = await gate(FakeGrader(), quoting(ON))(Draft(ASKED, (NEAR,)), alone=False)
    assert draft.claims == (NEAR,)


async def test_what_is_quoted_is_checked_as_well() -> None:
    held = Verdict(Support.SUPPORTED)

    async def check(draft: Draft) -> Draft:
        return replace(draft, claims=tuple(replace(each, verdict=held) for each in draft.claims))

    with start_run():
        draft = await gate(FakeGrader(), quoting(ON), check)(Draft(ASKED, (NEAR,)), alone=True)
    assert [claim.verdict for claim in draft.claims] == [held]


def writing(*claims: Claim, evidence: Evidence = Evidence()) -> GatedMethod:
    """A method that always writes these claims, behind the gate."""

    async def write(question: Question) -> Draft:
        return Draft(question, claims, evidence)

    return GatedMethod(method=write, check=unchecked, relevance_gate=gate(FakeGrader()))


async def test_another_method_behind_the_gate_abstains_as_our_own_does() -> None:
    for claims, shown in {
        (ON,): (ON,),
        (ON, FALSE): (ON, FALSE),  # what is not supported stays, with its mark
        (FALSE,): (),  # nothing is supported
        (OFF,): (),  # nothing is relevant
        (): (),
    }.items():
        with start_run() as run:
            draft = await writing(*claims)(ASKED)
        assert draft.claims == shown
        assert run.best is draft  # so it stays when the budget ends
        assert any(ASKED.text in note for note in draft.notes) is not bool(shown)


async def test_behind_the_gate_an_answer_to_several_facets_passes_where_those_are_planned() -> None:
    several = Question("Who built the lighthouse, and when does the ferry leave for the island?")
    method = replace(writing(OFF), relevance_gate=gate(FakeGrader(), quoting()))
    with start_run():
        assert (await method(several)).claims == (OFF,)
        assert (await method(ASKED)).claims == ()


async def test_behind_the_gate_documents_that_disagree_are_reported() -> None:
    verdict = Verdict(
        Support.CONTRADICTED,
        evidence_for=(citation("museum"),),
        evidence_against=(citation("entry"),),
    )
    with start_run():
        draft = await writing(replace(ON, verdict=verdict), ON)(ASKED)
    assert [each.claim for each in draft.conflicts] == [ON.text]
