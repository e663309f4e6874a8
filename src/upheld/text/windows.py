"""Split a long text at sentence borders into windows that fit into a model's input."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from upheld.text.sentences import Span

Count = Callable[[str], int]

_WORD = re.compile(r"\S+")
_LONGEST_TOKEN = 16  # characters: longer texts per token of room are too long without counting


def pieces(text: str, sentences: Sequence[Span], room: int, count: Count) -> list[Span]:
    """Return the sentences; those with more than `room` tokens are cut at word borders."""
    found: list[Span] = []
    for start, end in sentences:
        if end - start <= room * _LONGEST_TOKEN and count(text[start:end]) <= room:
            found.append((start, end))
        else:
            found += _runs(text, start, end, room, count)
    return found


def windows(sizes: Sequence[int], room: int) -> list[tuple[int, int]]:
    """Group pieces into windows of at most `room` tokens, as half-open ranges of indexes.

    Each window repeats the last piece of the one before, if that leaves room for a new piece.

    >>> windows([4, 4, 4, 4], room=8)
    [(0, 2), (1, 3), (2, 4)]
    """
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(sizes):
        last, used = first, 0
        while last < len(sizes) and (last == first or used + sizes[last] <= room):
            used += sizes[last]
            last += 1
        found.append((first, last))
        if last == len(sizes):
            break
        shares = last - 1 > first and sizes[last - 1] + sizes[last] <= room
        first = last - 1 if shares else last
    return found


def _runs(text: str, start: int, end: int, room: int, count: Count) -> Iterator[Span]:
    """Yield runs of words that fit; a word that does not fit alone is cut by characters."""
    first = last = start
    used = 0
    for word in _WORD.finditer(text, start, end):
        # Very long words are not counted: some tokenizers are slow on them and return one token.
        size = count(word[0]) if len(word[0]) <= room * _LONGEST_TOKEN else room + 1
        if used and used + size > room:
            yield first, last
            used = 0
        if size > room:
            yield from _slices(text, word.start(), word.end(), room, count)
            continue
        first = first if used else word.start()
        used, last = used + max(size, 1), word.end()
    if used:
        yield first, last


def _slices(text: str, start: int, end: int, room: int, count: Count) -> Iterator[Span]:
    step = max(room, 1)
    while start < end:
        stop = min(start + step, end)
        while stop - start > 1 and count(text[start:stop]) > room:
            stop = start + (stop - start) // 2
        yield start, stop
        start = stop
