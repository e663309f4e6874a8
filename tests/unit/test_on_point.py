"""On the point: what answers another question is withheld, and only then."""

from __future__ import annotations

from upheld.stages.diagnosis.last_look import LastLook
from upheld.stages.diagnosis.on_point import WITHHELD, OnPoint
from upheld.stages.diagnosis.rivals import Rivals
from upheld.testing.fake_entailment import Fault
from upheld.testing.fake_grader import FakeGrader
from upheld.trace import start_run
from upheld.types import Claim, Draft, Evidence, Question

ASKED = Question("Who built the lighthouse?")
ON = Claim("Tolland built the lighthouse.")
OFF = Claim("The ferry leaves at noon.")


async def told(*claims: Claim, grader: FakeGrader | None = None) -> Draft:
    with start_run():
        return await OnPoint(grader=grader or FakeGrader(), embedder=None, least=0.5)(
            Draft(ASKED, claims), alone=True
        )


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
        draft = await OnPoint(grader=None, embedder=None, least=0.5)(
            Draft(ASKED, (OFF,)), alone=True
        )
    assert draft.claims == (OFF,)


async def test_an_abstention_stays_one() -> None:
    assert (await told()).notes == ()


async def test_what_answers_one_facet_of_several_is_not_withheld() -> None:
    async def nothing(question: Question) -> Evidence:
        return Evidence()

    point = OnPoint(grader=FakeGrader(), embedder=None, least=0.5)
    look = LastLook(on_point=point, rivals=Rivals(search=nothing, grader=None))
    with start_run() as run:
        assert (await look(Draft(ASKED, (OFF,)), facets=2)).claims == (OFF,)
        withheld = await look(Draft(ASKED, (OFF,)), facets=1)
        assert withheld.claims == ()
        assert run.best is withheld  # so it stays when the budget ends
