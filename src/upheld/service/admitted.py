"""The one place where a request that costs something is let in and counted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request


async def _admitted(_request: Request) -> AsyncIterator[None]:
    """From here until the last byte of the reply, also of a stream, the request is under way."""
    yield


Admitted = Annotated[None, Depends(_admitted)]
