"""How many requests to object storage a search takes, counted on the wire."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

END_OF_REQUEST_LINE = b" HTTP/1.1\r\n"  # reads have no body in which it could stand by chance
PIECE = 65_536


@dataclass(slots=True)
class Counted:
    """What went by since the last `reset`."""

    options: Mapping[str, str]  # that lead through the counter
    requests: int = 0
    bytes: int = 0

    def reset(self) -> None:
        """Count from here on."""
        self.requests = self.bytes = 0


@asynccontextmanager
async def counting(options: Mapping[str, str]) -> AsyncIterator[Counted]:
    """Pass everything to the endpoint of these options, and count it."""
    server = urlsplit(options["endpoint"])
    counted = Counted(options)

    async def to_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        last = b""  # a line can be cut between two pieces
        while piece := await reader.read(PIECE):
            counted.requests += (last + piece).count(END_OF_REQUEST_LINE)
            last = piece[-len(END_OF_REQUEST_LINE) + 1 :]
            writer.write(piece)
            await writer.drain()

    async def to_client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(PIECE):
            counted.bytes += len(piece)
            writer.write(piece)
            await writer.drain()

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.append(asyncio.current_task())
        there, back = await asyncio.open_connection(server.hostname, server.port or 80)
        ways = [
            asyncio.ensure_future(to_server(reader, back)),
            asyncio.ensure_future(to_client(there, writer)),
        ]
        passing.extend(ways)
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)  # either side may hang up
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)
        for end in (back, writer):
            end.close()
            with suppress(ConnectionError):
                await end.wait_closed()

    passing: list[asyncio.Future[None]] = []
    serving: list[asyncio.Task[None] | None] = []
    listening = await asyncio.start_server(passed, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    counted.options = {**options, "endpoint": f"http://127.0.0.1:{port}"}
    try:
        yield counted
    finally:
        listening.close()
        for way in passing:
            way.cancel()
        await asyncio.gather(*passing, *filter(None, serving), return_exceptions=True)
