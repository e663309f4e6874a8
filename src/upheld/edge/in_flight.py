"""Work in flight is shared: who asks for what is being worked on waits for the same result."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class _Flight(Generic[Key, Result]):
    """One call of the work, and how many callers still want something of it."""

    task: asyncio.Task[list[Result]]
    places: dict[Key, int]
    callers: int = 0


class InFlight(Generic[Key, Result]):
    """Runs `work` on the keys that nobody is waiting for yet; nothing is kept once it is there.

    A flight ends early only when every caller who wanted something of it has gone.
    """

    def __init__(self, work: Callable[[Sequence[Key]], Awaitable[list[Result]]]) -> None:
        self._work = work
        # A flight belongs to the event loop that started it.
        self._flights: dict[tuple[asyncio.AbstractEventLoop, Key], _Flight[Key, Result]] = {}

    async def run(self, keys: Sequence[Key]) -> list[Result]:
        """Results in the order of the keys; raises what the work raised."""
        loop = asyncio.get_running_loop()
        new = [key for key in dict.fromkeys(keys) if (loop, key) not in self._flights]
        if new:
            self._start(loop, new)
        wanted = {key: self._flights[loop, key] for key in keys}
        flights = set(wanted.values())
        for flight in flights:
            flight.callers += 1
        try:
            await asyncio.wait([flight.task for flight in flights])
            return [wanted[key].task.result()[wanted[key].places[key]] for key in keys]
        finally:
            for flight in flights:
                flight.callers -= 1
                if not flight.callers:
                    self._end(loop, flight)

    def _start(self, loop: asyncio.AbstractEventLoop, keys: list[Key]) -> None:
        task = loop.create_task(self._call(keys))
        flight = _Flight(task, {key: place for place, key in enumerate(keys)})
        for key in keys:
            self._flights[loop, key] = flight
        task.add_done_callback(lambda _: self._land(loop, flight))

    async def _call(self, keys: list[Key]) -> list[Result]:
        return await self._work(keys)

    def _land(self, loop: asyncio.AbstractEventLoop, flight: _Flight[Key, Result]) -> None:
        self._end(loop, flight)
        if not flight.task.cancelled():
            flight.task.exception()  # callers of several flights are told of one error only

    def _end(self, loop: asyncio.AbstractEventLoop, flight: _Flight[Key, Result]) -> None:
        """Let nobody board; stop it if it is still under way and nobody waits."""
        for key in flight.places:
            if self._flights.get((loop, key)) is flight:
                del self._flights[loop, key]
        if not flight.callers and not flight.task.done():
            flight.task.cancel()
