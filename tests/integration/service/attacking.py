"""Ways to send what is meant to stop a service, and how it ended.

Every attack is made at a size: `1.0` is the largest that the limits let in, or beyond them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

DEADLINE = 1.0  # seconds that each request gives its answer
LATE = 0.5  # how much longer it may take to end
REFUSED = range(400, 500)
JSON = {"Content-Type": "application/json"}
TEXT = "The lighthouse opens at nine."


@dataclass(frozen=True, slots=True)
class Target:
    """A service under attack, with a key of one tenant."""

    url: str
    key: str

    @property
    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def client(self) -> httpx2.AsyncClient:
        return httpx2.AsyncClient(base_url=self.url, headers=self.authorization, timeout=60)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        parts = urlsplit(self.url)
        return await asyncio.open_connection(parts.hostname, parts.port)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attack ended; `seconds` is that of its slowest request."""

    status: int
    seconds: float


Run = Callable[[Target, float], Coroutine[Any, Any, Outcome]]


@dataclass(frozen=True, slots=True)
class Attack:
    """One way to hurt; `most` is what its slowest request may take."""

    name: str
    run: Run
    most: float = DEADLINE + LATE
    in_gate: bool = True  # whether there is time for it in every run of the tests


# --- ways to send --------------------------------------------------------------------------------


async def sent(target: Target, method: str, path: str, **more: Any) -> Outcome:
    async with target.client() as client:
        return await sent_by(client, method, path, **more)


async def sent_by(client: httpx2.AsyncClient, method: str, path: str, **more: Any) -> Outcome:
    began = time.monotonic()
    try:
        status = (await client.request(method, path, **more)).status_code
    except httpx2.TransportError:
        status = 0  # no reply at all
    return Outcome(status, time.monotonic() - began)


def verifies(
    answer: Callable[[float], str] | str, *sources: Callable[[float], str] | str, times: int = 1
) -> Run:
    """An answer against sources, whose texts grow with the size."""

    async def run(target: Target, size: float) -> Outcome:
        def text(made: Callable[[float], str] | str) -> str:
            return made if isinstance(made, str) else made(size)

        budget = {"seconds": DEADLINE}
        body = {"answer": text(answer), "sources": [*map(text, sources)], "budget": budget}
        content = json.dumps(body).encode()
        async with target.client() as client:
            sending = (
                sent_by(client, "POST", "/v1/verify", content=content, headers=JSON)
                for _ in range(times)
            )
            ended = await asyncio.gather(*sending)
        return worst(ended)

    return run


def posts(path: str, body: Callable[[float], bytes], headers: dict[str, str] = JSON) -> Run:
    async def run(target: Target, size: float) -> Outcome:
        return await sent(target, "POST", path, content=body(size), headers=headers)

    return run


def uploads(name: str, kind: str, data: Callable[[float], bytes]) -> Run:
    """A document, and then the job that reads it; the job may take as long as it takes."""

    async def run(target: Target, size: float) -> Outcome:
        path = f"/v1/collections/attacked/documents/{name.replace(' ', '-')}"
        async with target.client() as client:
            content, headers = data(size), {"Content-Type": kind}
            began = time.monotonic()
            reply = await client.put(path, content=content, headers=headers)
            seconds = time.monotonic() - began
            if reply.status_code == 202:
                job = reply.json()["job"]
                async with asyncio.timeout(240):
                    while await _status(client, job) in ("todo", "doing"):  # noqa: ASYNC110
                        await asyncio.sleep(0.2)
            return Outcome(reply.status_code, seconds)

    return run


async def _status(client: httpx2.AsyncClient, job: int) -> str:
    reply = await client.get(f"/v1/jobs/{job}")
    return str(reply.json().get("status", "")) if reply.status_code == 200 else "doing"


def worst(ended: list[Outcome]) -> Outcome:
    return Outcome(max(each.status for each in ended), max(each.seconds for each in ended))


def repeated(unit: str, length: int) -> Callable[[float], str]:
    return lambda size: (unit * (round(length * size) // len(unit) + 1))[: round(length * size)]


def asks(question: Callable[[float], str], **more: Any) -> Run:
    def body(size: float) -> bytes:
        budget = {"seconds": DEADLINE}
        return json.dumps({"question": question(size), "budget": budget, **more}).encode()

    return posts("/v1/answers", body)


def padded(head: bytes, unit: bytes, tail: bytes, length: int = 9_900_000) -> Any:
    return lambda size: head + unit * (round(length * size) // len(unit)) + tail


# --- those that are more than a body --------------------------------------------------------------


async def small_chunks(target: Target, size: float) -> Outcome:
    """A body of chunks of one byte each, as fast as they are taken."""
    reader, writer = await target.connect()
    began = time.monotonic()
    writer.write(
        f"POST /v1/verify HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {target.key}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    )
    writer.write(b"1\r\n[\r\n" * round(100_000 * size) + b"0\r\n\r\n")
    return await _read_reply(reader, writer, began)


async def small_chunks_of_strangers(target: Target, size: float) -> Outcome:
    return await small_chunks(Target(target.url, "uph_nobody"), size)


async def half_a_body(target: Target, size: float) -> Outcome:
    """Many requests that declare a body, send a bit of it and leave; the next one is served."""
    head = (
        f"POST /v1/verify HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {target.key}\r\n"
        "Content-Type: application/json\r\nContent-Length: 9000000\r\n\r\n"
    )
    open_ = []
    for _ in range(round(100 * size)):
        _, writer = await target.connect()
        writer.write(head.encode() + b'{"answer": "')
        open_.append(writer)
    for writer in open_:
        writer.close()
        await writer.wait_closed()
    small = {"answer": TEXT, "sources": [TEXT], "budget": {"seconds": DEADLINE}}
    return await sent(target, "POST", "/v1/verify", json=small)


async def slow_reader(target: Target, size: float) -> Outcome:
    """A stream that nobody reads, until the deadline; then it is read."""
    reader, writer = await target.connect()
    body = json.dumps(
        {
            "question": "When does it open?",
            "collection": "staff",
            "stream": True,
            "budget": {"seconds": DEADLINE},
        }
    )
    began = time.monotonic()
    writer.write(
        f"POST /v1/answers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {target.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        f"Connection: close\r\n\r\n{body}".encode()
    )
    await asyncio.sleep(DEADLINE * size)
    return await _read_reply(reader, writer, began)


async def leaving(target: Target, size: float) -> Outcome:
    """Costly checks whose clients leave at once; the next one is served in time."""
    answer, source = "The lighthouse has 199 steps. " * 100, f"{TEXT} " * 15_000
    body = {"answer": answer, "sources": [source] * 8, "budget": {"seconds": 60}}
    content = json.dumps(body).encode()
    for _ in range(round(8 * size) or 1):
        sending = asyncio.create_task(
            sent(target, "POST", "/v1/verify", content=content, headers=JSON)
        )
        await asyncio.sleep(0.3)
        sending.cancel()
        await asyncio.wait((sending,))
    small = {"answer": TEXT, "sources": [TEXT], "budget": {"seconds": DEADLINE}}
    return await sent(target, "POST", "/v1/verify", json=small)


async def _read_reply(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, began: float
) -> Outcome:
    async with asyncio.timeout(60):
        line = await reader.readline()
        seconds = time.monotonic() - began
        writer.close()
        await asyncio.wait((asyncio.ensure_future(writer.wait_closed()),))
        return Outcome(int(line.split()[1]), seconds)
