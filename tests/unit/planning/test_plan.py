from __future__ import annotations

import pytest

from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMUnavailableError
from upheld.planning.plan import Plan, Session, at_most
from upheld.ports import Sampling
from upheld.run.budget import Budget
from upheld.run.trace import start_run
from upheld.types import Question
from upheld_lab.testing.fake_llm import FakeLLM, Line

ASK = Question(" Why do some ferries carry no cars? ")
WHICH, COST, RULES = "Which ferries carry no cars?", "What does it cost?", "Which rules apply?"


def asks(*questions: str) -> dict[str, list[str]]:
    return {"questions": list(questions)}


def texts(sessions: tuple[Session, ...]) -> list[list[str]]:
    return [[each.text for each in session] for session in sessions]


async def test_sessions_are_samples_of_one_request() -> None:
    llm = FakeLLM([asks(WHICH, COST), asks(RULES), asks(COST, WHICH)])
    with start_run() as run:
        sessions = await Plan(llm=llm, sessions=3)(ASK)
    assert texts(sessions) == [[WHICH, COST], [RULES], [COST, WHICH]]
    assert all(each.parent == ASK.id for session in sessions for each in session)
    (call,) = llm.calls
    assert call.sampling == Sampling(max_tokens=480, samples=3, temperature=1.0, top_k=50)
    assert call.messages[-1].content == f"Question: {ASK.text.strip()}"
    assert (run.meter.used.requests, run.meter.used.completions) == (1, 3)
    assert run.degraded == []


async def test_the_papers_numbers_are_the_defaults() -> None:
    llm = FakeLLM([asks(WHICH)] * 8)
    await Plan(llm=llm)(ASK)
    sampling = llm.calls[0].sampling
    assert (sampling.samples, sampling.temperature) == (8, 1.0)


async def test_what_sessions_have_in_common_is_one_question() -> None:
    llm = FakeLLM([asks(WHICH, COST), asks("which ferries carry NO cars", RULES)])
    one, other = await Plan(llm=llm, sessions=2)(ASK)
    assert one[0] is other[0]
    assert len({each.id for each in (*one, *other)}) == 3


async def test_the_same_session_comes_once() -> None:
    llm = FakeLLM([asks(WHICH, COST), asks(WHICH, COST), asks(COST, WHICH)])
    sessions = await Plan(llm=llm, sessions=3)(ASK)
    assert texts(sessions) == [[WHICH, COST], [COST, WHICH]]  # another order is another session


async def test_repeats_and_blanks_inside_a_session_are_dropped() -> None:
    llm = FakeLLM([asks(" Which  ferries\ncarry no cars? ", "", "?!", WHICH.upper(), COST)])
    assert texts(await Plan(llm=llm, sessions=1)(ASK)) == [[WHICH, COST]]


async def test_a_session_has_at_most_so_many_questions() -> None:
    llm = FakeLLM([asks("a?", "A", "b?", "c?")])  # from a server without bounds
    assert texts(await Plan(llm=llm, sessions=1, max_questions=2)(ASK)) == [["a?", "b?"]]


async def test_samples_that_do_not_fit_or_ask_nothing_are_dropped() -> None:
    llm = FakeLLM(["no JSON", asks(), {"questions": "why?"}, asks(COST), asks(" ")])
    with start_run() as run:
        assert texts(await Plan(llm=llm, sessions=5)(ASK)) == [[COST]]
    assert run.degraded == []


@pytest.mark.parametrize(
    "line", [LLMUnavailableError("down"), "no JSON", asks(), asks(" ", "…"), {"answers": []}]
)
async def test_without_a_session_the_question_is_its_own(line: Line) -> None:
    with start_run() as run:
        assert await Plan(llm=FakeLLM([line, line]), sessions=2)(ASK) == ((ASK,),)
    assert len(run.degraded) == 1
    assert run.degraded[0].startswith("the question was searched for without sub-questions: ")


@pytest.mark.parametrize("budget", [Budget(llm_calls=0), Budget(tokens=800), Budget(seconds=0)])
async def test_the_budget_passes_through(budget: Budget) -> None:
    llm = FakeLLM([asks(WHICH), asks(COST)])
    with start_run(budget), pytest.raises(BudgetExceededError):
        await Plan(llm=llm, sessions=2)(ASK)  # each sample may take its 480 tokens
    assert llm.calls == []


def test_the_schema_makes_the_decoder_stop() -> None:
    assert strict_schema(at_most(4))["properties"]["questions"] == {
        "type": "array",
        "items": {"type": "string", "maxLength": 160},
        "minItems": 1,
        "maxItems": 4,
    }
    assert at_most(4) is at_most(4)
