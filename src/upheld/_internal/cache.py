"""A cache of functions on texts, for the duration of one run.

Many claims need the same results, such as the sentences of a passage. Nothing is cached outside a
run, because the owner of a text may delete it. The cache has a bound in bytes.

with run_cache():
    content_stems(text)  # computed
    content_stems(text)  # from the cache
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakSet

T = TypeVar("T")
P = ParamSpec("P")

MOST_BYTES = 32_000_000  # of one run
_LONGEST = 2_000  # characters: a claim or a window, not a document
_BYTES_PER_CHARACTER = 8  # estimate for a text and the result that is computed from it
_BYTES_PER_ENTRY = 500


class Cache:
    """The cached results of one run."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._by_work: dict[Callable[..., Any], Any] = {}
        self._adding = threading.Lock()
        self.bytes = 0  # an estimate of the size of all cached results

    def of(self, work: Callable[..., Any], most: int) -> Callable[..., Any]:
        """Return the cached version of the function `work`, with at most `most` results."""
        known = self._by_work.get(work)
        if known is None:

            def counted(text: str, *more: Hashable) -> Any:
                self._add(len(text) * _BYTES_PER_CHARACTER + _BYTES_PER_ENTRY)
                return work(text, *more)

            known = self._by_work.setdefault(work, lru_cache(maxsize=most)(counted))
        return known  # type: ignore[no-any-return]

    def entries(self) -> int:
        """Return the number of cached results."""
        return sum(each.cache_info().currsize for each in list(self._by_work.values()))

    def clear(self) -> None:
        with self._adding:
            for each in list(self._by_work.values()):
                each.cache_clear()
            self.bytes = 0

    def _add(self, size: int) -> None:
        if self.bytes + size > self._most_bytes:
            self.clear()  # results that are still needed are simply computed again
        with self._adding:
            self.bytes += size


_cache: ContextVar[Cache | None] = ContextVar("upheld_cache", default=None)
_all: WeakSet[Cache] = WeakSet()


@contextmanager
def run_cache(most_bytes: int = MOST_BYTES) -> Iterator[Cache]:
    """Cache results inside the `with` block; a nested block has a cache of its own."""
    cache = Cache(most_bytes)
    _all.add(cache)
    token = _cache.set(cache)
    try:
        yield cache
    finally:
        _cache.reset(token)
        cache.clear()  # a leftover timer or task may keep the context alive for longer


def cached_entries() -> int:
    """Return the number of cached results in this process, over all runs."""
    return sum(cache.entries() for cache in list(_all))


def cached_in_run(
    texts: int, *, longest: int = _LONGEST
) -> Callable[[Callable[Concatenate[str, P], T]], Callable[Concatenate[str, P], T]]:
    """Cache a function's results for the run, for at most so many `texts`.

    Results for texts longer than `longest` characters, and calls outside a run or with keyword
    arguments, are not cached.
    """

    def decorate(work: Callable[Concatenate[str, P], T]) -> Callable[Concatenate[str, P], T]:
        @wraps(work)
        def call(text: str, /, *args: P.args, **kwargs: P.kwargs) -> T:
            cache = _cache.get()
            if cache is None or kwargs or len(text) > longest:
                return work(text, *args, **kwargs)
            result: T = cache.of(work, texts)(text, *args)
            return result

        return call

    return decorate
