"""Fan-out through one helper: everything finishes, or the first real error stops the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Coroutine, Iterable
from typing import Any, TypeVar, cast, overload

T = TypeVar("T")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")


@overload
async def together(a: Coroutine[Any, Any, A], b: Coroutine[Any, Any, B], /) -> tuple[A, B]: ...
@overload
async def together(
    a: Coroutine[Any, Any, A], b: Coroutine[Any, Any, B], c: Coroutine[Any, Any, C], /
) -> tuple[A, B, C]: ...
async def together(*work: Coroutine[Any, Any, Any]) -> tuple[Any, ...]:
    """Run a few different things at once: `a, b = await together(f(), g())`."""
    return tuple(await all_of(work))


async def all_of(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run many of the same thing at once, results in the order given."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as errors:
        raise first_error(errors) from errors
    return [task.result() for task in tasks]


def first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first leaf of a group: callers handle one error, not a tree of them."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Await with a deadline; an infinite one costs nothing."""
    if seconds == float("inf"):
        return await work
    async with asyncio.timeout(max(seconds, 0)):
        return await work
