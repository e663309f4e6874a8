"""Deadlines that hold even for work that cannot be cancelled.

A database that hangs is such work: its driver asks it to cancel, and waits for its reply. Such a
task is abandoned; the pool of connections limits how many can be.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld.errors import BudgetExceededError, StateUnavailableError
from upheld_service.http.problems import problem_response, tell

T = TypeVar("T")
STATE_SECONDS = 8.0  # for one use of the database: longer than the pool waits for a connection
LATE_SECONDS = 0.4  # after its deadline a running request is cancelled
_GRACE = 0.1  # for cancelled work to end in order


async def in_time(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return the result, or raise `TimeoutError`, even if the work ignores its cancellation."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task,), timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        await leave(task)


async def at_most(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a database call, or raise `StateUnavailableError` on timeout."""
    try:
        return await in_time(seconds, work)
    except TimeoutError as late:
        raise StateUnavailableError("The database does not answer in time.") from late


async def by_deadline(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work with a budget of its own, or fail soon after its deadline."""
    try:
        return await in_time(seconds + LATE_SECONDS, work)
    except TimeoutError as late:
        raise BudgetExceededError("The time for this request is used up.") from late


@dataclass(frozen=True, slots=True)
class Deadline:
    """The last resort around a request: a timeout by HTTP method; other methods have none.

    Requests for which `exempt` holds have none either: how long an upload takes is up to its
    client.
    """

    app: ASGIApp
    seconds: Mapping[str, float]
    exempt: Callable[[Scope], bool] = lambda _scope: False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        timed = scope["type"] == "http" and not self.exempt(scope)
        seconds = self.seconds.get(scope["method"]) if timed else None
        if seconds is None:
            await self.app(scope, receive, send)
            return
        started = over = False

        async def in_time(message: Message) -> None:
            nonlocal started
            if not over:
                started = True
                await send(message)

        task = asyncio.ensure_future(self.app(scope, receive, in_time))
        try:
            await asyncio.wait((task,), timeout=seconds)
            over = not task.done()
            if not over:
                task.result()
        finally:
            await leave(task)
        if over and not started:
            error = StateUnavailableError("The request took too long.")
            tell(error)
            await problem_response(error, scope["path"])(scope, receive, send)


async def leave(task: asyncio.Future[Any]) -> None:
    """Cancel an abandoned task, and wait only briefly for its end."""
    if not task.done():
        task.cancel()
        task.add_done_callback(forget)
        await asyncio.wait((task,), timeout=_GRACE)


def forget(task: asyncio.Future[Any]) -> None:
    """Retrieve the exception of an abandoned task, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()  # the caller already got another error
