"""Connections whose client does not go on are closed, over real sockets; others are served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from upheld.settings import load_settings
from upheld_service.http.patience import patient

GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX-Half: "


@dataclass
class Application:
    """Answers with the body, once it may; notes who left before all of it had come."""

    go: asyncio.Event = field(default_factory=asyncio.Event)
    left: int = 0
    began: int = 0

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        self.began += 1
        body, more = b"", True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left += 1
                return
            body += message["body"]
            more = message["more_body"]
        await self.go.wait()
        headers = [(b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Client:
    """One connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def rest(self) -> bytes:
        """What comes until the connection is closed."""
        came = b""
        with suppress(ConnectionError):  # what was read before a reset counts
            while data := await self.reader.read(65_536):
                came += data
        return came

    async def reply(self) -> bytes:
        head = await self.reader.readuntil(b"\r\n\r\n")
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return head.partition(b"\r\n")[0] + b" " + await self.reader.readexactly(length)


@dataclass
class Serving:
    """A server and its clients."""

    app: Application
    address: tuple[str, int]
    state: ServerState
    clients: list[Client] = field(default_factory=list)

    async def client(self, data: bytes = b"") -> Client:
        client = Client(*await asyncio.open_connection(*self.address))
        self.clients.append(client)
        client.send(data)
        return client

    async def until(self, seen: Callable[[], bool]) -> None:
        while not seen():  # noqa: ASYNC110 - it happens behind a socket
            await asyncio.sleep(0.01)


@asynccontextmanager
async def serving(**settings: float) -> AsyncIterator[Serving]:
    app, state = Application(), ServerState()
    app.go.set()
    http = patient(load_settings(**settings))
    config = uvicorn.Config(app, http=http, log_config=None, log_level="critical")
    config.load()
    server = await asyncio.get_running_loop().create_server(
        lambda: config.http_protocol_class(config=config, server_state=state, app_state={}),  # type: ignore[call-arg]
        "127.0.0.1",
        0,
        backlog=1000,
    )
    async with server, asyncio.timeout(120):
        made = Serving(app, server.sockets[0].getsockname(), state)
        try:
            yield made
        finally:
            for client in made.clients:
                client.writer.close()
            for each in list(state.connections):
                each.transport.abort()
            await asyncio.wait([*state.tasks, asyncio.ensure_future(asyncio.sleep(0))])


async def test_400_half_sent_requests_are_closed_while_others_are_served() -> None:
    async with serving(head_seconds=3) as served:
        halves = [await served.client(HALF) for _ in range(400)]
        assert await (await served.client(GET)).reply() == b"HTTP/1.1 200 OK "
        replies = await asyncio.gather(*(half.rest() for half in halves))
        assert all(reply.startswith(b"HTTP/1.1 408 ") for reply in replies)
        assert await (await served.client(GET)).reply() == b"HTTP/1.1 200 OK "
        await served.until(lambda: len(served.state.connections) <= 2)


async def test_a_connection_without_a_word_is_closed_without_one() -> None:
    async with serving(head_seconds=0.2) as served:
        assert await (await served.client()).rest() == b""
        assert served.app.began == 0


async def test_a_head_that_comes_byte_by_byte_is_not_waited_for() -> None:
    async with serving(head_seconds=0.5) as served:
        client = await served.client()

        async def drip() -> None:
            for byte in HALF * 100:
                client.send(bytes([byte]))
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")
        dripping.cancel()


@pytest.mark.parametrize("sent", [b"", b"12345"])
async def test_a_body_that_stands_still_is_not_waited_for(sent: bytes) -> None:
    async with serving(body_seconds=0.3) as served:
        client = await served.client(POST + sent)
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")
        await served.until(lambda: served.app.left == 1)  # and nobody goes on working for it


async def test_a_body_that_comes_byte_by_byte_is_not_waited_for_either() -> None:
    async with serving(body_seconds=0.5) as served:
        client = await served.client(POST.replace(b"10", b"10000"))

        async def drip() -> None:
            while True:
                client.send(b"1")
                await asyncio.sleep(0.05)

        dripping = asyncio.create_task(drip())
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")
        dripping.cancel()


async def test_a_body_that_keeps_coming_is_taken_however_long_it_takes() -> None:
    async with serving(body_seconds=1) as served:
        client = await served.client(POST.replace(b"10", b"40000"))
        for _ in range(10):
            await asyncio.sleep(0.3)
            client.send(b"4" * 4000)
        assert await client.reply() == b"HTTP/1.1 200 OK " + b"4" * 40_000


async def test_the_next_request_of_a_connection_has_a_time_too() -> None:
    async with serving(head_seconds=0.3) as served:
        client = await served.client(GET)
        assert await client.reply() == b"HTTP/1.1 200 OK "
        client.send(GET)
        assert await client.reply() == b"HTTP/1.1 200 OK "
        client.send(HALF)
        assert (await client.rest()).startswith(b"HTTP/1.1 408 ")


async def test_an_answer_takes_the_time_that_it_takes() -> None:
    async with serving(head_seconds=0.2, body_seconds=0.2) as served:
        served.app.go.clear()
        client = await served.client(POST + b"1234567890")
        await served.until(lambda: served.app.began == 1)
        await asyncio.sleep(0.6)
        served.app.go.set()
        assert await client.reply() == b"HTTP/1.1 200 OK 1234567890"


async def test_among_too_many_connections_the_longest_idle_makes_room() -> None:
    async with serving(connections=3, head_seconds=60) as served:
        served.app.go.clear()
        working = [await served.client(GET) for _ in range(2)]
        await served.until(lambda: served.app.began == 2)
        idle = await served.client(HALF)
        await served.until(lambda: len(served.state.connections) == 3)
        third = await served.client(GET)
        assert await idle.rest() == b""
        await served.until(lambda: served.app.began == 3)
        refused = await served.client(GET)
        assert (await refused.rest()).startswith(b"HTTP/1.1 503 ")
        served.app.go.set()
        for client in (*working, third):
            assert await client.reply() == b"HTTP/1.1 200 OK "
