"""Streams of `OpenAILLM`, and what it must never show."""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from pydantic import SecretStr

from tests.servers.unruly import Response, Unruly, completion, in_turn, refused, unruly
from tests.unit.edge.test_openai_llm import ASK, KEY, OK, Colour, ask, quick
from upheld.edge.openai.llm import OpenAILLM
from upheld.errors import LLMError, LLMOutputError, LLMRejectedError, LLMUnavailableError
from upheld.run.calls import generate
from upheld.run.trace import start_run

# --- streams -------------------------------------------------------------------------------------


def events(*chunks: dict[str, Any], done: bool = True) -> Response:
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    raw = "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()
    return Response(raw=raw, headers={"content-type": "text/event-stream"})


def delta(text: str | None, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
    return {"id": "1", "object": "chat.completion.chunk", "created": 1, "choices": [choice]}


COST = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}}


async def streamed(server: Unruly) -> str:
    llm = OpenAILLM(server.url, "m", SecretStr(KEY), retry=quick())
    try:
        return "".join([piece async for piece in llm.stream(ASK)])
    finally:
        await llm.close()


async def test_a_stream_is_tried_again_before_its_first_piece_and_counted() -> None:
    stream = events(delta("gre"), delta("en"), delta(None, "stop"), {**delta(""), **COST})
    async with unruly(in_turn(refused(503, "down"), stream)) as server:
        with start_run() as run:
            assert await streamed(server) == "green"
    assert server.requests[-1].body["stream_options"] == {"include_usage": True}
    assert run.meter.used.requests == 2
    assert run.meter.used.tokens == 5


class Watcher:
    def __init__(self) -> None:
        self.stages: list[str] = []
        self.texts: list[str] = []

    def began(self, stage: str) -> None:
        self.stages.append(stage)

    def wrote(self, text: str) -> None:
        self.texts.append(text)


PIECES = ('{"name": ', '"gre', 'en"}')


async def test_who_watches_a_run_sees_what_is_written_as_it_is() -> None:
    stream = events(*map(delta, PIECES), delta(None, "stop"), {**delta(""), **COST})
    async with unruly(in_turn(stream)) as server:
        with start_run(watch=(watcher := Watcher())) as run:
            llm = OpenAILLM(server.url, "m", retry=quick())
            reply = await generate(llm, "write", ASK, Colour)
            await llm.close()
    assert reply.generations[0].value.name == "green"
    assert watcher.stages == ["write"]
    assert watcher.texts == ['{"name": ', '{"name": "gre', '{"name": "green"}']
    assert server.completions[0].body["response_format"]["type"] == "json_schema"
    assert (run.meter.used.requests, run.meter.used.tokens) == (1, 5)


@pytest.mark.parametrize("answer", [OK, refused(400, "stream is not supported")])
async def test_a_server_that_does_not_stream_is_asked_without(answer: Response) -> None:
    async with unruly(in_turn(answer, OK)) as server:
        with start_run(watch=(watcher := Watcher())):
            llm = OpenAILLM(server.url, "m", retry=quick())
            assert (await generate(llm, "write", ASK, Colour)).generations[0].value.name == "green"
            await llm.close()
    assert ["stream" in each.body for each in server.completions] == [True, False]
    assert watcher.texts == []


async def test_without_a_listener_nothing_is_streamed() -> None:
    async with unruly(in_turn(OK)) as server:
        await ask(server)
    assert "stream" not in server.completions[0].body


async def test_a_stream_without_usage_is_estimated() -> None:
    async with unruly(in_turn(events(delta("green")))) as server:
        with start_run() as run:
            await streamed(server)
    assert run.meter.used.tokens > 0


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (events(delta("gre"), {"error": {"message": "out of memory"}}), LLMUnavailableError),
        (events(delta("", "content_filter")), LLMRejectedError),
        (refused(401, "key"), LLMRejectedError),
        (OK, LLMOutputError),  # a server that does not stream
    ],
)
async def test_a_stream_that_fails_raises_our_errors(
    answer: Response, error: type[LLMError]
) -> None:
    async with unruly(in_turn(answer)) as server:
        with pytest.raises(error):
            await streamed(server)


# --- secrets -------------------------------------------------------------------------------------

ECHO = f"Incorrect API key provided: {KEY}."


@pytest.mark.parametrize("act", [ask, streamed])
@pytest.mark.parametrize(
    "answer",
    [
        refused(401, ECHO),
        refused(400, "x" * 290 + ECHO),
        refused(404, ECHO),
        refused(500, ECHO),
        completion(ECHO),
        completion("", refusal=ECHO),
        Response(raw=ECHO.encode()),
    ],
)
async def test_the_key_is_in_no_error_and_no_log(
    act: Callable[[Unruly], Awaitable[object]],
    answer: Response,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    async with unruly(in_turn(answer)) as server:
        with start_run() as run, pytest.raises(LLMError) as caught:
            await act(server)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    told = "".join(traceback.format_exception(caught.value)) + caplog.text + str(run.events)
    assert KEY[:-4] not in told
    assert caught.value.__cause__ is None or KEY not in repr(caught.value.__cause__)


def test_the_key_is_not_shown() -> None:
    llm = OpenAILLM("http://user:hunter22@host:1/v1?key=x", "m", SecretStr(KEY))
    told = repr(llm) + llm.identity + repr(llm._endpoint.api_key)
    assert "m at http://host:1/v1" in told
    assert KEY not in told
    assert "hunter22" not in told


async def test_the_key_for_openai_goes_to_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with unruly(in_turn(OK)) as server:
        llm = OpenAILLM(server.url, "m")
        await llm.generate(ASK, Colour)
        await llm.close()
    assert KEY not in str(server.requests)
