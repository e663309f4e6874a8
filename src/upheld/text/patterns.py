"""Regular expressions and Unicode normalisation that do not block other threads on long texts.

A call of `re` or `unicodedata` holds the GIL until it returns. The functions here process a long
text in parts; the results are the same as those of one call if no match is longer than `REACH`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Literal

LONGEST_PART = 10_000  # characters per call: about a millisecond for a large alternation
REACH = 1_000  # characters by which a match may extend beyond the part that it begins in

# Combining marks are neither words, spaces nor ASCII. Sorting a run of them takes quadratic time,
# and no script has more than a few in a row (Unicode's Stream-Safe Text Format allows 30).
_MOST_MARKS = 30
_LONG_RUN = re.compile(rf"[^\w\s!-~]{{{_MOST_MARKS + 1},{REACH}}}+")
_ASCII = re.compile(r"[\x00-\x7f]")  # does not compose with the character before: safe to cut at
_JOINER = "\u034f"  # "combining grapheme joiner": invisible, and ends a run of combining marks

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Do `pattern.finditer(text)` in parts; not for patterns with `$` or `\\Z`."""
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
    """Do `pattern.findall(text)` in parts; not for patterns with groups, `$` or `\\Z`."""
    if len(text) <= LONGEST_PART:
        return pattern.findall(text)
    return [match[0] for match in matches(pattern, text)]


def search(pattern: re.Pattern[str], text: str, start: int = 0) -> re.Match[str] | None:
    """Do `pattern.search(text)` in parts; not for patterns with `$` or `\\Z`."""
    while True:
        until = start + LONGEST_PART
        if until + REACH >= len(text):
            return pattern.search(text, start)
        match = pattern.search(text, start, until + REACH)
        if match is not None and match.start() < until:
            return match
        start = until


def replaced(pattern: re.Pattern[str], text: str, by: Callable[[str], str]) -> str:
    """Do `pattern.sub(by, text)` in parts; not for patterns with `$` or `\\Z`."""
    parts: list[str] = []
    start = 0
    for match in matches(pattern, text):
        parts += (text[start : match.start()], by(match[0]))
        start = match.end()
    return "".join([*parts, text[start:]]) if parts else text


def normalized(form: Form, text: str) -> str:
    """Normalise Unicode in linear time; runs of more than 30 marks are normalised in parts."""
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
    """Insert joiners into runs of more than 30 combining marks (UAX 15, Stream-Safe Text Process).

    Other code can then normalise the text in one call without quadratic time.
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
