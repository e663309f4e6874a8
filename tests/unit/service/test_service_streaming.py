"""Events on the wire: numbered, kept alive, and ended by an answer or a problem."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from starlette.types import Message

from tests.integration.service.sse import events
from upheld.errors import StorageError
from upheld.run.trace import Listener
from upheld.types import Event
from upheld_service.routes import replies as streaming
from upheld_service.routes.replies import EVENTS, Items

BODY: dict[str, Any] = {"id": "1", "claims": [{"text": "It opens at nine."}], "text": "…"}


async def sent(work: Callable[[Listener], Any]) -> str:
    items = Items()
    running = asyncio.create_task(streaming._run(work, items))
    return b"".join(
        [each async for each in streaming._encoded(running, items, streaming._event)]
    ).decode()


async def test_stages_come_without_their_notes_and_the_answer_last() -> None:
    async def work(listener: Listener) -> dict[str, Any]:
        listener(Event(1, None, "search", 0, 0.5, note="unverified words"))
        listener(Event(2, None, "embed", 0, 0.5))  # a detail of the search
        return BODY

    text = await sent(work)
    assert "unverified words" not in text
    found = events(text)
    assert [each.name for each in found] == ["search", "claim", "final"]
    assert [each.data["seq"] for each in found] == [1, 2, 3]
    assert found[-1].data == {"seq": 3, **BODY}


async def test_a_run_that_fails_on_the_way_ends_in_a_problem() -> None:
    async def work(listener: Listener) -> dict[str, Any]:
        listener(Event(1, None, "search", 0, 0.5))
        raise StorageError("s3://bucket is away")

    search, error = events(await sent(work))
    assert (search.name, error.name) == ("search", "error")
    assert (error.data["code"], error.data["status"], error.data["seq"]) == ("storage", 503, 2)
    assert "s3://" not in str(error.data)


async def test_a_long_silence_is_broken_by_comments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "KEEP_ALIVE_SECONDS", 0.01)
    go_on = asyncio.Event()

    async def work(_listener: Listener) -> dict[str, Any]:
        await go_on.wait()
        return BODY

    items = Items()
    running = asyncio.create_task(streaming._run(work, items))
    stream = streaming._encoded(running, items, streaming._event)
    assert [await anext(stream) for _ in range(2)] == [b": still here\n\n"] * 2
    go_on.set()
    rest = b"".join([each async for each in stream]).decode()
    assert [each.name for each in events(rest)] == ["claim", "final"]


async def test_who_does_not_read_is_cut_off_when_the_answer_is_complete(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streaming, "SEND_SECONDS", 0.01)
    items, go_on, begun = Items(), asyncio.Event(), asyncio.Event()

    async def work(_listener: Listener) -> dict[str, Any]:
        await go_on.wait()
        return BODY

    async def send(_message: Message) -> None:
        begun.set()
        await asyncio.Event().wait()  # nobody takes it

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    running = asyncio.create_task(streaming._run(work, items))
    encoded = streaming._encoded(running, items, streaming._event)
    reply = streaming.AnswerStream(running, encoded)
    async with asyncio.timeout(20):
        replying = asyncio.create_task(reply({"type": "http"}, receive, send))
        await begun.wait()
        assert not replying.done()  # the answer is still being made
        go_on.set()
        await replying
    assert running.done()


def test_events_have_the_names_that_are_promised() -> None:
    assert set(EVENTS.values()) == {"plan", "search", "grade", "draft", "repair"}
