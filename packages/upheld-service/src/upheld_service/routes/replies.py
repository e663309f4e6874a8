"""Replies: the JSON that the command line prints, whole or as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, format_sse_event
from starlette.types import Receive, Scope, Send

from upheld._internal.to_json import to_json
from upheld.check import CheckedAnswer
from upheld.run.trace import Listener
from upheld.types import Event
from upheld_service.answering import Body
from upheld_service.http.connections import while_there
from upheld_service.http.problems import problem_of, tell

OFF_LOOP_CLAIMS = 30  # more than these take over a millisecond


def as_json(value: Any, status: int = 200) -> JSONResponse:
    """Return one object as JSON; its route declares the schema."""
    return JSONResponse(to_json(value), status)


async def rendered(checked: CheckedAnswer) -> Response:
    """Return a checked answer as JSON, in a thread if it has many claims (up to ten thousand)."""
    if len(checked.claims) <= OFF_LOOP_CLAIMS:
        return as_json(checked)
    content = await asyncio.to_thread(lambda: b"".join(_pieces(checked)))
    return Response(content, media_type="application/json")


def _pieces(checked: CheckedAnswer) -> Iterator[bytes]:
    """Yield JSON claim by claim: one call for all would hold the interpreter lock to the end."""
    yield b"{"
    for number, each in enumerate(fields(checked)):
        yield f"{',' if number else ''}{json.dumps(each.name)}:".encode()
        value = getattr(checked, each.name)
        if isinstance(value, tuple):
            yield b"["
            for index, entry in enumerate(value):
                yield (b"," if index else b"") + _as_bytes(entry)
            yield b"]"
        else:
            yield _as_bytes(value)
    yield b"}"


def _as_bytes(value: Any) -> bytes:
    # The same separators as Starlette's JSONResponse.
    separators = (",", ":")
    text = json.dumps(to_json(value), ensure_ascii=False, allow_nan=False, separators=separators)
    return text.encode()


KEEP_ALIVE_SECONDS = 15.0
# A failure earlier than this is reported by a status code, not by an event.
FIRST_SECONDS = 2.0
SEND_SECONDS = 10.0  # for the rest of a stream once the answer is complete

# Event names by stage of the trace; a stage that is not here is a detail of another.
EVENTS = {
    "standalone": "plan",
    "plan": "plan",
    "next_question": "plan",
    "rewrite": "plan",
    "revise": "plan",
    "search": "search",
    "web_search": "search",
    "grade": "grade",
    "rerank": "grade",
    "action": "grade",
    "select": "grade",
    "write": "draft",
    "short_answer": "draft",
    "repair": "repair",
    "refine": "repair",
    "restate": "repair",
}
NAMES = (*dict.fromkeys(EVENTS.values()), "claim", "final", "error")

Work = Callable[[Listener], Awaitable[Body]]
Encode = Callable[[str, int, Body], bytes]  # an event with its number; empty to leave it out


def event_schema(*names: str) -> dict[str, Any]:
    """Return the OpenAPI schema of one event: JSON as text, under a name if it has one."""
    fields: dict[str, Any] = {"data": {"type": "string"}}
    if names:
        fields |= {"event": {"enum": list(names)}, "id": {"type": "string"}}
    return {"itemSchema": {"type": "object", "properties": fields, "required": sorted(fields)}}


@dataclass(frozen=True, slots=True)
class Items:
    """Events between the run and the client; None is the end."""

    queue: asyncio.Queue[tuple[str, Body] | None] = field(default_factory=asyncio.Queue)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, item: tuple[str, Body] | None) -> None:
        self.queue.put_nowait(item)
        self.begun.set()


class AnswerStream(EventSourceResponse):
    """Events of a run in progress; the run is cancelled with the response."""

    def __init__(self, running: asyncio.Task[None], events: AsyncIterator[bytes]) -> None:
        super().__init__(events, headers={"Cache-Control": "no-store"})
        self._running = running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.create_task(super().__call__(scope, receive, send))
        try:
            await asyncio.wait((sending, self._running), return_when=asyncio.FIRST_COMPLETED)
            # The answer is complete: a client that does not read it must not hold its place for
            # long.
            await asyncio.wait((sending,), timeout=SEND_SECONDS)
            if sending.done():
                sending.result()
        finally:
            await _stop(sending)
            await _stop(self._running)


async def stream(request: Request, work: Work, encode: Encode | None = None) -> AnswerStream:
    """Start the work, and return the response once it has begun without an error."""
    items = Items()
    running = asyncio.create_task(_run(work, items))
    try:
        await while_there(request, _begun(items))
        if running.done():
            running.result()  # raises its error
        return AnswerStream(running, _encoded(running, items, encode or _event))
    except BaseException:
        await _stop(running)
        raise


def last_events(body: Body) -> list[tuple[str, Body]]:
    """Return the end of a stream: the final claims, then the whole answer."""
    return [*(("claim", claim) for claim in body["claims"]), ("final", body)]


async def _run(work: Work, items: Items) -> None:
    def heard(event: Event) -> None:
        if name := EVENTS.get(event.stage):
            # Without the note, which may contain unverified words.
            told = {"stage": event.stage, "seconds": event.seconds, "usage": to_json(event.usage)}
            items.put((name, told))

    try:
        for item in last_events(await work(heard)):
            items.put(item)
    finally:
        items.put(None)


async def _begun(items: Items) -> None:
    """Wait until there is something to send, or no failure for a while."""
    with suppress(TimeoutError):
        async with asyncio.timeout(FIRST_SECONDS):
            await items.begun.wait()


async def _encoded(
    running: asyncio.Task[None], items: Items, encode: Encode
) -> AsyncIterator[bytes]:
    seq = 0
    while True:
        try:
            item = await asyncio.wait_for(items.queue.get(), KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield format_sse_event(comment="still here")
            continue
        if item is None:
            break
        seq += 1
        if encoded := encode(item[0], seq, item[1]):
            yield encoded
    await asyncio.wait((running,))
    error = None if running.cancelled() else running.exception()
    if isinstance(error, Exception):
        tell(error)
        yield encode("error", seq + 1, problem_of(error).model_dump())


def _event(name: str, seq: int, data: Body) -> bytes:
    text = json.dumps({"seq": seq, **data}, ensure_ascii=False, allow_nan=False)
    return format_sse_event(event=name, data_str=text, id=str(seq))


async def _stop(running: asyncio.Task[None]) -> None:
    running.cancel()  # no effect on a task that is done
    await asyncio.wait((running,))
    if not running.cancelled():
        running.exception()  # already reported, or the client is gone
