"""An event loop in a background thread, to run async code from synchronous callers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from upheld.errors import UsageError

T = TypeVar("T")


class LoopThread:
    """An event loop thread that runs until `stop`; also usable inside a loop, as in a notebook."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="upheld-loop", daemon=True
        )
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether the thread runs: not after `stop`, and not in a forked process."""
        return self._thread.is_alive()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine and return a `concurrent.futures.Future` of its result.

        Raises `UsageError` if the thread has stopped.
        """
        if not self.is_running:
            work.close()
            raise UsageError("It is closed.", help="Open it again to use it.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and block until it is done; return its result."""
        future = self.start(work)
        try:
            return future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise

    def stop(self) -> None:
        if self.is_running:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
