"""Limit the size of requests, and the bytes of requests that a process holds at once.

Bytes are counted as they arrive, whatever the header says. A body declared too large is refused
before it is read.

Long JSON is never parsed on the event loop, and JSON with too many values is refused. Ten megabytes
of `[],[],` take the parser two seconds, ten megabytes of text a few hundredths. So the bytes
outside strings, and the number of strings, are counted first, with methods of `bytes` that run at
memory speed.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Hashable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld.errors import AdmissionError, ServiceFullError, TenantLimitError, TooLargeError
from upheld.settings import Settings
from upheld_service.http.problems import problem_response

MOST_ESCAPES = 2_000_000  # backslashes; ten megabytes of escaped Cyrillic have 1.7 million
MOST_OUTSIDE = 64_000  # bytes: brackets, numbers, and the spaces of indentation
OFF_LOOP_BYTES = 100_000  # less is parsed in under a millisecond
# The parser holds the interpreter lock: two at once would only wait for each other.
_PARSING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="upheld-json")


def json_route(most_strings: int) -> type[APIRoute]:
    """Make a route class whose JSON bodies have at most so many strings, including field names."""

    class JsonRequest(Request):
        async def json(self) -> Any:
            if not hasattr(self, "_json"):
                body = await self.body()
                # Earlier, if the body was read while the key was checked: `auth.middleware`.
                came = getattr(self.state, "received_at", None)
                self.state.received_at = time.monotonic() if came is None else came
                parse = partial(parsed, body, most_strings)
                if len(body) <= OFF_LOOP_BYTES:
                    self._json = parse()
                else:
                    loop = asyncio.get_running_loop()
                    self._json = await loop.run_in_executor(_PARSING, parse)
            return self._json

    class JsonRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def with_json(request: Request) -> Response:
                return await handle(JsonRequest(request.scope, request.receive))

            return with_json

    return JsonRoute


def parsed(body: bytes, most_strings: int) -> Any:
    """Parse JSON; raises a 4xx `HTTPException`, or `JSONDecodeError`, which FastAPI reports."""
    if body.count(b"\\") > MOST_ESCAPES:
        raise HTTPException(413, "The JSON has too many escapes.")
    strings, outside = structure(body, most_strings)
    if strings > most_strings or outside > MOST_OUTSIDE:
        raise HTTPException(413, "The JSON has too many values.")
    try:
        return json.loads(body)
    except json.JSONDecodeError:
        raise
    except UnicodeDecodeError as error:
        raise HTTPException(400, "The JSON is not UTF-8.") from error
    except RecursionError as error:
        raise HTTPException(400, "The JSON is nested too deeply.") from error
    except ValueError as error:  # Python converts at most 4,300 digits
        raise HTTPException(400, "The JSON has a number that is too long.") from error


def structure(body: bytes, most_strings: int) -> tuple[int, int]:
    """Return the number of strings, counted to just above the limit, and the bytes outside them.

    >>> structure(b'{"a": ["b", 17]}', 9)
    (2, 10)
    """
    if b"\\" in body:
        # Escaped backslashes first: a quote after a remaining backslash is inside a string.
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    pieces = body.split(b'"', 2 * most_strings + 2)
    return len(pieces) // 2, sum(map(len, pieces[::2]))


KILOBYTE, MEGABYTE = 1_000, 1_000_000
# What each route needs; `max_request_mb` is above them all. A character may take 12 bytes: JSON
# writes an emoji as two escapes.
ROUTE_BYTES: Mapping[str, int] = {
    "POST /v1/answers": 128 * KILOBYTE,
    "POST /v1/chat/completions": 2 * MEGABYTE,
    "POST /v1/verify": 1000 * MEGABYTE,
    "POST /v1/collections/{collection}/guarantee": 1000 * MEGABYTE,
}
ADDRESS_BYTES = 32 * KILOBYTE  # JSON with the address of a page, instead of a file
OTHER_BYTES = 16 * KILOBYTE  # for requests that need no body
QUERY_BYTES = 32 * KILOBYTE  # 32 labels of 64 characters, each of which may take 12 bytes
# A file is streamed to the store: two parts of 5 MB in transfer, and one being filled.
FILE_HELD_BYTES = 15 * MEGABYTE
SOON = 1.0  # seconds
_DOCUMENTS = re.compile(r"/v1/collections/[^/]+/documents")
_ORIGINAL = re.compile(r"/v1/collections/[^/]+/documents/[^/]+/original")
_COLLECTION = re.compile(r"^(/v1/collections/)[^/]+")


@dataclass(slots=True)
class HeldBytes:
    """Counts the bytes of all running requests of this process; a tenant may use half of them."""

    most: int
    of_tenant: int
    _held: Counter[Hashable] = field(default_factory=Counter, init=False)
    _total: int = field(default=0, init=False)

    @classmethod
    def of(cls, settings: Settings) -> HeldBytes:
        """Read the limit from the settings; a single request always fits."""
        single = max(settings.max_request_mb * MEGABYTE, FILE_HELD_BYTES)
        most = max(settings.max_held_mb * MEGABYTE, single)
        return cls(most, max(most // 2, single))

    @property
    def total(self) -> int:
        return self._total

    def refusal(self, tenant: Hashable, more: int) -> AdmissionError | None:
        """Return the error if so many more bytes cannot be held now, else None."""
        if self._held[tenant] + more > self.of_tenant:
            return TenantLimitError(
                "Your other requests are at their limit of bytes.", retry_after=SOON
            )
        if self._total + more > self.most:
            return ServiceFullError(
                "The service is at its limit of request bytes.", retry_after=SOON
            )
        return None

    def add(self, tenant: Hashable, count: int) -> None:
        self._total += count
        self._held[tenant] += count
        if not self._held[tenant]:
            del self._held[tenant]


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """Refuses bodies that are too large, or too many at once, before or while they arrive."""

    app: ASGIApp
    body_bytes: int
    file_bytes: int
    held: HeldBytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        most, holds = self._limits(scope, headers)
        tenant = getattr(scope.get("state", {}).get("caller"), "tenant", None)
        declared = headers.get("content-length", "")
        length = int(declared) if len(declared) < 20 and re.fullmatch("[0-9]+", declared) else 0
        refusal: Exception | None = None
        if len(scope["query_string"]) > QUERY_BYTES:
            refusal = HTTPException(414, f"The limit of a query string is {QUERY_BYTES:,} bytes.")
        elif length > most:
            refusal = TooLargeError(_told(most))
        elif length:
            refusal = self.held.refusal(tenant, min(length, holds))
        if refusal is not None:
            await problem_response(refusal, scope["path"])(scope, receive, send)
            return
        came = counted = 0

        async def count() -> Message:
            nonlocal came, counted
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                # FastAPI turns any other error into a 400 of its own.
                raise HTTPException(413, _told(most))
            if more := min(came, holds) - counted:
                if (full := self.held.refusal(tenant, more)) is not None:
                    raise _as_http(full)
                self.held.add(tenant, more)
                counted += more
            return message

        try:
            await self.app(scope, count, send)
        finally:
            self.held.add(tenant, -counted)

    def _limits(self, scope: Scope, headers: Headers) -> tuple[int, int]:
        """Return the bytes that are accepted, and how many of them are held in memory."""
        if carries_file(scope):
            if is_json(headers.get("content-type", "")):
                return ADDRESS_BYTES, ADDRESS_BYTES
            return self.file_bytes, FILE_HELD_BYTES
        path = _COLLECTION.sub(r"\1{collection}", scope["path"])
        most = min(ROUTE_BYTES.get(f"{scope['method']} {path}", OTHER_BYTES), self.body_bytes)
        return most, most


def carries_file(scope: Scope) -> bool:
    """Return whether a request may upload a document, which can be large and slow."""
    added = scope["method"] == "POST" and _DOCUMENTS.fullmatch(scope["path"]) is not None
    return added or scope["method"] == "PUT"


def moves_file(scope: Scope) -> bool:
    """Return whether a request uploads or downloads a file: how long it takes is up to its client.

    Requests of pages of a file are not meant: they take a second.
    """
    return carries_file(scope) or _ORIGINAL.fullmatch(scope["path"]) is not None


def is_json(content_type: str) -> bool:
    """Return whether a content type is JSON."""
    return content_type.partition(";")[0].strip().lower() == "application/json"


def _told(most: int) -> str:
    return f"The limit is {most:,} bytes."


def _as_http(error: AdmissionError) -> HTTPException:
    status = 429 if isinstance(error, TenantLimitError) else 503
    return HTTPException(status, str(error), {"Retry-After": str(error.retry_after)})
