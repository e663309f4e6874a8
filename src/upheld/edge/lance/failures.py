"""Translate the engine's errors, and retry where that is safe."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from upheld.errors import EngineError, StorageError

if TYPE_CHECKING:
    from lancedb import AsyncTable

T = TypeVar("T")
P = ParamSpec("P")

# The engine has no error classes of its own; these match the messages of its Rust errors.
_CONFLICT = re.compile(
    r"commit conflict|conflict.*(concurrent|retry)|concurrent (commit|transaction|writer)|"
    r"too many concurrent|incompatible transaction|preempted|retry limit|already exists",
    re.IGNORECASE,
)
_VANISHED = re.compile(r"not found|no such file|NoSuchKey|does not exist", re.IGNORECASE)
_REJECTED = re.compile(r"invalid (input|user input|argument)|schema", re.IGNORECASE)

ATTEMPTS = 12
READS = 5  # attempts of one read, while `maintain` removes the files of old versions
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0  # seconds


class ConflictError(StorageError):
    """Another writer came first; nothing of this write is visible."""


class VanishedError(StorageError):
    """A file of the version being read is gone: `maintain` ran meanwhile."""


class MovedError(StorageError):
    """The collection was re-embedded and has other tables now: open those and try again."""


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Raise the engine's errors as `StorageError` or `EngineError`."""
    from obstore.exceptions import BaseError

    try:
        yield
    except (RuntimeError, OSError, ValueError, BaseError) as error:
        told = str(error)
        # The engine's messages contain paths and addresses of the storage.
        detail = told.splitlines()[0][:500] if told else repr(error)
        kind: type[EngineError] = StorageError
        if _CONFLICT.search(told):
            kind = ConflictError
        elif _VANISHED.search(told):
            kind = VanishedError
        elif isinstance(error, ValueError) or _REJECTED.search(told):
            kind = EngineError
        raise kind(f"{doing} failed.", detail=detail) from error


async def commit(doing: str, table: AsyncTable, attempt: Callable[[], Awaitable[T]]) -> T:
    """Write, and retry from the newest version if another writer committed first."""
    pause = _FIRST_PAUSE
    for last in (*[False] * (ATTEMPTS - 1), True):
        try:
            with translated(doing):
                return await attempt()
        except (ConflictError, VanishedError):
            if last:
                raise
        await asyncio.sleep(random.uniform(0, pause))  # noqa: S311  # jitter, not a secret
        pause = min(pause * 2, _LONGEST_PAUSE)
        await newest(table)
    raise AssertionError("unreachable")


def rereading(
    read: Callable[P, Coroutine[Any, Any, T]],
) -> Callable[P, Coroutine[Any, Any, T]]:
    """Decorate a read to retry it if a file vanished; each call starts at the newest version."""

    @wraps(read)
    async def reads(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(READS - 1):
            with suppress(VanishedError):
                return await read(*args, **kwargs)
        return await read(*args, **kwargs)

    return reads


async def newest(table: Any) -> None:  # the engine's annotations stop short of this method
    """Move a table's handle to its newest version."""
    with translated("Reading the newest version"):
        await table.checkout_latest()
