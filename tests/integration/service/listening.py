"""The application behind a real socket, for tests in which the transport matters."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx2
from fastapi import FastAPI
from pydantic import SecretStr

from upheld.settings import Settings
from upheld_service.app import Server, create_app


@asynccontextmanager
async def listening(
    settings: Settings, *, works: bool = False
) -> AsyncIterator[tuple[FastAPI, str]]:
    """The application and its address; it is told to stop at the end, and drains."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    app = create_app(settings, works=works)
    server = Server(app, "127.0.0.1", 0, address.set_result)
    serving = asyncio.create_task(server.serve())
    try:
        await asyncio.wait((serving, address), return_when=asyncio.FIRST_COMPLETED)
        yield app, address.result()
    finally:
        server.should_exit = True
        await serving


def remote(url: str, key: SecretStr) -> httpx2.AsyncClient:
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"}
    return httpx2.AsyncClient(base_url=url, headers=headers, timeout=60)


@dataclass
class HungModel:
    """A language model that never answers, and knows when its caller has gone."""

    url: str = ""
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(line for line in head.splitlines() if line.startswith("content-length"))
        await reader.readexactly(int(length.partition(":")[2]))
        self.asked.set()
        await reader.read()  # until the other end closes
        self.left.set()
        writer.close()


@asynccontextmanager
async def hung_model() -> AsyncIterator[HungModel]:
    model = HungModel()
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0)
    async with server:
        model.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        yield model
