"""JSON as it is parsed: never on the event loop if it is long, and never with too many values.

Ten megabytes of `[],[],` take the parser two seconds, and ten megabytes of text a few hundredths.
So what a body holds outside its strings, and how many strings it has, is counted first, with
methods of `bytes` that run at the speed of memory.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

MOST_ESCAPES = 2_000_000  # backslashes; ten megabytes of Cyrillic in escapes have 1.7 million
MOST_OUTSIDE = 64_000  # bytes: brackets, numbers, and the spaces of whoever indents
OFF_LOOP_BYTES = 100_000  # less is parsed in under a millisecond
# The parser holds the interpreter's lock: two at once would only wait for each other.
_PARSING = ThreadPoolExecutor(max_workers=1, thread_name_prefix="upheld-json")


def json_route(most_strings: int) -> type[APIRoute]:
    """Routes whose JSON has at most so many strings, names of fields among them."""

    class JsonRequest(Request):
        async def json(self) -> Any:
            if not hasattr(self, "_json"):
                body = await self.body()
                # Sooner, if the body was looked at while the key was: `callers.Door`.
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
    """The value, or an error of a 4xx status; `JSONDecodeError` is what FastAPI tells itself."""
    if body.count(b"\\") > MOST_ESCAPES:
        raise HTTPException(413, "The JSON has more escapes than are taken.")
    strings, outside = structure(body, most_strings)
    if strings > most_strings or outside > MOST_OUTSIDE:
        raise HTTPException(413, "The JSON has more values than are taken.")
    try:
        return json.loads(body)
    except json.JSONDecodeError:
        raise
    except UnicodeDecodeError as error:
        raise HTTPException(400, "The JSON is not UTF-8.") from error
    except RecursionError as error:
        raise HTTPException(400, "The JSON is nested too deeply.") from error
    except ValueError as error:  # Python converts no more than 4,300 digits
        raise HTTPException(400, "The JSON has a number that is too long.") from error


def structure(body: bytes, most_strings: int) -> tuple[int, int]:
    """How many strings there are, counted a little beyond the most, and the bytes outside them.

    >>> structure(b'{"a": ["b", 17]}', 9)
    (2, 10)
    """
    if b"\\" in body:
        # Escaped backslashes first: whatever quote then follows a backslash is inside a string.
        body = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    pieces = body.split(b'"', 2 * most_strings + 2)
    return len(pieces) // 2, sum(map(len, pieces[::2]))
