"""What every `LLM` must do: subclass `LLMConformance` and give it an `llm` fixture.

class TestMine(LLMConformance):
    @pytest.fixture
    async def llm(self): ...
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Literal

import pytest
from pydantic import BaseModel

from upheld.errors import BudgetExceededError, LLMOutputError
from upheld.ports import LLM, Message, Sampling
from upheld.run.budget import Budget
from upheld.run.calls import generate
from upheld.run.trace import start_run
from upheld.types import Usage


class Choice(BaseModel):
    """Small enough for the smallest model to keep to."""

    colour: Literal["red", "green", "blue"]
    sure: bool


ASK = (
    Message("system", "You are brief."),
    Message("user", "Name a colour that you like, and say whether you are sure."),
)
SHORT = Sampling(max_tokens=64)


def say_choice(messages: Sequence[Message], output: type[BaseModel] | None) -> BaseModel | str:
    """A script with which `FakeLLM` passes the suite."""
    return "Green, I think." if output is None else Choice(colour="green", sure=True)


class LLMConformance:
    """The contract of the port, as tests."""

    async def test_has_an_identity(self, llm: LLM) -> None:
        assert llm.identity

    async def test_output_fits_the_schema(self, llm: LLM) -> None:
        reply = await llm.generate(ASK, Choice, SHORT)
        assert isinstance(reply.value, Choice)
        assert Choice.model_validate_json(reply.generations[0].text) == reply.value

    async def test_usage_is_counted(self, llm: LLM) -> None:
        usage = (await llm.generate(ASK, Choice, SHORT)).usage
        assert usage.requests == usage.completions == 1
        assert usage.prompt_tokens > 0
        assert 0 < usage.completion_tokens <= SHORT.max_tokens
        assert 0 <= usage.cached_tokens <= usage.prompt_tokens

    async def test_the_estimate_is_not_too_low(self, llm: LLM) -> None:
        reply = await llm.generate(ASK, Choice, SHORT)
        assert llm.count_tokens(ASK) >= reply.usage.prompt_tokens

    async def test_an_estimate_grows_with_the_prompt(self, llm: LLM) -> None:
        assert llm.count_tokens((*ASK, *ASK)) > llm.count_tokens(ASK)

    async def test_gives_as_many_samples_as_asked(self, llm: LLM) -> None:
        sampling = Sampling(max_tokens=64, samples=6, temperature=1.0, seed=7)
        reply = await llm.generate(ASK, Choice, sampling)
        assert len(reply.generations) == 6
        assert reply.usage.completions == 6
        assert 1 <= reply.usage.requests <= 6

    async def test_logprobs_only_where_asked(self, llm: LLM) -> None:
        plain, scored = await asyncio.gather(
            llm.generate(ASK, Choice, SHORT),
            llm.generate(ASK, Choice, Sampling(max_tokens=64, logprobs=3)),
        )
        assert plain.generations[0].tokens == ()
        tokens = scored.generations[0].tokens
        assert scored.generations[0].text in "".join(token.text for token in tokens)
        assert all(token.logprob <= 0 for token in tokens)
        assert all(len(token.alternatives) == 3 for token in tokens)

    async def test_output_that_is_cut_off_is_an_error_with_its_cost(self, llm: LLM) -> None:
        with pytest.raises(LLMOutputError) as caught:
            await llm.generate(ASK, Choice, Sampling(max_tokens=2))
        assert caught.value.usage.requests == 1
        assert caught.value.usage.completion_tokens > 0

    async def test_streams_text(self, llm: LLM) -> None:
        pieces = [piece async for piece in llm.stream(ASK, Sampling(max_tokens=12))]
        assert len(pieces) > 1
        assert "".join(pieces).strip()

    async def test_a_stream_can_be_left_early(self, llm: LLM) -> None:
        pieces = llm.stream(ASK, Sampling(max_tokens=200))
        assert await anext(pieces)
        await pieces.aclose()  # type: ignore[attr-defined]  # streams are generators
        assert (await llm.generate(ASK, Choice, SHORT)).value

    async def test_many_calls_at_once(self, llm: LLM) -> None:
        replies = await asyncio.gather(*(llm.generate(ASK, Choice, SHORT) for _ in range(6)))
        assert all(isinstance(reply.value, Choice) for reply in replies)

    async def test_a_repeated_prefix_is_cached(self, llm: LLM) -> None:
        documents = Message("user", "The passages are long and always the same. " * 12)
        first, second = [
            await llm.generate((documents, Message("user", question)), Choice, SHORT)
            for question in ("Which colour is it?", "And what is the colour of the other one?")
        ]
        assert second.usage.cached_tokens > first.usage.prompt_tokens // 2

    async def test_a_run_counts_what_was_used(self, llm: LLM) -> None:
        with start_run(Budget(llm_calls=2, tokens=2_000)) as run:
            reply = await generate(llm, "write", ASK, Choice, SHORT)
        assert run.meter.used == reply.usage
        assert [(event.stage, event.usage) for event in run.events] == [("write", reply.usage)]

    async def test_a_budget_that_is_too_small_costs_nothing(self, llm: LLM) -> None:
        with start_run(Budget(tokens=3)) as run, pytest.raises(BudgetExceededError):
            await generate(llm, "write", ASK, Choice, SHORT)
        assert run.meter.used == Usage()
