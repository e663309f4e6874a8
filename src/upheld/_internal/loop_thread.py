"""An event loop on a thread of its own: async code for callers who have no loop, or a busy one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from upheld.errors import UsageError

T = TypeVar("T")


class LoopThread:
    """Runs until it is stopped; also from inside a running loop, as in a notebook."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="upheld-loop", daemon=True
        )
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Not after `stop`, nor in a process that was forked: threads stay behind."""
        return self._thread.is_alive()

    def start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin something; a future of this thread's kind tells how it ends."""
        if not self.is_running:
            work.close()
            raise UsageError("It is closed.", help="Open it again to use it.")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for something."""
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
