from __future__ import annotations

import pytest

from tests.messages import only_says
from tests.unit.drafts import claim
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.planning.next_question import Next, NextQuestion, as_steps
from upheld.ports import Sampling
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Draft, Question
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question(" Who built the ferry's sister ship? ")
FIRST = Draft(Question("Which is the sister ship?"), (claim("It is the\nMarsh."), claim("Yes.")))
SECOND = Draft(Question("Where is the Marsh?"))


def asks(question: str, *, done: bool = False) -> dict[str, object]:
    return {"done": done, "question": question}


def texts(asked: tuple[Question, ...]) -> list[str]:
    return [each.text for each in asked]


async def test_the_first_step_sees_the_question_alone() -> None:
    llm = FakeLLM([asks("Which  is the sister ship?")])
    (step,) = await NextQuestion(llm=llm)(ASK)
    assert (step.text, step.parent) == ("Which is the sister ship?", ASK.id)
    (call,) = llm.calls
    assert call.sampling == Sampling(max_tokens=112)  # greedy
    shown = call.messages[-1].content
    assert ASK.text.strip() in shown
    assert "none yet" in shown


def test_steps_are_shown_with_their_answers_or_without() -> None:
    assert as_steps([FIRST, SECOND], answers=True) == (
        "1. Which is the sister ship?\n   Answer: It is the Marsh. Yes.\n"
        "2. Where is the Marsh?\n   Answer: none was found"
    )
    assert as_steps([FIRST, SECOND], answers=False) == (
        "1. Which is the sister ship?\n2. Where is the Marsh?"
    )


async def test_later_steps_see_the_earlier_ones() -> None:
    llm = FakeLLM([asks("Who built the Marsh?")] * 2)
    await NextQuestion(llm=llm)(ASK, [FIRST])
    await NextQuestion(llm=llm)(ASK, [FIRST], answers=False)
    seeing, blind = (call.messages[-1].content for call in llm.calls)
    assert ("It is the Marsh." in seeing, "It is the Marsh." in blind) == (True, False)


@pytest.mark.parametrize(
    "line", [asks("", done=True), asks("Who built it?", done=True), asks(""), asks("…?")]
)
async def test_the_chain_ends_where_the_model_is_done_or_asks_nothing(line: Line) -> None:
    with start_run() as run:
        assert await NextQuestion(llm=FakeLLM([line]))(ASK, [FIRST]) == ()
    assert run.degraded == []


async def test_what_was_asked_before_ends_the_chain() -> None:
    llm = FakeLLM([asks("which is the SISTER ship")])
    assert await NextQuestion(llm=llm)(ASK, [FIRST, SECOND]) == ()


async def test_a_chain_has_a_first_step_even_if_the_model_is_done() -> None:
    llm = FakeLLM([asks("Who built it?", done=True)])
    assert texts(await NextQuestion(llm=llm)(ASK)) == ["Who built it?"]


async def test_several_samples_are_different_questions_of_one_request() -> None:
    llm = FakeLLM([asks("a?"), asks("A"), asks("which is the sister ship?"), asks("b?")])
    with start_run() as run:
        asked = await NextQuestion(llm=llm, samples=4)(ASK, [FIRST])
    assert texts(asked) == ["a?", "b?"]
    assert llm.calls[0].sampling == Sampling(112, samples=4, temperature=1.0, top_k=50)
    assert run.meter.used.requests == 1


@pytest.mark.parametrize(("done", "going_on"), [(1, True), (2, True), (3, False)])
async def test_most_samples_decide_on_the_end(done: int, going_on: bool) -> None:
    lines = [asks("", done=True)] * done + [asks(f"{n}?") for n in range(4 - done)]
    asked = await NextQuestion(llm=FakeLLM(lines), samples=4)(ASK, [FIRST])
    assert bool(asked) is going_on


@pytest.mark.parametrize("line", [LLMUnavailableError("down"), "no JSON", asks(""), asks("?!")])
async def test_without_a_first_step_it_is_the_question_itself(line: Line) -> None:
    with start_run() as run:
        assert await NextQuestion(llm=FakeLLM([line]))(ASK) == (ASK,)
    assert len(run.degraded) == 1
    assert run.degraded[0].startswith("the question was searched for without sub-questions: ")


async def test_a_later_step_that_fails_ends_the_chain_with_a_label() -> None:
    with start_run() as run:
        step = NextQuestion(llm=FakeLLM([LLMUnavailableError("down")]))
        assert await step(ASK, [FIRST]) == ()
    assert only_says(run.degraded, "sub-questions", "down")


async def test_the_budget_passes_through() -> None:
    with start_run(Budget(llm_calls=0)), pytest.raises(BudgetExceededError):
        await NextQuestion(llm=FakeLLM([]))(ASK)


def test_the_schema_decides_before_it_asks() -> None:
    fields = strict_schema(Next)["properties"]
    assert list(fields) == ["done", "question"]
    assert fields["question"]["maxLength"] == 160
