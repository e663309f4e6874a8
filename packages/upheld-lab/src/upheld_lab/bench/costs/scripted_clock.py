"""A clock that jumps: waiting costs nothing, work takes no time, and what is measured is exact.

    took(main) is how long `main` would wait, if everything but waiting were free

So the longest chain of calls that wait for each other can be counted, on however busy a machine.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


class _Jumping(selectors.SelectSelector):
    """Where a loop would sleep until its next timer, the clock is set to it instead."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everything waits, and nothing will wake it")
        self.now += max(timeout, 0.0)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)
        self.set_default_executor(_InPlace())  # else the clock would jump while a thread works

    def time(self) -> float:
        return self._jumping.now


class _InPlace(ThreadPoolExecutor):
    """What is given to a thread is done at once."""

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


async def took(main: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, float]:
    """What it gives, and how many seconds passed on its own clock."""

    async def timed() -> tuple[T, float]:
        loop = asyncio.get_running_loop()
        began = loop.time()
        return await main(), loop.time() - began

    def run() -> tuple[T, float]:
        with asyncio.Runner(loop_factory=_Loop) as runner:
            return runner.run(timed())

    return await asyncio.to_thread(run)  # a thread: this one has a loop already
