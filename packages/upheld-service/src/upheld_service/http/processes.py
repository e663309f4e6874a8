"""Several processes on one listening socket: the system gives each connection to a free one.

They share only the socket and, for Prometheus, a folder of counters. Uvicorn has a supervisor too,
but it runs only its own server class, and ours drains before it stops.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.context import SpawnProcess

from upheld._internal.concurrency import all_of
from upheld.errors import UpheldError
from upheld_service.http.connections import listening

Serve = Callable[[socket.socket, bool], None]  # (socket, whether to report the address)
log = logging.getLogger("upheld.service")
COUNTERS = "PROMETHEUS_MULTIPROC_DIR"
_SPAWN = multiprocessing.get_context("spawn")  # no thread or lock of ours is copied half-way


def run_processes(count: int, host: str, port: int, serve: Serve) -> None:
    """Run until SIGINT or SIGTERM, which is passed on; returns when all processes have ended.

    A killed process is replaced. One that ends with an error of its own ends all of them, since the
    next would fail in the same way.
    """
    with listening(host, port) as bound, _counted_together():
        asyncio.run(_Processes(bound, serve).run(count))


@dataclass(slots=True)
class _Processes:
    listening: socket.socket
    serve: Serve
    alive: set[SpawnProcess] = field(default_factory=set)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    failed: bool = False

    async def run(self, count: int) -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stop)
        await all_of(self._kept(tell=place == 0) for place in range(count))
        if self.failed:
            raise UpheldError("A server process ended unexpectedly.", help="The log says why.")

    def stop(self) -> None:
        """Stop all processes; each drains by itself, and the port closes with the last one."""
        self.stopping.set()
        self.listening.close()
        for process in self.alive:
            process.terminate()

    async def _kept(self, *, tell: bool) -> None:
        """Keep one process running, until all stop."""
        while not self.stopping.is_set():
            process = _SPAWN.Process(target=_child, args=(self.serve, self.listening, tell))
            process.start()
            self.alive.add(process)
            await _end(process)
            self.alive.remove(process)
            tell = False
            if self.stopping.is_set():
                return
            log.error("a server process ended")
            if process.exitcode is not None and process.exitcode >= 0:
                self.failed = True
                self.stop()


async def _end(process: SpawnProcess) -> None:
    loop = asyncio.get_running_loop()
    ended = loop.create_future()
    loop.add_reader(process.sentinel, ended.set_result, None)
    try:
        await ended
    finally:
        loop.remove_reader(process.sentinel)
    process.join()


def _child(serve: Serve, listening: socket.socket, tell: bool) -> None:
    threading.Thread(target=_stop_without_parent, daemon=True).start()
    serve(listening, tell)


def _stop_without_parent() -> None:
    """Stop this process if its parent was killed, so that the port is released."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def _counted_together() -> Iterator[None]:
    """Share counters in a folder, which is read when a process starts, so `/metrics` covers all."""
    if COUNTERS in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory(prefix="upheld-metrics-") as folder:
        os.environ[COUNTERS] = folder
        try:
            yield
        finally:
            del os.environ[COUNTERS]
