"""Connections: a listening socket, replies that arrive, work that stops on disconnect.

A client that sends a file that is too large sends all of it before it reads the reply. If the
server closes the connection meanwhile, it is reset, and the client sees a broken pipe instead of
the 413. So the reply is sent, and further bytes are read and discarded for a while, as in nginx's
lingering close. Then the connection is closed.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld._internal.concurrency import meanwhile
from upheld.errors import UsageError

BACKLOG = 2048  # the default of uvicorn


def listening(host: str, port: int) -> socket.socket:
    """Open a listening socket with TCP_NODELAY, which its connections inherit.

    asyncio sets it only for sockets that name their protocol, and these do not: the body of a reply
    would wait until the client has acknowledged its head, which takes 40 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"Port {port} of {host} cannot be used: {error}.", help="Choose another --port."
        ) from error
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound


LONGEST_SECONDS = 30.0
SILENT_SECONDS = 5.0  # without a byte, the client has gone or waits for us


@dataclass(frozen=True, slots=True)
class Lingering:
    """Keeps reading after a reply that was sent before the end of the request's body."""

    app: ASGIApp
    longest_seconds: float = LONGEST_SECONDS
    silent_seconds: float = SILENT_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(headers := Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        # The client waits for our permission, and sends no body if it is refused.
        expects = headers.get("expect", "").lower() == "100-continue"
        whole = False

        async def noted() -> Message:
            nonlocal whole
            message = await receive()
            whole = whole or not message.get("more_body", False)  # also if the client disconnected
            return message

        async def reply(message: Message) -> None:
            if message["type"] == "http.response.start" and not whole:
                MutableHeaders(scope=message)["connection"] = "close"
            last = message["type"] == "http.response.body" and not message.get("more_body", False)
            if not last or whole or expects:
                await send(message)
                return
            await send({**message, "more_body": True})  # now the client can read all of it
            with suppress(TimeoutError):
                async with asyncio.timeout(self.longest_seconds):
                    while not whole:
                        await asyncio.wait_for(noted(), self.silent_seconds)
            await send({"type": "http.response.body"})

        await self.app(scope, noted, reply)


def _has_body(headers: Headers) -> bool:
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers


T = TypeVar("T")


async def while_there(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result; raises `ClientDisconnect` if the client leaves. Read the body first."""
    async with meanwhile(work) as working, meanwhile(_gone(request)) as leaving:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
