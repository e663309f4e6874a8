"""Which questions are worth a plan, and what becomes of one that fails."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.messages import only_says
from upheld.errors import LLMUnavailableError
from upheld.planning.facets import facets_hinted, facets_of
from upheld.planning.plan import Plan
from upheld.run.trace import start_run
from upheld.types import Question
from upheld_lab.testing.fake_llm import FakeLLM, Line


@pytest.mark.parametrize(
    "question",
    [
        "When did the museum open? Who leads it today?",
        "When did the museum open and who leads it today?",
        "How tall is the tower, and is it open on Sundays?",
        "Do you know who built the bridge and when it was opened?",
        "Who owns both the ferry and the harbour?",
        "What is the difference between the old and the new ferry?",
        "Compare the ferry with the bridge.",
        "How does a seal differ from a sea lion?",
        "Ferry versus bridge: what does each cost?",
        "Which is older, the museum or the church?",
        "What are the height, weight and age of the whale?",
        "What does it say about prices, about opening hours, and about dogs?",
        "Tell me: 1) when it opened 2) who leads it",
        "When did the museum open; who leads it; what does entry cost?",
        "Given that the ferry was sold in 1990, that its crew was let go, and that the harbour was "
        "closed because of the storm, how did people reach the island in the years until the "
        "bridge was built?",
    ],
)
def test_a_question_with_parts_is_planned_for(question: str) -> None:
    assert facets_hinted(question)


@pytest.mark.parametrize(
    "question",
    [
        "When did the museum open?",
        "When and where was Ada Lovelace born?",
        "What is and is not covered by the ticket?",
        "Who wrote the report on salt and pepper?",
        "Who wrote The Lion, the Witch and the Wardrobe?",
        "Who sang 'What is love and what is hate'?",
        "Who sang “Where are we, where do we go and when”?",
        "What is the distance between Oban and Mull?",
        "In which year did the architect of Harrow Point Lighthouse, which burnt down, die?",
        "What did Smith and Jones discover?",
        "Is it open on Sunday? Really?",
        "Which trains or buses go to the harbour?",
        "How many people live in Paris, France?",
        "Does the ferry carry dogs and bicycles?",
        "museum opening hours",
        "why",
        "",
        "?",
    ],
)
def test_a_simple_question_is_not(question: str) -> None:
    assert not facets_hinted(question)


@given(st.text(max_size=200))
def test_any_text_has_an_answer(text: str) -> None:
    assert facets_hinted(text) in (True, False)


TWO = Question("When did the museum open and who leads it today?")
PARTS = {"questions": ["When did it open?", "Who leads it?", "Is it free?"]}


def plan(line: Line) -> Plan:
    return Plan(llm=FakeLLM([line]), sessions=1, temperature=0, top_k=None)


async def test_facets_are_the_plans_sub_questions_up_to_the_most() -> None:
    facets = await facets_of(TWO, plan(PARTS), 2)
    assert [facet.text for facet in facets] == ["When did it open?", "Who leads it?"]
    assert {facet.parent for facet in facets} == {TWO.id}


@pytest.mark.parametrize(
    "line", [LLMUnavailableError("down"), {"questions": []}, {"questions": ["Who leads it?"]}]
)
async def test_without_parts_the_question_stands_alone(line: Line) -> None:
    assert await facets_of(TWO, plan(line), 4) == (TWO,)


async def test_without_a_language_model_nothing_is_planned_and_that_is_said() -> None:
    simple = Question("When did the museum open?")
    with start_run() as run:
        assert await facets_of(simple, None, 4) == (simple,)
        assert run.degraded == []
        assert await facets_of(TWO, None, 4) == (TWO,)
    assert only_says(run.degraded, "no plan")
