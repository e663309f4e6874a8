"""Claims of an answer: its sentences, with exact places, and the numbers that they cite."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from upheld.kept import kept
from upheld.sentences import sentence_spans
from upheld.stages.checks.marks import unmark, without_marks

_BULLET = re.compile(r"^\s*+(?:(?:[-*+•>]|#{1,6}+|\d{1,3}+[.)])[ \t]++)++")
_EMPHASIS = re.compile(r"\*\*|__|`|(?<!\w)[*_](?=\w)|(?<=[\w.!?])[*_](?!\w)")
_SOURCES = re.compile(
    r"(?im)^[ \t#*_]*+(?:sources|references|citations|bibliography|works cited)"
    r"[ \t*_]*+:?[ \t*_]*+$"
)
_FULL_STOP = re.compile(r"[.!?][\"”')]?\s*\Z")
_TO_LINE_END = re.compile(r"[ \t]*+(?:\n|\Z)")
_LABEL = re.compile(r"(?m)^[ \t]*(?:[-*+•][ \t]+)?\[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer: `answer[start:end] == text`, marks after it left out."""

    text: str
    start: int
    end: int
    marks: tuple[int, ...] = ()
    reference: bool = False  # an entry of the list of sources at the end


@kept(1_000)  # a draft is checked again and again, and most of its claims stay
def split_answer(answer: str) -> tuple[Sentence, ...]:
    """The sentences of an answer; every mark belongs to the sentence before it, or around it."""
    bare = unmark(answer)
    # A mark after a full stop ends a sentence, also where the splitter sees an abbreviation.
    ends = (
        place for place, _ in bare.marks if _FULL_STOP.search(bare.text, max(0, place - 8), place)
    )
    spans = sentence_spans(bare.text, ends)
    numbers: list[list[int]] = [[] for _ in spans]
    starts = [start for start, _ in spans]
    # Marks in a row stand at the same place, and what follows them is looked at once.
    for place, in_a_row in groupby(bare.marks, key=itemgetter(0)):
        owner = _owner(bare.text, place, starts)
        if owner is not None:
            numbers[owner] += (number for _, cited in in_a_row for number in cited)
    listed = _list_of_sources(answer)
    found: list[Sentence] = []
    for (first, last), cited_here in zip(spans, numbers, strict=True):
        start, end = bare.origin[first], bare.origin[last - 1] + 1
        found.append(
            Sentence(
                answer[start:end],
                start,
                end,
                tuple(dict.fromkeys(cited_here)),
                listed is not None and start >= listed,
            )
        )
    return tuple(found)


def spoken(text: str) -> str:
    """What a claim says: without marks, list signs and emphasis, on one line."""
    return " ".join(_EMPHASIS.sub("", _BULLET.sub("", without_marks(text))).split())


def _owner(text: str, place: int, starts: Sequence[int]) -> int | None:
    """Which sentence a mark at this place of the unmarked text belongs to."""
    after = bisect_left(starts, place)  # the first sentence that begins here or later
    opens_line = place > 0 and text[place - 1] == "\n"  # blanks before a mark went with it
    stands_alone = _TO_LINE_END.match(text, place) is not None
    if after == 0 or (opens_line and not stands_alone):
        return after if after < len(starts) else None
    return after - 1


def _list_of_sources(answer: str) -> int | None:
    """Where a closing list of sources begins: a heading that says so, then labelled lines only.

    Anything else below such a heading is checked as usual: a claim must not hide there.
    """
    headings = list(_SOURCES.finditer(answer))
    if not headings:
        return None
    below = answer[headings[-1].end() :]
    lines = [line for line in below.splitlines() if line.strip()]
    if lines and all(_LABEL.match(line) for line in lines):
        return headings[-1].start()
    return None
