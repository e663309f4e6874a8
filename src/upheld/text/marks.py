"""Marks in text: `[1]`, `[1][2]`, `[1, 2]`, `[1-3]`, taken out and read as numbers.

A mark that names no source makes its claim unsupported: a reader would take it for a proof.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from upheld.types import Cause, Support, Verdict

# White space before a mark goes with it, but not a line end: that is where blocks part.
_MARK = re.compile(r"\[\s*+(\d{1,3}+(?:\s*+[,;–-]\s*+\d{1,3}+)*+)\s*+\]")
_PART = re.compile(r"(\d{1,3}+)\s*+[–-]\s*+(\d{1,3}+)|(\d{1,3}+)")
_LONGEST_RANGE = 20  # "[1-999]" is no list of sources


@dataclass(frozen=True, slots=True)
class Unmarked:
    """A text without its marks, and the way back: `origin[i]` is where character i stood."""

    text: str
    origin: tuple[int, ...]
    marks: tuple[tuple[int, tuple[int, ...]], ...]  # where in `text`, and the numbers


def unmark(text: str) -> Unmarked:
    """Take marks out and remember where everything was."""
    kept: list[str] = []
    origin: list[int] = []
    marks: list[tuple[int, tuple[int, ...]]] = []
    end = 0
    for start, mark in _marks(text):
        kept.append(text[end:start])
        origin.extend(range(end, start))
        marks.append((len(origin), tuple(dict.fromkeys(_numbers(mark[1])))))
        end = mark.end()
    kept.append(text[end:])
    origin.extend(range(end, len(text)))
    return Unmarked("".join(kept), tuple(origin), tuple(marks))


def without_marks(text: str) -> str:
    """The words alone."""
    kept: list[str] = []
    end = 0
    for start, mark in _marks(text):
        kept.append(text[end:start])
        end = mark.end()
    return "".join([*kept, text[end:]])


def unknown_marks(numbers: Iterable[int]) -> Verdict | None:
    """The verdict on a claim that cites these numbers, none of which is a source's."""
    named = ", ".join(f"[{number}]" for number in sorted(numbers))
    if not named:
        return None
    reason = f"it cites {named}, and there is no such source"
    return Verdict(Support.UNSUPPORTED, reason=reason, cause=Cause.UNKNOWN_SOURCE)


def _marks(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """The marks of a text, each with where the white space before it begins."""
    seen = 0
    while (at := text.find("[", seen)) >= 0:
        mark = _MARK.match(text, at)
        if mark:
            yield seen + len(text[seen:at].rstrip(" \t")), mark
        seen = mark.end() if mark else at + 1


def _numbers(inside: str) -> Iterator[int]:
    for part in _PART.finditer(inside):
        if part[3]:
            yield int(part[3])
            continue
        first, last = int(part[1]), int(part[2])
        if first <= last < first + _LONGEST_RANGE:
            yield from range(first, last + 1)
        else:
            yield from (first, last)
