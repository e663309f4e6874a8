"""Find citation marks in text (`[1]`, `[1][2]`, `[1, 2]`, `[1-3]`), read and remove them.

A claim with a mark that is no source is unsupported: a reader would trust the mark as proof.
`argv[1]` and `ARRAY[1,2]` read like a word with its mark; whether they are, only the sources tell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from upheld.text.patterns import found
from upheld.types import Cause, Support, Verdict

# Spaces before a mark are removed with it, but not a line end, which may separate blocks.
_MARK = re.compile(r"\[\s*+(\d{1,3}+(?:\s*+[,;–-]\s*+\d{1,3}+)*+)\s*+\]")
_INDEX = r"\[\d{1,3}+(?:\s*+[,;–-]\s*+\d{1,3}+)*+\]"
_INDEXED = re.compile(rf"(?<!\w)\w{{1,80}}+(?:{_INDEX}){{1,8}}+")
_LONGEST_WORD = 80
_PART = re.compile(r"(\d{1,3}+)\s*+[–-]\s*+(\d{1,3}+)|(\d{1,3}+)")
_LONGEST_RANGE = 20  # of a longer range, such as "[1-999]", only the two ends are read


@dataclass(frozen=True, slots=True)
class Unmarked:
    """A text without its marks; `origin[i]` is the offset of character i in the original text."""

    text: str
    origin: tuple[int, ...]
    marks: tuple[tuple[int, tuple[int, ...]], ...]  # offset into `text`, and source numbers


def unmark(text: str) -> Unmarked:
    """Remove the marks of a text; return them with their offsets and the text without them."""
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


def without_marks(text: str, indexed: Set[str] = frozenset()) -> str:
    """Return the text without its marks; these words with an index, such as `argv[1]`, stay."""
    kept: list[str] = []
    end = 0
    for start, mark in _marks(text):
        if not (indexed and f"{_word_before(text, mark.start())}{mark[0]}" in indexed):
            kept.append(text[end:start])
            end = mark.end()
    return "".join([*kept, text[end:]])


def indexed_words(text: str) -> frozenset[str]:
    """Return the words of a text that a number in brackets follows at once: `argv[1]`.

    Of `grid[0][1]` these are two, `grid[0]` and the whole.
    """
    return frozenset(
        word[: place + 1]
        for word in found(_INDEXED, text)
        for place, letter in enumerate(word)
        if letter == "]"
    )


def indexed_in(text: str, sources: Sequence[Set[str]]) -> frozenset[str]:
    """Return the words of a text whose number is an index: a source has it, or the index 0."""
    return frozenset(
        word
        for word in indexed_words(text)
        if any(word in each or f"{word.partition('[')[0]}[0]" in each for each in sources)
    )


def _word_before(text: str, place: int) -> str:
    """Return the word that ends here, with the numbers in brackets after it, if there are any."""
    start = place
    while start > max(0, place - _LONGEST_WORD) and text[start - 1] == "]":
        opening = text.rfind("[", max(0, place - _LONGEST_WORD), start)
        if opening < 0 or not _MARK.fullmatch(text, opening, start):
            break
        start = opening
    if start and not (text[start - 1].isalnum() or text[start - 1] == "_"):
        return ""
    while start > max(0, place - _LONGEST_WORD) and (
        text[start - 1].isalnum() or text[start - 1] == "_"
    ):
        start -= 1
    return text[start:place]


def unknown_marks(numbers: Iterable[int]) -> Verdict | None:
    """Return the verdict on a claim that cites these unknown numbers; None if there are none."""
    named = ", ".join(f"[{number}]" for number in sorted(numbers))
    if not named:
        return None
    reason = f"it cites {named}, and there is no such source"
    return Verdict(Support.UNSUPPORTED, reason=reason, cause=Cause.UNKNOWN_SOURCE)


def _marks(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    """Yield the marks of a text, each with the offset where the spaces before it begin."""
    seen = 0
    while (at := text.find("[", seen)) >= 0:
        mark = _MARK.match(text, at)
        if mark and (mark[1].strip("0") or not _word_before(text, at)):  # `a[0]` is code
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
