"""How `OpenAILLM` meets servers that misbehave: real HTTP, on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from tests.servers.unruly import (
    HANG,
    RESET,
    Request,
    Response,
    Unruly,
    completion,
    in_turn,
    refused,
    unruly,
)
from upheld._internal import concurrency
from upheld._internal.concurrency import while_waiting
from upheld.edge.openai.llm import OpenAILLM
from upheld.edge.openai.retry import Retry, RetryBudget
from upheld.errors import (
    BudgetExceededError,
    LLMOutputError,
    LLMRejectedError,
    LLMTimeoutError,
    LLMUnavailableError,
)
from upheld.ports import Message, Reply, Sampling
from upheld.run.budget import Budget
from upheld.run.calls import generate
from upheld.run.trace import start_run

KEY = "sk-very-secret-0123456789"
ASK = (Message("user", "Name a colour."),)


class Colour(BaseModel):
    name: str


GREEN = '{"name": "green"}'
OK = completion(GREEN)


def quick() -> Retry:
    return Retry(first_pause=0.001, longest_pause=0.002)


async def ask(
    server: Unruly | str, sampling: Sampling = Sampling(), **options: Any
) -> Reply[Colour]:
    url = server if isinstance(server, str) else server.url
    options.setdefault("retry", quick())
    llm = OpenAILLM(url, "m", SecretStr(KEY), **options)
    try:
        return await llm.generate(ASK, Colour, sampling)
    finally:
        await llm.close()


# --- trying again --------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [RESET, *(refused(s, "no") for s in (408, 409, 429, 500, 503))])
async def test_passing_failures_are_tried_again_and_counted(failure: Response) -> None:
    async with unruly(in_turn(failure, failure, OK)) as server:
        reply = await ask(server)
    assert reply.value.name == "green"
    assert len(server.requests) == reply.usage.requests == 3
    assert reply.usage.completions == 1


@pytest.mark.parametrize("status", [400, 401, 403, 413, 422])
async def test_lasting_failures_are_not_tried_again(status: int) -> None:
    async with unruly(in_turn(refused(status, "no"), OK)) as server:
        with pytest.raises(LLMRejectedError, match=rf"refused \({status}\)") as caught:
            await ask(server)
    assert caught.value.detail == f"{server.url}: no"  # for whoever runs it
    assert caught.value.address == server.url
    assert server.url not in str(caught.value)  # for whoever asks
    assert len(server.requests) == 1


async def test_an_empty_account_is_not_tried_again() -> None:
    async with unruly(in_turn(refused(429, "pay", code="insufficient_quota"), OK)) as server:
        with pytest.raises(LLMRejectedError, match="429") as caught:
            await ask(server)
    assert "pay" in caught.value.detail
    assert len(server.requests) == 1


async def test_retry_after_is_honoured() -> None:
    async with unruly(in_turn(refused(429, "slow", {"retry-after": "0.3"}), OK)) as server:
        with start_run() as run:
            await ask(server)
    (retry,) = [event for event in run.events if event.stage == "retry"]
    assert 0.29 <= retry.seconds < 2
    assert "429" in retry.note


async def test_no_waiting_past_the_deadline() -> None:
    async with unruly(in_turn(refused(429, "slow", {"retry-after": "60"}), OK)) as server:
        with start_run(Budget(seconds=5)) as run, pytest.raises(LLMUnavailableError) as caught:
            await ask(server)
    assert run.meter.seconds_left > 3
    assert caught.value.retry_after == 60


async def test_retries_count_against_the_budget_of_calls() -> None:
    async with unruly(in_turn(refused(503, "down"))) as server:
        llm = OpenAILLM(server.url, "m", retry=quick())
        with start_run(Budget(llm_calls=2)) as run, pytest.raises(LLMUnavailableError):
            await generate(llm, "write", ASK, Colour)
        await llm.close()
    assert len(server.requests) == run.meter.used.requests == 2
    assert run.meter.reserved_calls == run.meter.reserved_tokens == 0


async def test_a_dead_server_is_not_hammered() -> None:
    retry = Retry(first_pause=0.001, longest_pause=0.001, budget=RetryBudget(reserve=5))
    async with unruly(in_turn(refused(503, "down"))) as server:
        llm = OpenAILLM(server.url, "m", retry=retry)
        for _ in range(50):
            with pytest.raises(LLMUnavailableError):
                await llm.generate(ASK, Colour)
        await llm.close()
    retries = len(server.requests) - 50
    assert 5 <= retries <= 5 + 0.2 * 50


def test_pauses_grow_are_jittered_and_bounded() -> None:
    retry = Retry(first_pause=1, longest_pause=4)
    for attempt, most in ((1, 1), (2, 2), (3, 4), (9, 4)):
        pauses = [retry.pause(attempt, None) for _ in range(200)]
        assert 0 <= min(pauses) < most / 4
        assert most * 3 / 4 < max(pauses) <= most
    assert retry.pause(1, 7) >= 7


# --- time ----------------------------------------------------------------------------------------


async def test_a_server_that_hangs_times_out() -> None:
    async with unruly(in_turn(HANG)) as server:
        with pytest.raises(LLMUnavailableError, match="did not answer in time"):
            await ask(server, timeout=0.05, retry=Retry(attempts=1))


async def test_a_server_that_stalls_costs_the_timeout_once() -> None:
    """Neither is the call repeated, nor do calls after it, or those that wait for a place, wait."""
    async with unruly(in_turn(HANG)) as server:
        llm = OpenAILLM(server.url, "m", retry=quick(), timeout=0.3, concurrency=2)
        with start_run() as run:
            failed = await asyncio.gather(
                *(generate(llm, "write", (Message("user", each),), Colour) for each in "abcdef"),
                return_exceptions=True,
            )
            with pytest.raises(LLMTimeoutError, match="did not answer in time"):
                await generate(llm, "write", ASK, Colour)
        assert [type(each) for each in failed] == [LLMTimeoutError] * 6
        assert len(server.completions) <= 2, "those that were under way"
        assert [event.stage for event in run.events] == ["write"] * 7, "no retry among them"
        with start_run() as another, pytest.raises(LLMTimeoutError):
            await generate(llm, "write", ASK, Colour)
        assert another.events[0].seconds > 0.2, "another run tries again"
        await llm.close()


async def test_a_server_that_sends_a_byte_now_and_then_is_late_too() -> None:
    ended = asyncio.Event()

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
            while not writer.is_closing():
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        writer.close()
        ended.set()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    async with server, asyncio.timeout(10):
        with pytest.raises(LLMTimeoutError):
            await ask(url, timeout=0.3)
        await ended.wait()


async def test_the_deadline_of_the_run_cuts_a_hang() -> None:
    async with unruly(in_turn(HANG)) as server:
        llm = OpenAILLM(server.url, "m", retry=quick())
        with start_run(Budget(seconds=0.2)) as run, pytest.raises(BudgetExceededError):
            await generate(llm, "write", ASK, Colour)
        await llm.close()
    assert run.meter.used.requests == 1
    assert run.meter.reserved_calls == 0


async def test_calls_at_once_are_limited() -> None:
    async with unruly(in_turn(OK)) as server:
        server.gate = asyncio.Event()
        llm = OpenAILLM(server.url, "m", concurrency=3)
        calls = asyncio.gather(*(llm.generate(ASK, Colour) for _ in range(10)))
        async with asyncio.timeout(10):
            while server.at_once < 3:
                server.arrived.clear()
                await server.arrived.wait()
        server.gate.set()
        await calls
        await llm.close()
    assert server.most_at_once == 3
    assert len(server.requests) == 10


# --- output --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (completion('{"name": "gre', finish="length"), "cut off"),
        (completion('{"name": "gre'), "does not fit Colour"),
        (completion(""), "does not fit Colour"),
        (completion(), "not as a chat completion"),
        (Response(raw=b"<html>proxy</html>"), "not as a chat completion"),
        (Response(raw=b"<html>", headers={"content-type": "text/html"}), "not as a chat"),
        (Response(body={"hello": 1}), "not as a chat completion"),
    ],
)
async def test_output_that_does_not_fit_is_an_error(answer: Response, told: str) -> None:
    async with unruly(in_turn(answer)) as server:
        with pytest.raises(LLMOutputError, match=told) as caught:
            await ask(server)
    assert len(server.requests) == caught.value.usage.requests == 1


async def test_what_a_failed_output_cost_counts_on_the_run() -> None:
    async with unruly(in_turn(completion('{"name": "x', finish="length"))) as server:
        llm = OpenAILLM(server.url, "m")
        with start_run() as run, pytest.raises(LLMOutputError):
            await generate(llm, "write", ASK, Colour)
        await llm.close()
    assert run.meter.used.tokens == 15
    assert run.events[-1].usage == run.meter.used


@pytest.mark.parametrize(
    "answer",
    [completion("", finish="content_filter"), completion("", refusal="I can't help with that")],
)
async def test_a_refusal_is_a_rejection(answer: Response) -> None:
    async with unruly(in_turn(answer)) as server:
        with pytest.raises(LLMRejectedError, match="refused to answer"):
            await ask(server)


async def test_the_schema_is_sent_strictly() -> None:
    async with unruly(in_turn(OK)) as server:
        await ask(server, Sampling(top_k=5, seed=3, logprobs=2, max_tokens=9))
        await ask(server)
    sent, plain = (each.body for each in server.requests)
    assert sent["response_format"] == {
        "type": "json_schema",
        "json_schema": {
            "name": "Colour",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
                "additionalProperties": False,
            },
        },
    }
    assert (sent["top_k"], sent["seed"], sent["max_tokens"]) == (5, 3, 9)
    assert (sent["logprobs"], sent["top_logprobs"]) == (True, 2)
    assert plain.keys().isdisjoint({"top_k", "seed", "logprobs", "top_logprobs", "n"})


# --- errors that help ----------------------------------------------------------------------------


async def test_a_server_that_is_not_there(unused_tcp_port: int) -> None:
    url = f"http://127.0.0.1:{unused_tcp_port}/v1"
    with pytest.raises(LLMUnavailableError, match="Is its server running") as caught:
        await ask(url)
    assert (caught.value.detail, caught.value.address) == (url, url)
    assert "127.0.0.1" not in str(caught.value)


async def test_an_unknown_model_names_those_that_are_there() -> None:
    def handler(request: Request) -> Response:
        if request.path == "/v1/models":
            return Response(body={"object": "list", "data": [{"id": "llama"}, {"id": "qwen"}]})
        return refused(404, "The model `m` does not exist.")

    async with unruly(handler) as server:
        with pytest.raises(LLMRejectedError, match="does not have the model 'm'") as caught:
            await ask(server)
    assert "lists these models: llama, qwen" in caught.value.detail


async def test_a_wrong_path_is_explained() -> None:
    async with unruly(in_turn(refused(404, "not found"))) as server:
        with pytest.raises(LLMRejectedError, match="end in /v1"):
            await ask(server)


async def test_a_context_that_is_too_small_is_explained() -> None:
    told = "request (6031 tokens) exceeds the available context size (4096 tokens)"
    async with unruly(in_turn(refused(400, told))) as server:
        with pytest.raises(LLMRejectedError, match="fewer passages"):
            await ask(server)


async def test_names_that_newer_models_use_are_learned_once() -> None:
    def newer(request: Request) -> Response:
        for param in ("max_tokens", "temperature"):
            if param in request.body:
                return refused(400, f"Unsupported parameter: '{param}'", param=param)
        return OK

    async with unruly(newer) as server:
        llm = OpenAILLM(server.url, "m", retry=quick())
        for _ in range(2):
            assert (await llm.generate(ASK, Colour, Sampling(max_tokens=9))).value
        await llm.close()
    assert len(server.requests) == 4
    assert server.requests[-1].body["max_completion_tokens"] == 9


async def test_bounds_that_a_server_refuses_are_left_out_from_then_on() -> None:
    class Short(BaseModel):
        name: str = Field(max_length=9)

    def strict(request: Request) -> Response:
        if "maxLength" in json.dumps(request.body):
            told = "Invalid schema for response_format 'Short': 'maxLength' is not permitted."
            return refused(400, told, param="response_format")
        return OK

    async with unruly(strict) as server:
        llm = OpenAILLM(server.url, "m", retry=quick())
        replies = [await llm.generate(ASK, Short) for _ in range(2)]
        await llm.close()
    assert [reply.usage.requests for reply in replies] == [2, 1]


async def test_a_schema_that_is_refused_for_good_is_an_error() -> None:
    async with unruly(in_turn(refused(400, "Invalid schema: too deep"))) as server:
        with pytest.raises(LLMRejectedError, match="400") as caught:
            await ask(server)
    assert "too deep" in caught.value.detail
    assert len(server.requests) == caught.value.usage.requests == 2


async def test_who_works_meanwhile_is_told_when_the_request_has_been_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(concurrency, "LATEST_SECONDS", 60)
    async with unruly(lambda _: OK) as server, asyncio.timeout(60):
        server.gate = asyncio.Event()  # it answers once the work has begun

        async def work() -> None:
            assert server.gate is not None
            server.gate.set()

        async with while_waiting(work):
            reply = await ask(server)
        assert reply.value.name == "green"
