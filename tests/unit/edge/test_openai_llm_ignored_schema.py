"""Servers that ignore `response_format`: recognised, asked once more, remembered and named."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import pytest
from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from pydantic import BaseModel, Field

from tests.servers.free_form import PROSE, free_form, schema_in_prompt
from tests.servers.unruly import Unruly, completion, in_turn, unruly
from upheld.edge.openai.llm import OpenAILLM
from upheld.edge.openai.schema_prompt import ignores_schema, unfenced, with_schema
from upheld.edge.openai.strict_schema import strict_schema
from upheld.errors import BudgetExceededError, LLMOutputError
from upheld.ports import Message, Sampling
from upheld.run.budget import Budget
from upheld.run.calls import generate
from upheld.run.trace import start_run

ASK = (Message("system", "Be brief."), Message("user", "Name a colour."))


class Colour(BaseModel):
    name: str
    sure: Annotated[float, Field(ge=0, le=1)] = 1.0


GREEN = '{"name": "green", "sure": 0.5}'


def choice(text: str, finish: str = "stop", refusal: str | None = None) -> Choice:
    message = ChatCompletionMessage(role="assistant", content=text, refusal=refusal)
    return Choice.model_construct(finish_reason=finish, index=0, message=message, logprobs=None)


def opened(server: Unruly) -> OpenAILLM:
    return OpenAILLM(server.url, "m")


# --- what is recognised --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        PROSE,
        '{"colour": "green"}',
        '{"name": ["green"], "sure": 0.5}',
        "[1, 2]",
        "42",
        '"green"',
        f"```json\n{GREEN}\n```",
        f"Here it is: {GREEN}",
        f"{GREEN} I hope this helps.",
        "{name: green}",
    ],
)
def test_prose_and_other_shapes_are_recognised(text: str) -> None:
    assert ignores_schema([choice(text)], Colour)
    assert ignores_schema([choice(text, "length")], Colour)


@pytest.mark.parametrize(
    "said",
    [
        choice(GREEN),
        choice('{"name": "gre', "length"),  # cut off, as any server may
        choice('{"name": "gre'),
        choice('{"name": "green", '),
        choice('{"'),
        choice("{"),
        choice(""),
        choice(" \n"),
        choice('{"name": "green", "sure": 7}'),  # the shape is right, and a bound is not kept
        choice(PROSE, "content_filter"),
        choice(PROSE, refusal="no"),
    ],
)
def test_replies_that_a_decoder_bound_to_the_schema_may_give_are_not(said: Choice) -> None:
    assert not ignores_schema([said], Colour)


def test_one_sample_that_fits_is_enough() -> None:
    assert not ignores_schema([choice(PROSE), choice(GREEN)], Colour)
    assert not ignores_schema([], Colour)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        (GREEN, GREEN),
        (f"```json\n{GREEN}\n```", GREEN),
        (f" ```\n{GREEN}```\n", GREEN),
        ("```", ""),
        (f"Here:\n```\n{GREEN}\n```", f"Here:\n```\n{GREEN}\n```"),
    ],
)
def test_a_fence_around_the_whole_reply_is_taken_off(text: str, inside: str) -> None:
    assert unfenced(text) == inside


def test_the_schema_comes_last_so_that_a_prefix_stays_cached() -> None:
    *before, last = with_schema(ASK, Colour)
    assert before == [ASK[0]]
    assert last.role == "user"
    assert last.content.startswith(ASK[1].content)
    assert json.loads(last.content.rpartition("\n")[2]) == strict_schema(Colour)


# --- what is done about it -----------------------------------------------------------------------


@pytest.mark.parametrize("otherwise", [PROSE, '{"colour": "green"}', f"```\n{GREEN}\n```"])
async def test_it_is_asked_once_more_and_remembered(otherwise: str) -> None:
    async with unruly(free_form(lambda _: json.loads(GREEN), otherwise)) as server:
        llm = opened(server)
        with start_run() as run:
            first = await generate(llm, "write", ASK, Colour)
        with start_run() as later:
            second = await generate(llm, "write", ASK, Colour)
        await llm.close()
    assert first.value.name == second.value.name == "green"
    assert (first.usage.requests, second.usage.requests) == (2, 1)
    assert first.usage.tokens == 30, "the reply that was of no use is paid for, too"
    stated = [schema_in_prompt(each) is not None for each in server.completions]
    assert stated == [False, True, True]
    assert all("response_format" in each.body for each in server.completions)
    for each in (run, later):
        [note] = each.degraded
        assert "response_format" in note
        assert "127.0.0.1" not in note
        assert each.meter.reserved_calls == each.meter.reserved_tokens == 0


async def test_a_server_that_keeps_to_the_schema_is_asked_once() -> None:
    async with unruly(in_turn(completion(GREEN))) as server:
        llm = opened(server)
        with start_run() as run:
            for question in "abc":
                await generate(llm, "write", (Message("user", question),), Colour)
        await llm.close()
    assert len(server.completions) == run.meter.used.requests == 3
    assert not any(schema_in_prompt(each) for each in server.completions)
    assert run.degraded == []


async def test_several_samples_are_asked_for_again_together() -> None:
    async with unruly(free_form(lambda _: json.loads(GREEN))) as server:
        llm = opened(server)
        reply = await llm.generate(ASK, Colour, Sampling(samples=4, temperature=1.0))
        await llm.close()
    assert [each.value.name for each in reply.generations] == ["green"] * 4
    assert reply.usage.requests == 2
    assert [each.body["n"] for each in server.completions] == [4, 4]


async def test_calls_at_once_each_get_their_answer() -> None:
    async with unruly(free_form(lambda _: json.loads(GREEN))) as server:
        llm = opened(server)
        replies = await asyncio.gather(*(llm.generate(ASK, Colour) for _ in range(6)))
        await llm.close()
    assert {reply.value.name for reply in replies} == {"green"}
    assert len(server.completions) <= 12


async def test_a_second_reply_of_another_shape_is_an_error_with_its_cost() -> None:
    async with unruly(in_turn(completion(PROSE))) as server:
        llm = opened(server)
        with start_run() as run, pytest.raises(LLMOutputError, match="does not fit") as caught:
            await generate(llm, "write", ASK, Colour)
        with pytest.raises(LLMOutputError):
            await llm.generate(ASK, Colour)
        await llm.close()
    assert caught.value.usage.requests == run.meter.used.requests == 2
    assert len(server.completions) == 3, "it is not tried without the schema again"
    assert any("response_format" in note for note in run.degraded)


@pytest.mark.parametrize("budget", [Budget(llm_calls=1), Budget(tokens=700)])
async def test_without_a_budget_for_it_there_is_no_second_request(budget: Budget) -> None:
    async with unruly(free_form(lambda _: json.loads(GREEN))) as server:
        llm = opened(server)
        with start_run(budget) as run, pytest.raises(LLMOutputError):
            await generate(llm, "write", ASK, Colour)
        assert len(server.completions) == run.meter.used.requests == 1
        assert run.meter.used.tokens == 15
        with start_run(Budget(tokens=600)) as run, pytest.raises(BudgetExceededError):
            await generate(llm, "write", ASK, Colour)  # what is stated in the prompt counts
        assert run.meter.reserved_tokens == 0
        await llm.close()


async def test_a_cut_off_reply_is_not_asked_for_again() -> None:
    async with unruly(in_turn(completion('{"name": "gre', finish="length"))) as server:
        llm = opened(server)
        with pytest.raises(LLMOutputError, match="cut off"):
            await llm.generate(ASK, Colour)
        await llm.close()
    assert len(server.completions) == 1
