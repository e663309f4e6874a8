"""Split an answer into claims: its sentences, with exact positions and the numbers they cite."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from upheld._internal.cache import cached_in_run
from upheld.text.marks import unmark, without_marks
from upheld.text.patterns import replaced
from upheld.text.sentences import sentence_spans

_BULLET = re.compile(r"^\s*+(?:(?:[-*+•>]|#{1,6}+|\d{1,3}+[.)])[ \t]++)++")
# Beside words only, and not within one: 2**10, *.log and count(*) have no emphasis.
_EMPHASIS = re.compile(
    r"`|(?<![\w*_])[*_]{1,3}(?=[\w`\"“'‘(\[-])|(?<=[\w.,:;!?…`)\]\"”'’])[*_]{1,3}(?![\w*_])"
)
_SOURCES = re.compile(
    r"(?im)^[ \t#*_]*+(?:sources|references|citations|bibliography|works cited)"
    r"[ \t*_]*+:?[ \t*_]*+$"
)
_FULL_STOP = re.compile(r"[.!?][\"”')]?\s*\Z")
_TO_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")
_LONGEST_ENTRY = 600  # characters of an entry that are read


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer: `answer[start:end] == text`, without the marks after it."""

    text: str
    start: int
    end: int
    marks: tuple[int, ...] = ()
    entry: str = ""  # its line, if it is below a heading such as "Sources:"


@cached_in_run(1_000)  # a draft is checked repeatedly and most of its claims do not change
def split_answer(answer: str) -> tuple[Sentence, ...]:
    """Split an answer into sentences; a mark belongs to the sentence before it, or around it."""
    bare = unmark(answer)
    # A mark after a full stop ends a sentence, even where the splitter sees an abbreviation.
    ends = {
        place for place, _ in bare.marks if _FULL_STOP.search(bare.text, max(0, place - 8), place)
    }
    lines = _lines_of_sources(bare.text)
    spans = sentence_spans(bare.text, {*ends, *lines})
    numbers: list[list[int]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    # Marks in a row share one position, so their owner is looked up once.
    for place, in_a_row in groupby(bare.marks, key=itemgetter(0)):
        owner = _owner(bare.text, place, starts)
        if owner is not None:
            numbers[owner] += (number for _, cited in in_a_row for number in cited)
    found: list[Sentence] = []
    for (first, last), cited_here in zip(spans, numbers, strict=True):
        start, end = bare.origin[first], bare.origin[last - 1] + 1
        found.append(
            Sentence(
                answer[start:end],
                start,
                end,
                tuple(dict.fromkeys(cited_here)),
                _line_at(bare.text, lines, first),
            )
        )
    return tuple(found)


def spoken(text: str, indexed: Set[str] = frozenset()) -> str:
    """Return the text of a claim on one line, without marks, list signs and emphasis.

    What looks like a mark stays in words that a source writes with an index, such as `argv[1]`.
    """
    bare = without_marks(text, indexed)
    plain = replaced(_EMPHASIS, _BULLET.sub("", bare), lambda _: "")
    return " ".join(plain.split())


def _owner(text: str, place: int, starts: Sequence[int]) -> int | None:
    """Return the index of the sentence that owns a mark at this position of the unmarked text."""
    after = bisect_left(starts, place)  # the first sentence that begins here or later
    opens_line = place > 0 and text[place - 1] == "\n"  # blanks before a mark were removed with it
    stands_alone = _TO_LINE_END.match(text, place) is not None
    if after == 0 or (opens_line and not stands_alone):
        return after if after < len(starts) else None
    return after - 1


def _lines_of_sources(text: str) -> list[int]:
    """Return the start of the heading of a list of sources, and of each line below it."""
    heading = _SOURCES.search(text)
    if heading is None:
        return []
    ends = (match.end() for match in re.finditer("\n", text[heading.start() :]))
    return [heading.start(), *(heading.start() + end for end in ends)]


def _line_at(text: str, lines: Sequence[int], place: int) -> str:
    """Return the line of the list of sources at this position; empty above the list."""
    at = bisect_right(lines, place)
    if at == 0:
        return ""
    start = lines[at - 1]
    end = lines[at] if at < len(lines) else len(text)
    return text[start : min(end, start + _LONGEST_ENTRY)].strip()
