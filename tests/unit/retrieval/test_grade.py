"""CRAG's three actions, and what remains without a grader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages import only_says
from upheld.errors import BudgetExceededError
from upheld.ports import QueryPassagePair
from upheld.retrieval.grade import Action, Grade
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Evidence, Hit, Passage, Question
from upheld_lab.testing.fake_entailment import Fault
from upheld_lab.testing.fake_grader import FakeGrader

ASK = Question("When was the lighthouse built?")


def evidence(*chances: float) -> Evidence:
    """Passages whose text is the probability that `reads` gives them."""
    return Evidence(
        tuple(
            Hit(Passage(f"p{n}", str(chance), "d", "v", 0, 3), 1.0, "q")
            for n, chance in enumerate(chances)
        )
    )


def reads(pair: QueryPassagePair) -> float:
    return float(pair.text)


def grading(grader: FakeGrader | None = None) -> Grade:
    return Grade(grader=grader or FakeGrader(score=reads), upper=0.5, lower=-0.5)


@pytest.mark.parametrize(
    ("chances", "action"),
    [
        ((0.1, 0.76, 0.1), Action.CORRECT),  # any over upper
        ((0.76,), Action.CORRECT),
        ((0.24, 0.1), Action.INCORRECT),  # all under lower
        ((0.24, 0.26), Action.AMBIGUOUS),  # none over upper, one not under lower
        ((0.75,), Action.AMBIGUOUS),  # on the threshold is not over it
        ((0.25,), Action.AMBIGUOUS),  # nor under it
    ],
)
async def test_the_actions(chances: tuple[float, ...], action: Action) -> None:
    graded = await grading()(ASK, evidence(*chances))
    assert graded.action is action
    assert [hit.relevance for hit in graded.evidence] == pytest.approx(
        [2 * chance - 1 for chance in chances]
    )


async def test_hits_keep_everything_but_their_relevance() -> None:
    found = evidence(0.2, 0.9)
    graded = await grading()(ASK, found)
    assert graded.evidence.passages == found.passages
    assert [hit.score for hit in graded.evidence] == [hit.score for hit in found]


async def test_title_and_headings_are_graded_with_the_text() -> None:
    grader = FakeGrader()
    passage = Passage("p", "Built in 1869.", "d", "v", 0, 14, "Lights", heading_path=("North",))
    await grading(grader)(ASK, Evidence((Hit(passage, 1.0, "q"),)))
    assert grader.asked == [[QueryPassagePair(ASK.text, "Lights\nNorth\nBuilt in 1869.")]]


async def test_a_passage_that_comes_twice_is_graded_once() -> None:
    grader = FakeGrader(score=reads)
    twice = Evidence(evidence(0.9).hits * 2)
    graded = await grading(grader)(ASK, twice)
    assert [len(call) for call in grader.asked] == [1]
    assert len(graded.evidence) == 2


async def test_nothing_found_is_incorrect_and_asks_nobody() -> None:
    grader = FakeGrader()
    for each in (grading(grader), Grade(grader=None, upper=0.5, lower=-0.5)):
        with start_run() as run:
            graded = await each(ASK, Evidence())
        assert (graded.action, graded.evidence) == (Action.INCORRECT, Evidence())
        assert run.degraded == []
    assert grader.asked == []


@pytest.mark.parametrize("fault", [Fault.ERROR, Fault.NOT_A_NUMBER, Fault.TOO_FEW])
async def test_a_grader_that_fails_leaves_it_open(fault: Fault) -> None:
    found = evidence(0.9)
    with start_run() as run:
        graded = await grading(FakeGrader(score=reads, faults=[fault]))(ASK, found)
    assert (graded.action, graded.evidence) == (Action.AMBIGUOUS, found)
    assert only_says(run.degraded, "grader failed", "not graded")


async def test_no_grader_leaves_it_open() -> None:
    found = evidence(0.9)
    with start_run() as run:
        graded = await Grade(grader=None, upper=0.5, lower=-0.5)(ASK, found)
    assert (graded.action, graded.evidence) == (Action.AMBIGUOUS, found)
    assert only_says(run.degraded, "no grader", "not graded")


async def test_the_budget_passes_through() -> None:
    with start_run(Budget(seconds=0)), pytest.raises(BudgetExceededError):
        await grading()(ASK, evidence(0.9))


@given(
    st.lists(st.floats(-1, 1), min_size=1),
    st.floats(-1, 1),
    st.floats(-1, 1),
)
def test_the_rule_of_the_paper(scores: list[float], one: float, other: float) -> None:
    lower, upper = sorted((one, other))
    action = Grade(grader=None, upper=upper, lower=lower).action(scores)
    assert (action is Action.CORRECT) == (max(scores) > upper)
    assert (action is Action.INCORRECT) == (max(scores) < lower)
