"""On the point: what answers another question is withheld, and only then."""

from __future__ import annotations

from upheld.stages.diagnosis.on_point import WITHHELD, OnPoint
from upheld.testing.fake_entailment import Fault
from upheld.testing.fake_grader import FakeGrader
from upheld.trace import start_run
from upheld.types import Claim, Draft, Question

ASKED = Question("Who built the lighthouse?")
ON = Claim("Tolland built the lighthouse.")
OFF = Claim("The ferry leaves at noon.")


async def told(*claims: Claim, grader: FakeGrader | None = None) -> Draft:
    with start_run():
        return await OnPoint(grader=grader or FakeGrader(), least=0.5)(Draft(ASKED, claims))


async def test_one_claim_on_the_point_carries_the_rest() -> None:
    assert (await told(OFF, ON)).claims == (OFF, ON)


async def test_where_no_claim_answers_nothing_is_said() -> None:
    draft = await told(OFF)
    assert draft.claims == ()
    assert draft.notes == (WITHHELD,)


async def test_a_grader_that_fails_withholds_nothing() -> None:
    assert (await told(OFF, grader=FakeGrader(faults=[Fault.ERROR]))).claims == (OFF,)


async def test_without_a_grader_nothing_is_withheld() -> None:
    with start_run():
        draft = await OnPoint(grader=None, least=0.5)(Draft(ASKED, (OFF,)))
    assert draft.claims == (OFF,)


async def test_an_abstention_stays_one() -> None:
    assert (await told()).notes == ()
