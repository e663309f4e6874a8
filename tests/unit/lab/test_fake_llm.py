from __future__ import annotations

import pytest

from upheld.errors import BudgetExceededError, LLMOutputError, LLMUnavailableError
from upheld.ports import LLM, Sampling
from upheld.run.budget import Budget
from upheld.run.calls import generate
from upheld.run.trace import start_run
from upheld.testing.llm_conformance import ASK, Choice, LLMConformance, say_choice
from upheld_lab.testing.fake_llm import FakeLLM

RED = Choice(colour="red", sure=False)


class TestFakeLLM(LLMConformance):
    @pytest.fixture
    def llm(self) -> LLM:
        return FakeLLM(say_choice)


async def test_lines_are_said_in_turn_one_a_sample() -> None:
    llm = FakeLLM([RED, {"colour": "green", "sure": True}, '{"colour": "blue", "sure": true}'])
    both = await llm.generate(ASK, Choice, Sampling(samples=2))
    last = await llm.generate(ASK, Choice)
    assert [each.value.colour for each in both.generations] == ["red", "green"]
    assert last.value.colour == "blue"
    assert [call.sampling.samples for call in llm.calls] == [2, 1]


async def test_a_script_that_has_ended_is_an_error() -> None:
    llm = FakeLLM([RED])
    await llm.generate(ASK, Choice)
    with pytest.raises(LLMOutputError, match="no more lines"):
        await llm.generate(ASK, Choice)


async def test_errors_are_raised_and_cost_a_request() -> None:
    llm = FakeLLM([LLMUnavailableError("down")])
    with start_run() as run, pytest.raises(LLMUnavailableError, match="down"):
        await generate(llm, "write", ASK, Choice)
    assert run.meter.used.requests == 1


async def test_samples_that_do_not_fit_are_left_out() -> None:
    llm = FakeLLM(["no JSON", RED])
    reply = await llm.generate(ASK, Choice, Sampling(samples=2))
    assert [each.value for each in reply.generations] == [RED]


async def test_latency_meets_the_deadline() -> None:
    llm = FakeLLM(say_choice, latency=30)
    with start_run(Budget(seconds=0.05)), pytest.raises(BudgetExceededError):
        await generate(llm, "write", ASK, Choice)
