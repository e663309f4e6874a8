"""A small in-memory cache, limited by number, bytes and age."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class BoundedCache(Generic[Key, Value]):
    """Caches the newest `most` values, each for at most `seconds`.

    With `size`, also at most `most_bytes` in total; a larger value is not cached at all.
    """

    def __init__(
        self,
        most: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        size: Callable[[Value], int] = lambda _value: 0,
        most_bytes: int = 0,
    ) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._size, self._most_bytes, self.bytes = size, most_bytes, 0
        self._values: dict[Key, tuple[float, Value]] = {}
        self._in_progress: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._values)

    async def get_or_make(self, key: Key, make: Callable[[Key], Awaitable[Value]]) -> Value:
        """Return the cached value or make it; concurrent callers of one key wait for the first."""
        async with self._in_progress.setdefault(key, asyncio.Lock()):
            value = self.get(key)
            if value is None:
                value = await make(key)
                self.put(key, value)
            return value

    def get(self, key: Key) -> Value | None:
        until, value = self._values.get(key, (0.0, None))
        if until <= self._clock():
            self._drop(key)
            return None
        return value

    def put(self, key: Key, value: Value) -> None:
        self._drop(key)
        size = self._size(value)
        if size > self._most_bytes:
            return
        while len(self._values) >= self._most or self.bytes + size > self._most_bytes:
            self._drop(next(iter(self._values)))
        self._values[key] = (self._clock() + self._seconds, value)
        self.bytes += size

    def _drop(self, key: Key) -> None:
        if key in self._values:
            self.bytes -= self._size(self._values.pop(key)[1])
