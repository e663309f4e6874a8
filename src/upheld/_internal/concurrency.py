"""Helpers for concurrent coroutines: all finish, or the first error cancels the others."""

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

# Most of these threads wait for a child process; the reader limits the number of those.
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
    """Run different coroutines concurrently: `a, b = await together(f(), g())`."""
    return tuple(await all_of(work))


async def all_of(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Run coroutines concurrently and return their results in order.

    The first error cancels the others and is raised by itself, not in an exception group.
    """
    here = asyncio.current_task()
    assert here is not None
    before = here.cancelling()
    group = asyncio.TaskGroup()
    try:
        async with group:
            tasks = [group.create_task(each) for each in work]
    except BaseExceptionGroup as errors:
        # Before Python 3.13 a failed group leaves its own task counted as being cancelled: a later
        # timeout around it would then look like a cancellation.
        if sys.version_info < (3, 13) and group._parent_cancel_requested:  # type: ignore[attr-defined]
            here.uncancel()
        if here.cancelling() > before:  # cancelled by the caller, who must get CancelledError
            raise asyncio.CancelledError from errors
        raise first_error(errors) from errors
    return [task.result() for task in tasks]


def first_error(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first single error of a group, so that callers need not handle groups."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


@asynccontextmanager
async def meanwhile(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Run a coroutine as a task beside the `with` block; cancel it at the end of the block.

    The block awaits the task if it needs the result; otherwise its error is ignored.
    """
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()  # no effect if it is done
        await asyncio.wait((task,))
        if not task.cancelled():
            task.exception()  # read it, or asyncio would log an error that was never retrieved


@asynccontextmanager
async def while_waiting(work: Callable[[], Awaitable[object]]) -> AsyncIterator[None]:
    """Run `work` while the block waits for the reply of a server; cancel it when the block ends.

    It starts when the request has been sent (`request_sent`), so as not to delay it, or after 0.2
    seconds if the client does not report that, or queues the request.
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
    """Report that a request to a server has been sent; starts the work of `while_waiting`."""
    for sent in _awaited.get():
        sent.set()


async def in_reading_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function that reads a file, in a thread pool for that purpose only.

    A file can take a minute: in the pool of `asyncio.to_thread` a few would block everything else.
    """
    context = contextvars.copy_context()
    call = functools.partial(context.run, work, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(_READING, call)


async def within(seconds: float, work: Awaitable[T]) -> T:
    """Await with a timeout in seconds, which may be infinite; raise `TimeoutError` on timeout."""
    if seconds == float("inf"):
        return await work
    async with asyncio.timeout(max(seconds, 0)):
        return await work
