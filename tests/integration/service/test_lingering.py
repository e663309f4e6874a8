"""A request that is refused while it is sent: its client reads why, over a real socket."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from tests.integration.places import Place
from tests.integration.service.listening import listening, remote
from tests.integration.service.serving import new_key, service_settings
from tests.servers.postgres import State

pytestmark = pytest.mark.real
SMALL = {"max_file_mb": 1, "max_request_mb": 1}
BYTES = 30_000_000  # more than the buffers of both sockets hold
DOCUMENT = "/v1/collections/staff/documents/rota"
PLAIN = {"Content-Type": "text/plain"}


@pytest.fixture
async def served(own_state: State, tmp_path: Path) -> AsyncIterator[tuple[str, httpx2.AsyncClient]]:
    settings = service_settings(own_state, Place(str(tmp_path)), **SMALL)
    async with (
        asyncio.timeout(200),
        listening(settings) as (_, url),
        remote(url, await new_key(own_state)) as caller,
    ):
        yield url, caller


async def in_pieces() -> AsyncIterator[bytes]:
    for _ in range(BYTES // 1_000_000):
        yield b"a" * 1_000_000


@pytest.mark.parametrize("declared", [True, False])
async def test_a_client_that_sends_too_much_is_told(
    served: tuple[str, httpx2.AsyncClient], declared: bool
) -> None:
    _, caller = served
    content = b"a" * BYTES if declared else in_pieces()
    reply = await caller.put(DOCUMENT, content=content, headers=PLAIN)
    assert reply.status_code == 413
    assert "1,000,000" in reply.json()["detail"]
    assert (await caller.get("/healthz")).status_code == 200  # on another connection


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/answers"), ("POST", "/v1/verify"), ("PUT", DOCUMENT)]
)
async def test_a_large_request_without_a_key_gets_401(
    served: tuple[str, httpx2.AsyncClient], method: str, path: str
) -> None:
    url, _ = served
    async with httpx2.AsyncClient(base_url=url, timeout=60) as stranger:
        reply = await stranger.request(method, path, content=b"a" * BYTES)
    assert (reply.status_code, reply.json()["code"]) == (401, "unknown_caller")


async def test_on_a_plain_socket_too(served: tuple[str, httpx2.AsyncClient]) -> None:
    """Which writes all that it has, and only then reads."""
    url, caller = served
    address, key = urlsplit(url), caller.headers["Authorization"]
    head = (
        f"PUT {DOCUMENT} HTTP/1.1\r\nHost: here\r\nAuthorization: {key}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {BYTES}\r\n\r\n"
    )

    def exchange() -> bytes:
        with socket.create_connection((address.hostname or "", address.port or 0), 60) as sent:
            sent.sendall(head.encode())
            sent.sendall(b"a" * BYTES)
            return b"".join(_received(sent))

    reply = await asyncio.to_thread(exchange)
    first, _, body = reply.partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 413")
    assert b"connection: close" in first.lower()
    assert json.loads(body)["status"] == 413


async def test_who_waits_for_a_word_is_told_at_once(
    served: tuple[str, httpx2.AsyncClient],
) -> None:
    """With `Expect: 100-continue` no body comes, so nothing is waited for."""
    url, caller = served
    address, key = urlsplit(url), caller.headers["Authorization"]
    head = (
        f"PUT {DOCUMENT} HTTP/1.1\r\nHost: here\r\nAuthorization: {key}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {BYTES}\r\nExpect: 100-continue\r\n\r\n"
    )

    def exchange() -> bytes:
        with socket.create_connection((address.hostname or "", address.port or 0), 4) as sent:
            sent.sendall(head.encode())
            return b"".join(_received(sent))

    assert (await asyncio.to_thread(exchange)).startswith(b"HTTP/1.1 413")


def _received(sent: socket.socket) -> Iterator[bytes]:
    while piece := sent.recv(65_536):
        yield piece
