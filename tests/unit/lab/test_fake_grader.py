"""The fake keeps the same contract as the real thing, and the door to it lets nothing odd by."""

from __future__ import annotations

import pytest

from upheld.errors import BudgetExceededError, ModelError
from upheld.ports import Grader, QueryPassagePair
from upheld.run.budget import Budget
from upheld.run.calls import grade
from upheld.run.trace import start_run
from upheld.testing.grader_conformance import PAIRS, TrainedGraderConformance
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader


class TestFakeGrader(TrainedGraderConformance):
    @pytest.fixture
    def grader(self) -> Grader:
        return FakeGrader()


async def test_faults_are_used_up_one_a_call() -> None:
    grader = FakeGrader(faults=[Fault.ERROR, None, Fault.TOO_MANY])
    with pytest.raises(ModelError, match="told to fail"):
        await grader.grade(PAIRS)
    assert len(await grader.grade(PAIRS)) == len(PAIRS)
    assert len(await grader.grade(PAIRS)) == len(PAIRS) + 1
    assert len(grader.asked) == 3


async def test_a_killed_grader_stays_dead() -> None:
    grader = FakeGrader(faults=[Fault.KILLED])
    for _ in range(2):
        with pytest.raises(ModelError, match="dead"):
            await grader.grade(PAIRS)


# --- the door ------------------------------------------------------------------------------------


async def test_a_pair_is_asked_once_and_counted_once() -> None:
    grader = FakeGrader()
    one, other = QueryPassagePair("owls", "Owls hoot."), QueryPassagePair("owls", "Dogs bark.")
    with start_run() as run:
        scores = await grade(grader, "rerank", [one, other, one])
    assert grader.asked == [[one, other]]
    assert scores[0] == scores[2] > scores[1]
    assert run.meter.used.pairs_checked == 2
    assert [(event.stage, event.usage.pairs_checked) for event in run.events] == [("rerank", 2)]


async def test_without_pairs_the_model_is_not_called() -> None:
    grader = FakeGrader()
    assert await grade(grader, "grade", []) == []
    assert grader.asked == []


@pytest.mark.parametrize(
    "fault",
    [
        Fault.NOT_A_NUMBER,
        Fault.INFINITE,
        Fault.NO_PROBABILITY,
        Fault.TOO_FEW,
        Fault.TOO_MANY,
    ],
)
async def test_doubtful_scores_are_an_error(fault: Fault) -> None:
    with pytest.raises(ModelError, match=r"^it gave "):
        await grade(FakeGrader(faults=[fault]), "grade", PAIRS)


async def test_a_grader_that_hangs_meets_the_deadline() -> None:
    grader = FakeGrader(faults=[Fault.HANG])
    with start_run(Budget(seconds=0.05)), pytest.raises(BudgetExceededError, match="graded"):
        await grade(grader, "grade", PAIRS)


async def test_latency_meets_the_deadline() -> None:
    with start_run(Budget(seconds=0.05)), pytest.raises(BudgetExceededError):
        await grade(FakeGrader(latency=30), "grade", PAIRS)


async def test_without_time_nobody_is_asked() -> None:
    grader = FakeGrader()
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await grade(grader, "grade", PAIRS)
    assert grader.asked == []
