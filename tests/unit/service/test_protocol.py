"""What comes from a socket is parsed a little at a time, whoever sends it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import cast

import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from upheld_service.http.patience import SlicedProtocol, Turns

CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


async def length(_scope: Scope, receive: Receive, send: Send) -> None:
    """An application that answers with the length of the body."""
    total, more = 0, True
    while more:
        message = await receive()
        total += len(message.get("body", b""))
        more = message.get("more_body", False)
    told = str(total).encode()
    headers = [(b"content-length", str(len(told)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": told})


async def refusal(_scope: Scope, _receive: Receive, send: Send) -> None:
    """One that answers before it has read anything."""
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


class Measured(SlicedProtocol):
    """Notes the longest time that the loop was held by one call."""

    longest = 0.0

    def data_received(self, data: bytes) -> None:
        began = time.thread_time()
        super().data_received(data)
        type(self).longest = max(type(self).longest, time.thread_time() - began)

    def parse_slice(self) -> None:
        began = time.thread_time()
        super().parse_slice()
        type(self).longest = max(type(self).longest, time.thread_time() - began)


@asynccontextmanager
async def serving(app: object) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to an application behind this protocol."""
    Measured.longest = 0.0
    http = cast("type[Measured]", partial(Measured, turns=Turns()))
    config = uvicorn.Config(app, http=http, log_config=None, log_level="critical")  # type: ignore[arg-type]
    config.load()
    state = ServerState()
    server = await asyncio.get_running_loop().create_server(
        lambda: config.http_protocol_class(config=config, server_state=state, app_state={}),  # type: ignore[call-arg]
        "127.0.0.1",
        0,
    )
    async with server, asyncio.timeout(60):
        reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
        try:
            yield reader, writer
        finally:
            writer.close()
            for each in list(state.connections):
                each.transport.abort()
            await asyncio.wait([*state.tasks, asyncio.ensure_future(asyncio.sleep(0))])


async def reply(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head.split()[1])
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
    return status, await reader.readexactly(int(lengths[0].split()[1])) if lengths else b""


def chunks(size: int, count: int) -> bytes:
    return b"%x\r\n%s\r\n" % (size, b"x" * size) * count + b"0\r\n\r\n"


async def test_chunks_of_one_byte_hold_nobody_up_and_are_cut_off() -> None:
    async with serving(length) as (reader, writer):
        writer.write(CHUNKED + chunks(1, 40_000))
        with suppress(ConnectionError):  # it may be cut off while it still sends
            assert (await reply(reader))[0] == 400
    assert Measured.longest < 0.1  # all at once: 1.5 s


async def test_who_was_answered_and_goes_on_is_cut_off_too() -> None:
    async with serving(refusal) as (reader, writer):
        writer.write(CHUNKED + chunks(1, 40_000))
        assert (await reply(reader))[0] == 401
        with suppress(ConnectionError):
            assert await reader.read() == b""
    assert Measured.longest < 0.1


async def test_ordinary_chunks_arrive_whole() -> None:
    for size, count in ((100, 5_000), (16_000, 30), (300_000, 3), (7, 1000)):
        async with serving(length) as (reader, writer):
            writer.write(CHUNKED + chunks(size, count))
            assert await reply(reader) == (200, str(size * count).encode())


async def test_a_body_of_known_length_arrives_whole() -> None:
    async with serving(length) as (reader, writer):
        for size in (0, 10, 8192, 5_000_000):
            head = f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode()
            writer.write(head + b"x" * size)
            assert await reply(reader) == (200, str(size).encode())


async def test_requests_in_one_piece_are_answered_one_after_another() -> None:
    one = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
    async with serving(length) as (reader, writer):
        writer.write(one * 500)
        assert [await reply(reader) for _ in range(500)] == [(200, b"3")] * 500


async def test_a_head_of_any_length_is_refused_in_time() -> None:
    head = b"GET / HTTP/1.1\r\nHost: x\r\n" + b"a: b\r\n" * 40_000
    async with serving(length) as (reader, writer):
        writer.write(head)
        assert (await reply(reader))[0] == 400
    assert Measured.longest < 0.1


async def test_slices_take_turns() -> None:
    parsed: list[str] = []

    class Slices:
        def __init__(self, name: str, count: int) -> None:
            self.name, self.count = name, count

        @property
        def has_more(self) -> bool:
            return self.count > 0

        def parse_slice(self) -> None:
            parsed.append(self.name)
            self.count -= 1

    turns = Turns()
    for each in (Slices("a", 3), Slices("b", 1), Slices("c", 2)):
        turns.wait(cast("SlicedProtocol", each))
    for _ in range(10):
        await asyncio.sleep(0)
    assert "".join(parsed) == "abcaca"
    turns.wait(cast("SlicedProtocol", Slices("d", 1)))
    await asyncio.sleep(0)
    assert parsed[-1] == "d"
