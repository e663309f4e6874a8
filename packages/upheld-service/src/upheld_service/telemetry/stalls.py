"""Detect stalls of the event loop: how long, how often, and in which code.

A stalled loop answers no request, not even `/healthz`. A heartbeat on the loop measures its lag. A
thread beside it checks whether the heartbeat is overdue, and logs where the loop is at that moment:
once the heartbeat runs again, there is nothing left to see.

If the loop waits for the interpreter lock, its own stack shows nothing, but the stacks of the other
threads do: one of them holds it. If this process had hardly any CPU time meanwhile, the machine is
busy with something else. Stacks are files, lines and functions, never values.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import time
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import FrameType

from upheld_service.telemetry.logs import frame_line

log = logging.getLogger("upheld.service.stalls")
BEAT_SECONDS = 0.05
LATE_SECONDS = 0.1  # what counts as a stall
LOG_SECONDS = 10.0  # between two lines
FRAMES, FRAMES_OF_OTHERS = 12, 4
_WAITING = frozenset(
    {"wait", "select", "poll", "_worker", "accept", "get", "_wait_for_tstate_lock"}
)


@dataclass(slots=True)
class StallMonitor:
    """Measures the lag of the running loop; `lag` is called with seconds at every heartbeat."""

    lag: Callable[[float], None]
    clock: Callable[[], float] = time.monotonic
    _due: float = field(default=0.0, init=False)
    _processor: float = field(default=0.0, init=False)
    _thread: int = field(default=0, init=False)
    _handle: asyncio.TimerHandle | None = field(default=None, init=False)
    _stop: threading.Event = field(default_factory=threading.Event, init=False)
    _logged_at: float = field(default=float("-inf"), init=False)

    def start(self) -> threading.Thread:
        """Start on the running loop; the returned thread ends after `stop`."""
        self._thread = threading.get_ident()
        self._schedule()
        watching = threading.Thread(target=self._watch, name="upheld-stalls", daemon=True)
        watching.start()
        return watching

    def stop(self) -> None:
        self._stop.set()
        if self._handle is not None:
            self._handle.cancel()

    def _schedule(self) -> None:
        self._due = self.clock() + BEAT_SECONDS
        self._processor = time.process_time()
        self._handle = asyncio.get_running_loop().call_later(BEAT_SECONDS, self._beat)

    def _beat(self) -> None:
        self.lag(max(self.clock() - self._due, 0.0))
        self._schedule()

    def _watch(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            self.look()

    def look(self) -> None:
        """Log where the loop is if its heartbeat is overdue, at most once in `LOG_SECONDS`."""
        now = self.clock()
        late = now - self._due
        if late < LATE_SECONDS or now - self._logged_at < LOG_SECONDS:
            return
        self._logged_at = now
        stacks = sys._current_frames()
        here = stacks.pop(self._thread, None)
        stacks.pop(threading.get_ident(), None)
        log.warning(
            "the event loop stalled",
            extra={
                "seconds": round(late, 3),
                "processor_seconds": round(time.process_time() - self._processor, 3),
                "frames": _stack(here, FRAMES),
                "threads": [told for each in stacks.values() if (told := _at_work(each))],
            },
        )


@asynccontextmanager
async def watched(lag: Callable[[float], None]) -> AsyncIterator[StallMonitor]:
    """Watch the running loop during the block."""
    monitor = StallMonitor(lag)
    thread = monitor.start()
    try:
        yield monitor
    finally:
        monitor.stop()
        await asyncio.to_thread(thread.join)


def _stack(frame: FrameType | None, most: int) -> list[str]:
    """Return the innermost frames, the last one called at the end."""
    walked = reversed([*traceback.walk_stack(frame)]) if frame is not None else ()
    return [frame_line(each, line) for each, line in walked][-most:]


def _at_work(frame: FrameType) -> list[str]:
    """Return the stack of another thread, or nothing if it waits for work."""
    return [] if frame.f_code.co_name in _WAITING else _stack(frame, FRAMES_OF_OTHERS)
