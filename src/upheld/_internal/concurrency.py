"""Fan-out through one helper: everything finishes, or the first real error stops the rest."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar, cast, overload

# Most of them wait for a child process; a reader says how many of those there are.
_READING = ThreadPoolExecutor(max_workers=16, thread_name_prefix="upheld-read")
LATEST_SECONDS = 0.2
T = TypeVar("T")
P = ParamSpec("P")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
_awaited: ContextVar[tuple[asyncio.Event, ...]] = ContextVar("upheld_awaited", default=())


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
    here = asyncio.current_task()
    assert here is not None
    before = here.cancelling()
    group = asyncio.TaskGroup()
    try:
        async with group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as errors:
        # Before Python 3.13 a group that fails leaves its own task counted as being cancelled: a
        # deadline around it, that strikes later, would then look like a cancellation.
        if sys.version_info < (3, 13) and group._parent_cancel_requested:  # type: ignore[attr-defined]
            here.uncancel()
        if here.cancelling() > before:  # whoever cancels must not be told of an error instead
            raise asyncio.CancelledError from errors
        raise first_error(errors) from errors
    return [task.result() for task in tasks]


def first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first leaf of a group: callers handle one error, not a tree of them."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Start something and go on; who needs it awaits it, and it does not outlive the block."""
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()  # nothing happens to one that is done
        await asyncio.wait((task,))
        if not task.cancelled():
            task.exception()  # of no interest to those who did not await it


@asynccontextmanager
async def while_waiting(work: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Work for the time in which a reply is waited for, which the block asks for.

    It begins when the request has been sent (`request_sent`): before, it would hold it up. A model
    that does not say so, or that has others to serve first, is given a moment.
    """
    sent = asyncio.Event()

    async def begin() -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(sent.wait(), LATEST_SECONDS)
        await work()

    token = _awaited.set((*_awaited.get(), sent))
    try:
        async with meanwhile(begin()):
            yield
    finally:
        _awaited.reset(token)


def request_sent() -> None:
    """For what asks another server: the request is on its way, and this process has time."""
    for sent in _awaited.get():
        sent.set()


async def in_reading_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run something that reads a file, in threads that nothing else waits for.

    A file can take a minute. In the threads of `asyncio.to_thread` a few of them would stop
    whatever else needs one.
    """
    context = contextvars.copy_context()
    call = functools.partial(context.run, work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_READING, call)


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Await with a deadline; an infinite one costs nothing."""
    if seconds == float("inf"):
        return await work
    async with asyncio.timeout(max(seconds, 0)):
        return await work
