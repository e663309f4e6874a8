"""A TCP proxy before a real server, through which it refuses, hangs or dies on cue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from enum import StrEnum

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Streams]]


class Fault(StrEnum):
    """What becomes of a part."""

    REFUSED = "refused"  # nothing listens
    HUNG = "hung"  # it takes requests, and never replies
    KILLED = "killed"  # it dies in the middle of a reply, and nothing listens from then on


class FaultProxy:
    """Passes everything on, until a fault strikes."""

    def __init__(self, upstream: Connect) -> None:
        self._upstream = upstream
        self._server: asyncio.Server | None = None
        self._passing: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._fault: Fault | None = None
        self._after = 0
        self.port = 0
        self.replies = 0  # pieces of them that came through since the last change
        self.struck = False

    async def strike(self, fault: Fault, after: int = 0) -> None:
        """From now on, or when so many pieces of replies have come through."""
        self._fault, self._after = fault, after
        self.replies, self.struck = 0, False
        if fault is Fault.REFUSED:
            self._down()
            await asyncio.sleep(0)  # until it is closed

    async def heal(self) -> None:
        """As if the server had been started again: connections from before are gone."""
        self._fault, self.replies, self.struck = None, 0, False
        self._cut()
        if self._server is None:
            await self.listen()

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        self._down()
        await asyncio.sleep(0)
        tasks = list(self._passing)
        self._cut()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _down(self) -> None:
        self.struck = True
        if self._server is not None:
            # Not before what was accepted is handed over: asyncio would leave it open for ever.
            asyncio.get_running_loop().call_soon(self._server.close)
            self._server = None
        self._cut()

    def _cut(self) -> None:
        for task, writer in self._passing.items():
            writer.transport.abort()
            task.cancel()

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._pass(reader, writer))
        self._passing[task] = writer
        task.add_done_callback(self._passing.pop)

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await self._upstream()
        ways = [
            asyncio.ensure_future(_pump(reader, back)),
            asyncio.ensure_future(self._replies(there, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            back.transport.abort()  # before anything is awaited: a second cut may come meanwhile
            writer.transport.abort()
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _replies(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            if self._fault is not None and self.replies >= self._after:
                self.struck = True
                if self._fault is Fault.HUNG:
                    await asyncio.Event().wait()
                writer.write(data[: len(data) // 2])
                self._down()
                return
            self.replies += 1
            writer.write(data)
            await writer.drain()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()


@asynccontextmanager
async def fault_proxy(upstream: Connect) -> AsyncIterator[FaultProxy]:
    proxy = FaultProxy(upstream)
    await proxy.listen()
    try:
        yield proxy
    finally:
        await proxy.close()
