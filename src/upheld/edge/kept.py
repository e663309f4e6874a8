"""A small memory with bounds: so many things, each for so long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Remembers the newest `most` values, none longer than `seconds`."""

    def __init__(
        self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._values: dict[Key, tuple[float, Value]] = {}
        self._under_way: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def __len__(self) -> int:
        return len(self._values)

    async def get_or_make(self, key: Key, make: Callable[[Key], Awaitable[Value]]) -> Value:
        """The value, made if need be; who asks while it is being made waits for it."""
        async with self._under_way.setdefault(key, asyncio.Lock()):
            value = self.get(key)
            if value is None:
                value = await make(key)
                self.put(key, value)
            return value

    def get(self, key: Key) -> Value | None:
        until, value = self._values.get(key, (0.0, None))
        if until <= self._clock():
            self._values.pop(key, None)
            return None
        return value

    def put(self, key: Key, value: Value) -> None:
        self._values.pop(key, None)
        while len(self._values) >= self._most:
            del self._values[next(iter(self._values))]
        self._values[key] = (self._clock() + self._seconds, value)
