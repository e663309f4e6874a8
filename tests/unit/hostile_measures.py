"""What a call with a long text costs: its CPU time and how that grows, its turns, its memory.

A machine that does other things too is faster at one moment than at the next, by half and more.
Growth is therefore the ratio of two calls right after each other, and the middle one of several
such ratios. Only a figure that is too high is measured more than once, so that a fault fails every
time and noise does not.
"""

from __future__ import annotations

import contextlib
import gc
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from upheld.errors import UpheldError

Call = Callable[[str], Any]
Texts = Callable[[int], str]  # the same text at any length

MEASURABLE = 0.05  # seconds of CPU: less is noise
ENOUGH = 4.0  # seconds of CPU after which growth has been seen
SHORTEST = 2_000
AGAIN = 6  # runs more of what seems too high
# A text is tried at an eighth of the limit, then at the limit. Work that grows with a power of
# the length and passes 2.3 for one of the three doublings between passes 2.1 for their mean.
_STEP = 8
_MEAN = 2.1
_SHORT = 100  # characters
_SURELY_SHORT = MEASURABLE / 16  # at an eighth: linear work is not noticeable at the limit then


@dataclass(frozen=True, slots=True)
class Growth:
    """How many times the CPU time a text takes that is twice as long, beginning at `length`."""

    times: float
    length: int
    before: float
    after: float


class Calls:
    """A function called with one text at several lengths: its CPU time, and how it takes turns."""

    def __init__(self, call: Call, text_of: Texts) -> None:
        self._call = call
        self._text_of = text_of
        self._seen: dict[int, float] = {}
        self._held: dict[int, float] = {}

    def __call__(self, length: int) -> float:
        """Seconds of CPU time at this length."""
        return self._seen[length] if length in self._seen else self.again(length)

    def again(self, length: int) -> float:
        """Seconds of CPU time, measured anew."""
        self._seen[length], held = watched(self._call, self._text_of(length))
        self._held[length] = min(held, self._held.get(length, held))
        return self._seen[length]

    def longest_hold(self, length: int, allowed: float) -> float:
        """The most CPU time for which a call kept another thread from its turn."""
        self(length)
        for _ in range(AGAIN):
            if self._held[length] <= allowed:
                break
            self.again(length)
        return self._held[length]


def cpu(call: Call, text: str) -> float:
    """Seconds of CPU time that a call takes; a text that is refused costs what it costs."""
    with _no_collection():
        start = time.thread_time()
        _run(call, text)
        return time.thread_time() - start


def growth(took: Calls, limit: int, allowed: float) -> Growth | None:
    """The largest growth over the doublings up to the limit that take noticeable time, if any.

    Each doubling is looked at only if the time is noticeable and its mean growth is not small.
    """
    if took(limit // _STEP) < _SURELY_SHORT and took(limit // 2) <= MEASURABLE:
        return None
    if took(limit // _STEP) * _STEP <= 2 * ENOUGH:
        means = [_mean(took, most) for most in (limit, limit // _STEP)]
        if all(mean.times <= _MEAN for mean in means):
            return means[0]
    found: Growth | None = None
    for length in _lengths(limit):
        if took(length) > ENOUGH:
            break
        if took(length) > MEASURABLE:
            seen = _lasting(took, length, allowed)
            found = seen if found is None or seen.times > found.times else found
            if seen.times > allowed:
                break
    return found


def peak_memory(call: Call, text: str) -> int:
    """The most bytes that a call needed at one time, without what it loads once."""
    _run(call, text[:_SHORT])
    tracemalloc.start()
    try:
        _run(call, text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _mean(took: Calls, most: int) -> Growth:
    """The mean growth over the three doublings up to a length."""
    least = most // _STEP
    before, after = took.again(least), took(most)
    return Growth((after / before) ** (1 / 3), least, before, after)


def _lasting(took: Calls, length: int, allowed: float) -> Growth:
    """The growth from a length on: one that is too high must last, as the mean with the next one.

    Superlinear work grows faster the longer the text is. A text that outgrows a processor's cache,
    or the memory that the process has at hand, takes longer once.
    """
    seen = _doubling(took, length, allowed)
    if seen.times > allowed:
        following = _doubling(took, 2 * length, allowed)
        if following.times > 1:  # else the text is refused at that length, which says nothing
            return Growth((following.after / seen.before) ** 0.5, length, seen.before, seen.after)
    return seen


def _doubling(took: Calls, length: int, allowed: float) -> Growth:
    """The growth from a length on: the middle one of several, if the first is too high."""
    seen: list[Growth] = []
    while len(seen) <= AGAIN:
        before, after = took.again(length), took.again(2 * length)
        seen.append(Growth(after / before, length, before, after))
        if seen[0].times <= allowed:
            break
    return sorted(seen, key=lambda each: each.times)[len(seen) // 2]


def _lengths(limit: int) -> list[int]:
    """Those of which each is half of the next, and the last half of the limit."""
    lengths = [limit // 2]
    while lengths[-1] >= 2 * SHORTEST:
        lengths.append(lengths[-1] // 2)
    return lengths[::-1]


def watched(call: Call, text: str) -> tuple[float, float]:
    """A call's CPU time, and the longest it worked between two turns of a thread that wants one."""
    done = threading.Event()
    clock = time.pthread_getcpuclockid(threading.get_ident())
    turns = [time.clock_gettime(clock)]

    def watch() -> None:
        while not done.wait(0.001):
            turns.append(time.clock_gettime(clock))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        took = cpu(call, text)
    finally:
        done.set()
        watcher.join()
    turns.append(time.clock_gettime(clock))
    return took, max(after - before for before, after in pairwise(turns))


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """A collection takes time for every object of the process, not for the call's."""
    gc.collect(0)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _run(call: Call, text: str) -> None:
    with contextlib.suppress(UpheldError):
        result = call(text)
        if isinstance(result, Iterator):  # its work is done only when its results are asked for
            for _ in result:
                pass
