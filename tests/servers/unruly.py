"""A real HTTP server on loopback that answers as badly as it is told to."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Response:
    """What to answer; a body of None hangs, a status of 0 resets the connection."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None


HANG = Response(status=-1)
RESET = Response(status=0)


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]


Handler = Callable[[Request], Response]


@dataclass
class Unruly:
    """The server's address, what it was asked, and what it will answer."""

    handler: Handler
    url: str = ""
    requests: list[Request] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    gate: asyncio.Event | None = None  # when set, completions wait for it

    @property
    def completions(self) -> list[Request]:
        return [each for each in self.requests if each.path.endswith("/chat/completions")]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                self.arrived.set()
                try:
                    if self.gate is not None:
                        await self.gate.wait()
                    if not await _answer(self.handler(request), writer):
                        return
                finally:
                    self.at_once -= 1
        except (ConnectionError, asyncio.IncompleteReadError):
            return  # the client has gone
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(first.split()[1], headers, json.loads(body) if body else {})


async def _answer(response: Response, writer: asyncio.StreamWriter) -> bool:
    """Whether the connection may serve another request."""
    if response is HANG:
        await asyncio.Event().wait()
    if response is RESET:
        linger = struct.pack("ii", 1, 0)  # close with RST instead of FIN
        sock: socket.socket = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        return False
    raw = response.raw if response.raw is not None else json.dumps(response.body).encode()
    headers = {
        "content-type": "application/json",
        "content-length": str(len(raw)),
        **response.headers,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {response.status} X\r\n{lines}\r\n".encode() + raw)
    await writer.drain()
    return True


@asynccontextmanager
async def unruly(handler: Handler) -> AsyncIterator[Unruly]:
    """Serve until the block ends; hanging answers end with it."""
    state = Unruly(handler)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(state.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    state.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield state
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def in_turn(*responses: Response) -> Handler:
    """Answer with each in turn, then with the last one for ever."""
    left = list(responses)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def completion(*texts: str, finish: str = "stop", usage: Any = True, **message: Any) -> Response:
    """A chat completion with these choices."""
    choices = [
        {
            "index": index,
            "finish_reason": finish,
            "message": {"role": "assistant", "content": text, **message},
        }
        for index, text in enumerate(texts)
    ]
    body: dict[str, Any] = {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": choices,
    }
    if usage is True:
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if usage:
        body["usage"] = usage
    return Response(body=body)


def refused(
    status: int, message: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """An error body as OpenAI-compatible servers write it."""
    return Response(status, {"error": {"message": message, **more}}, headers or {})
