"""An event loop whose clock jumps: waiting takes no time, and everything comes in the same order.

A test of deadlines then runs as fast as it computes, and a case that failed fails again.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any


class _Jumping(selectors.DefaultSelector):
    """Instead of waiting, the clock is set forward."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events and timeout is None:
            raise RuntimeError("every task waits for something that will never happen")
        if not events:
            self.now += max(timeout or 0.0, 0.0)
        return events


class _AtOnce(ThreadPoolExecutor):
    """Work for threads is done where it is asked for."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:
            done.set_exception(error)
        return done


class VirtualTime(asyncio.SelectorEventLoop):
    """A loop with its own time, in seconds since it was made."""

    def __init__(self) -> None:
        self._clock = _Jumping()
        super().__init__(self._clock)
        self.set_default_executor(_AtOnce(max_workers=1))

    def time(self) -> float:
        return self._clock.now


def now() -> float:
    """The running loop's time: a clock for meters."""
    return asyncio.get_running_loop().time()
