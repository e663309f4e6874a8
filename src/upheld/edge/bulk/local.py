"""Bulk work in processes of this machine."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from upheld.bulk import Stage, Work, attempt
from upheld.errors import BulkError

_AHEAD = 2  # items for each process: one that it works on, and one that waits


class LocalBulk:
    """Implements `upheld.bulk.Bulk`; each process runs all stages of its items."""

    def __init__(self, processes: int) -> None:
        self._processes = processes

    def run(self, items: Sequence[Any], *stages: Stage) -> Iterator[Any]:
        """Yield results as they are ready; at most two items per process are started."""
        # Spawned, not forked: a fork would copy locks that threads of this process hold.
        pool = ProcessPoolExecutor(
            min(self._processes, max(len(items), 1)),
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_open,
            initargs=(stages,),
        )
        try:
            left = iter(items)
            started: set[Future[Any]] = set()
            while True:
                while (
                    len(started) < _AHEAD * self._processes
                    and (item := next(left, _NOTHING)) is not _NOTHING
                ):
                    started.add(pool.submit(_work, item))
                if not started:
                    return
                done, started = wait(started, return_when=FIRST_COMPLETED)
                for each in done:
                    yield each.result()
        except BrokenProcessPool as error:
            raise BulkError(
                "A worker process ended unexpectedly, possibly for lack of memory.",
                help="Run the same command again: it continues. Fewer processes need less memory.",
            ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Do nothing: the processes end with each run."""


_NOTHING = object()
_opened: list[tuple[str, Work]] = []  # of this worker process


def _open(stages: Sequence[Stage]) -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _opened[:] = [(stage.name, stage.open()) for stage in stages]


def _end_with_parent() -> None:
    """End this worker when the driver is killed: it would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work(item: Any) -> Any:
    for name, work in _opened:
        item = attempt(name, work, item)
    return item
