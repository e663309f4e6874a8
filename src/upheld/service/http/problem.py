"""The body of an error reply (RFC 9457)."""

from __future__ import annotations

from pydantic import BaseModel


class Problem(BaseModel):
    """What went wrong, and what to do about it."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    help: str = ""
