"""A cache for what many claims ask of the same texts; long texts are not held in memory for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

T = TypeVar("T")

_LONGEST = 2_000  # characters: a claim or a window, not a document


def kept(texts: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Keep the results for so many short texts; those for long ones are worked out each time."""

    def decorate(work: Callable[[str], T]) -> Callable[[str], T]:
        cached = lru_cache(maxsize=texts)(work)

        @wraps(work)
        def call(text: str) -> T:
            return cached(text) if len(text) <= _LONGEST else work(text)

        return call

    return decorate
