"""The counter before object storage: everything comes through, and each request counts once."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from upheld_lab.bench.growth.requests import counting

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(asyncio.IncompleteReadError):
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(REPLY)
    writer.close()
    await writer.wait_closed()


async def test_requests_are_counted_however_they_are_cut() -> None:
    server = await asyncio.start_server(reply, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    options = {"endpoint": f"http://127.0.0.1:{port}", "region": "here"}
    async with counting(options) as counted:
        assert counted.options["region"] == "here"
        where = int(counted.options["endpoint"].rpartition(":")[2])
        reader, writer = await asyncio.open_connection("127.0.0.1", where)
        for piece in (
            b"GET /a HTTP/1.",
            b"1\r\nHost: x\r\n\r\n",
            b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n",
        ):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.02)
        assert await reader.readexactly(2 * len(REPLY)) == 2 * REPLY
        assert (counted.requests, counted.bytes) == (2, 2 * len(REPLY))
        counted.reset()
        assert counted.requests == 0
        writer.close()
        await writer.wait_closed()
        await asyncio.sleep(0.02)
    server.close()
    await asyncio.sleep(0.02)
