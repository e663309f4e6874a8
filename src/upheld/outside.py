"""Ports beside the engines: bytes in storage, and pages of the web."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredObject:
    """What a listing tells of an object."""

    name: str
    changed_at: datetime


class Objects(Protocol):
    """Bytes by name under one prefix of storage."""

    async def put(self, name: str, data: AsyncIterator[bytes]) -> None: ...

    async def get(self, name: str) -> bytes:
        """The bytes; raises NotFoundError if there are none."""
        ...

    async def delete(self, names: Sequence[str]) -> None: ...

    async def listed(self, under: str = "") -> list[StoredObject]:
        """Everything in a folder of the prefix."""
        ...

    async def clear(self) -> int:
        """Remove everything under the prefix; how many objects there were."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was sent: `uri` is where it was found in the end, `name` tells its format."""

    uri: str
    name: str
    data: bytes


class Fetch(Protocol):
    """Fetches pages of strangers, within limits."""

    async def __call__(self, url: str) -> Page:
        """The page; raises WebError if there is none to be had."""
        ...

    async def close(self) -> None: ...
