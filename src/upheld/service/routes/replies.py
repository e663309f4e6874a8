"""Replies: the same JSON that the command line prints."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from fastapi import Response
from fastapi.responses import JSONResponse

from upheld._internal.to_json import plain
from upheld.check import CheckedAnswer

OFF_LOOP_CLAIMS = 30  # more than these take over a millisecond


def as_json(value: Any, status: int = 200) -> JSONResponse:
    """One object; its route declares the schema."""
    return JSONResponse(plain(value), status)


async def rendered(checked: CheckedAnswer) -> Response:
    """A checked answer, which may have ten thousand claims: then not on the event loop."""
    if len(checked.claims) <= OFF_LOOP_CLAIMS:
        return as_json(checked)
    content = await asyncio.to_thread(lambda: b"".join(_pieces(checked)))
    return Response(content, media_type="application/json")


def _pieces(checked: CheckedAnswer) -> Iterator[bytes]:
    """Claim by claim: one call for all of them would hold the interpreter's lock to the end."""
    yield b"{"
    for number, each in enumerate(fields(checked)):
        yield f"{',' if number else ''}{json.dumps(each.name)}:".encode()
        value = getattr(checked, each.name)
        if isinstance(value, tuple):
            yield b"["
            for index, entry in enumerate(value):
                yield (b"," if index else b"") + _encoded(entry)
            yield b"]"
        else:
            yield _encoded(value)
    yield b"}"


def _encoded(value: Any) -> bytes:
    # As Starlette's JSONResponse has it.
    separators = (",", ":")
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, separators=separators)
    return text.encode()
