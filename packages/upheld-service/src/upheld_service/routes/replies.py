"""Replies: the JSON that the command line prints, whole or as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import suppress
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from fastapi.sse import EventSourceResponse, format_sse_event
from starlette.types import Receive, Scope, Send

from upheld._internal.to_json import to_json
from upheld.check import CheckedAnswer
from upheld.errors import UpheldError
from upheld.types import Event, Evidence, Hit
from upheld_service.answering import Body, Progress
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
NAMES = (*dict.fromkeys(EVENTS.values()), "claim", "claim_revised", "final", "error")
MOST_PASSAGES = 50  # of one event

Work = Callable[[Progress], Awaitable[Body]]
Later = Callable[[], Awaitable[Body]]  # data that is made when it is sent
Counted = Callable[[int, int], None]  # claims that were sent early, and those that changed
Visible = Callable[[Collection[str]], Awaitable[set[str]]]  # of documents, those to be shown
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

    queue: asyncio.Queue[tuple[str, Body | Later] | None] = field(default_factory=asyncio.Queue)
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, item: tuple[str, Body | Later] | None) -> None:
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


async def _none(_ids: Collection[str]) -> set[str]:
    return set()


async def stream(
    request: Request,
    work: Work,
    encode: Encode | None = None,
    visible: Visible = _none,
    counted: Counted | None = None,
) -> AnswerStream:
    """Start the work, and return the response once it has begun without an error."""
    items = Items()
    running = asyncio.create_task(_run(work, items, visible, counted))
    try:
        await while_there(request, _begun(items))
        if running.done():
            running.result()  # raises its error
        return AnswerStream(running, _encoded(running, items, encode or _event))
    except BaseException:
        await _stop(running)
        raise


def last_events(body: Body, sent: Sequence[Body] = ()) -> list[tuple[str, Body]]:
    """Return the end of a stream: what became of claims that were sent, the rest, the answer."""
    claims = body["claims"]
    events: list[tuple[str, Body]] = []
    for number, before in enumerate(sent, start=1):
        after = claims[number - 1] if number <= len(claims) else None
        if after != before:
            events.append(("claim_revised", {"number": number, "claim": after}))
    events += [("claim", claim) for claim in claims[len(sent) :]]
    return [*events, ("final", body)]


async def _run(
    work: Work, items: Items, visible: Visible = _none, counted: Counted | None = None
) -> None:
    sent: list[Body] = []

    def heard(stage: str, event: Event | None, found: Mapping[str, Any]) -> None:
        if name := EVENTS.get(stage):
            items.put((name, partial(_told, stage, event, found, visible)))

    def on_claim(claim: Body) -> None:
        sent.append(claim)
        items.put(("claim", claim))

    try:
        rest = last_events(await work(Progress(heard, on_claim)), sent)
        for item in rest:
            items.put(item)
        if counted is not None:
            counted(len(sent), sum(name == "claim_revised" for name, _ in rest))
    finally:
        items.put(None)


async def _told(
    stage: str, event: Event | None, found: Mapping[str, Any], visible: Visible
) -> Body:
    """Return the data of a stage: not its note, and of passages only where they are."""
    told: Body = {"stage": stage}
    if event is not None:
        told |= {"seconds": event.seconds, "usage": to_json(event.usage)}
    for name, value in found.items():
        if isinstance(value, Evidence):
            with suppress(UpheldError):  # progress: what fails here must not end the answer
                told["passages"] = await _passages(value.hits[:MOST_PASSAGES], visible)
        else:
            told[name] = to_json(value)
    return told


async def _passages(hits: Sequence[Hit], visible: Visible) -> list[Body]:
    seen = await visible({hit.passage.document_id for hit in hits})
    return [
        {
            "document_id": hit.passage.document_id,
            "title": hit.passage.title,
            "start": hit.passage.start,
            "end": hit.passage.end,
            "score": hit.score,
            "relevance": hit.relevance,
        }
        for hit in hits
        if hit.passage.document_id in seen
    ]


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
        name, data = item
        if encoded := encode(name, seq, data if isinstance(data, dict) else await data()):
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
