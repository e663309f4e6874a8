"""Nobody waits longer than a deadline, also for something that does not let itself be cancelled.

A database that hangs is such a thing: its driver asks it to cancel, and waits for its reply. What
hangs is left behind; how much can be left behind is bounded by the pool of connections.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from upheld.errors import BudgetExceededError, StateUnavailableError
from upheld.service.http.problems import problem_response, tell

T = TypeVar("T")
STATE_SECONDS = 8.0  # for one use of the database: more than a pool may take to give a connection
LATE_SECONDS = 0.4  # after its deadline a request that does not end is ended
_GRACE = 0.1  # for what is cancelled to end in order


async def in_time(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result, or a `TimeoutError`, whatever the work does about being cancelled."""
    task = asyncio.create_task(work)
    try:
        await asyncio.wait((task,), timeout=seconds)
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        await leave(task)


async def at_most(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of something that uses the database, or a `StateUnavailableError` in time."""
    try:
        return await in_time(seconds, work)
    except TimeoutError as late:
        raise StateUnavailableError("The database does not answer in time.") from late


async def by_deadline(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of something that keeps to its budget itself, or soon after it an error."""
    try:
        return await in_time(seconds + LATE_SECONDS, work)
    except TimeoutError as late:
        raise BudgetExceededError("The time for this request is used up.") from late


@dataclass(frozen=True, slots=True)
class Deadline:
    """The last resort around a request: a reply in time, by method; those not named have none.

    Nor have those for which `exempt` holds: how long an upload takes is its client's matter.
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
    """Cancel what nobody waits for any more, and wait for its end only for a moment."""
    if not task.done():
        task.cancel()
        task.add_done_callback(forget)
        await asyncio.wait((task,), timeout=_GRACE)


def forget(task: asyncio.Future[Any]) -> None:
    """A callback for what nobody may be waiting for any more."""
    if not task.cancelled():
        task.exception()  # whoever asked has been told something else
