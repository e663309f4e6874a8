"""A reply to a request that is still being sent reaches its client.

Whoever sends a file that is too large sends all of it before looking at the reply. A server that
closes the connection meanwhile resets it, and the client sees a broken pipe instead of the 413. So
the reply is sent, and what still comes is read and thrown away for a while, as nginx does with its
lingering close. Then the connection is closed.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LONGEST_SECONDS = 30.0
SILENT_SECONDS = 5.0  # without a byte, whoever sends has gone or waits for us


@dataclass(frozen=True, slots=True)
class Lingering:
    """Reads on after a reply that came before the end of the request's body."""

    app: ASGIApp
    longest_seconds: float = LONGEST_SECONDS
    silent_seconds: float = SILENT_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _has_body(headers := Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        # It waits for our word, and a client that is refused sends no body.
        expects = headers.get("expect", "").lower() == "100-continue"
        whole = False

        async def noted() -> Message:
            nonlocal whole
            message = await receive()
            whole = whole or not message.get("more_body", False)  # also when the client has left
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
