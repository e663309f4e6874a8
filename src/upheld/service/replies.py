"""Replies: the same JSON that the command line prints."""

from __future__ import annotations

from typing import Any

from fastapi.responses import JSONResponse

from upheld.plain import plain


def as_json(value: Any, status: int = 200) -> JSONResponse:
    """One object; its route declares the schema."""
    return JSONResponse(plain(value), status)
