"""Patterns and normal forms over text of any length and any content.

A call of `re` or `unicodedata` holds the interpreter's lock until it returns, so that one over a
long text stops every other thread. The functions here work through a long text in parts; their
results are those of the one call as long as no match is longer than `REACH`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal

LONGEST_PART = 10_000  # characters that one call sees: about a millisecond for a large alternation
REACH = 1_000  # characters after a part that a match which begins in it may take

# Combining marks are neither words, spaces nor ASCII. Sorting a run of them takes quadratic time,
# and no script has more than a few in a row (Unicode's Stream-Safe Text Format allows 30).
_MOST_MARKS = 30
_LONG_RUN = re.compile(rf"[^\w\s!-~]{{{_MOST_MARKS + 1},{REACH}}}+")
_ASCII = re.compile(r"[\x00-\x7f]")  # composes with nothing that stands before it
_JOINER = "\u034f"  # the "combining grapheme joiner": is not seen, and ends a run of marks

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches of `pattern.finditer`, in parts; not for patterns that have `$` or `\\Z`."""
    start = 0
    while True:
        until = start + LONGEST_PART
        if until + REACH >= len(text):
            yield from pattern.finditer(text, start)
            return
        for match in pattern.finditer(text, start, until + REACH):
            if match.start() >= until:
                break
            yield match
            start = match.end()
        start = max(start, until)


def found(pattern: re.Pattern[str], text: str) -> list[str]:
    """The result of `pattern.findall` for one without groups, in parts; `$` as for `matches`."""
    if len(text) <= LONGEST_PART:
        return pattern.findall(text)
    return [match[0] for match in matches(pattern, text)]


def search(pattern: re.Pattern[str], text: str, start: int = 0) -> re.Match[str] | None:
    """The match of `pattern.search`, in parts; not for patterns that have `$` or `\\Z`."""
    while True:
        until = start + LONGEST_PART
        if until + REACH >= len(text):
            return pattern.search(text, start)
        match = pattern.search(text, start, until + REACH)
        if match is not None and match.start() < until:
            return match
        start = until


def replaced(pattern: re.Pattern[str], text: str, by: Callable[[str], str]) -> str:
    """The result of `pattern.sub`, in parts; not for patterns that have `$` or `\\Z`."""
    parts: list[str] = []
    start = 0
    for match in matches(pattern, text):
        parts += (text[start : match.start()], by(match[0]))
        start = match.end()
    return "".join([*parts, text[start:]]) if parts else text


def normalized(form: Form, text: str) -> str:
    """Unicode's normal form in linear time: a run of over 30 marks is normalised in parts."""
    if text.isascii():
        return text
    parts: list[str] = []
    start = 0
    for run in matches(_LONG_RUN, text):
        for end in range(run.start() + _MOST_MARKS, run.end(), _MOST_MARKS):
            parts += _normalized(form, text, start, end)
            start = end
    return "".join([*parts, *_normalized(form, text, start, len(text))])


def _normalized(form: Form, text: str, start: int, end: int) -> Iterator[str]:
    while start < end:
        border = _ASCII.search(text, start + LONGEST_PART, end)
        until = border.start() if border else end
        yield unicodedata.normalize(form, text[start:until])
        start = until


def stream_safe(text: str) -> str:
    """The text with joiners in runs of over 30 marks, for code that normalises it at once.

    This is what Unicode's Stream-Safe Text Process does (UAX 15).
    """
    parts: list[str] = []
    start = 0
    for run in matches(_LONG_RUN, text) if not text.isascii() else ():
        marks = 0
        for at in range(*run.span()):
            marks = marks + 1 if unicodedata.combining(text[at]) else 0
            if marks > _MOST_MARKS:
                parts += (text[start:at], _JOINER)
                start, marks = at, 1
    return "".join([*parts, text[start:]])
