"""A passage made ready to be checked against: readable or not, its sentences, its windows."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from upheld.sentences import Span, sentence_spans
from upheld.stages.checks.disowned import Disowned, disowned
from upheld.stages.checks.names import Names
from upheld.stages.checks.quote_check import Quotable, quotable
from upheld.stages.checks.windows import pieces, windows
from upheld.stages.cite import terms
from upheld.types import Cause, Citation, Passage, Support

Count = Callable[[str], int]

_JUNK = ("Cc", "Co", "Cn", "Cs")  # controls, private use, unassigned, surrogates
_MOST_JUNK = 0.1
_LEAST_TEXT = 0.5  # share of letters, digits and spaces; prose has 0.95, tables and code 0.7
_CONTEXT_SHARE = 3  # title and headings may take a third of a premise


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why something could not be checked."""

    cause: Cause
    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """Spans of one source that stand in a premise."""

    source: Source
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Premise:
    """What a claim is held against: text for the model, and where it comes from."""

    text: str
    parts: tuple[Part, ...]
    gathered: bool = False  # sentences picked for the claim, not a run of the text


@dataclass(eq=False)
class Source:
    """One passage; what is costly is worked out when it is first asked for."""

    passage: Passage
    _windows: dict[int, tuple[Premise, ...]] = field(default_factory=dict, repr=False)

    @property
    def text(self) -> str:
        return self.passage.text

    def make_ready(self, *, for_model: bool) -> None:
        """Work out what every check wants to know of it; without a model, only quotes are found."""
        if self.trouble is None:
            _ = self.quotable
            if for_model:
                _ = self.sentences, self.disowned, self.names, self.terms

    @cached_property
    def trouble(self) -> Trouble | None:
        """What makes it useless as a source, in any language."""
        if not self.text.strip():
            return Trouble(Cause.SOURCE_EMPTY, "the source is empty")
        if not is_text(self.text):
            return Trouble(Cause.UNREADABLE, "the source is not text")
        return None

    @cached_property
    def sentences(self) -> list[Span]:
        return sentence_spans(self.text)

    @cached_property
    def quotable(self) -> tuple[Quotable, ...]:
        return () if self.trouble else quotable(self.passage)

    @cached_property
    def disowned(self) -> dict[Span, Disowned]:
        """The sentences that it has but does not say itself."""
        headings = "\n".join((self.passage.title, *self.passage.heading_path))
        return disowned(self.text, self.sentences, headings)

    @cached_property
    def names(self) -> Names:
        """The names in all of it, title and headings included."""
        return Names.of(self.passage.searchable)

    @cached_property
    def terms(self) -> frozenset[str]:
        return terms(self.passage.searchable)

    def windows(self, room: int, count: Count) -> tuple[Premise, ...]:
        """Premises that together hold every sentence, each within the room."""
        if room not in self._windows:
            self._windows[room] = self._cut(room, count)
        return self._windows[room]

    def _cut(self, room: int, count: Count) -> tuple[Premise, ...]:
        context = self._context(room, count)
        left = room - count(context)
        spans = pieces(self.text, self.sentences, left, count)
        ranges = windows([count(self.text[start:end]) for start, end in spans], left)
        return tuple(
            self._premise(context, ((spans[first][0], spans[last - 1][1]),))
            for first, last in ranges
        )

    def gathered(self, claim: str, room: int, count: Count) -> Premise:
        """The sentences that together share most with the claim, in the order of the text."""
        context = self._context(room, count)
        left = room - count(context)
        spans = pieces(self.text, self.sentences, left, count)
        told = terms(claim)
        have = [terms(self.text[start:end]) & told for start, end in spans]
        open_terms, chosen = set(told), set[int]()
        for _ in spans:
            # New terms first, then agreement on those already found.
            gains = [(len(each & open_terms), len(each)) for each in have]
            best = max(set(range(len(spans))) - chosen, key=lambda at: (gains[at], -at))
            size = count(self.text[slice(*spans[best])])
            if size > left or (chosen and not gains[best][1]):
                break
            chosen.add(best)
            left -= size
            open_terms -= have[best]
        return self._premise(context, tuple(spans[at] for at in sorted(chosen)), gathered=True)

    def closest(self, claim: str, within: Sequence[Span] = ()) -> Span:
        """The sentence, inside these spans, that shares most with the claim."""
        told = terms(claim)

        def shared(span: Span) -> float:
            have = terms(self.text[slice(*span)])
            return 2 * len(have & told) / (len(have) + len(told) or 1)

        return max(self.inside(within), key=shared, default=(0, 0))

    def inside(self, within: Sequence[Span] = ()) -> list[Span]:
        """The sentences that these spans touch; without spans, all."""
        return [
            (start, end)
            for start, end in self.sentences
            if not within or any(first < end and start < last for first, last in within)
        ]

    def overlap(self, claim: str) -> int:
        """How many of the claim's terms stand anywhere in it."""
        return len(terms(claim) & self.terms)

    def cite(self, span: Span, support: Support) -> Citation:
        """These words, in the coordinates of the document."""
        return self.passage.cite(*span, support)

    def _premise(self, context: str, spans: tuple[Span, ...], *, gathered: bool = False) -> Premise:
        told = " ".join(self.text[start:end] for start, end in spans)
        text = f"{context}\n{told}" if context else told
        return Premise(text, (Part(self, spans),), gathered)

    def _context(self, room: int, count: Count) -> str:
        """Title and headings; outer headings go first where they would crowd the text."""
        title, path = self.passage.title, self.passage.heading_path
        while True:
            context = "\n".join(part for part in (title, " > ".join(path)) if part)
            if not context or count(context) <= room // _CONTEXT_SHARE:
                return context
            title, path = (title, path[1:]) if path else ("", ())


def joined(premises: Sequence[Premise]) -> Premise:
    """Several premises as one."""
    return Premise(
        "\n\n".join(premise.text for premise in premises),
        tuple(part for premise in premises for part in premise.parts),
        gathered=True,
    )


def is_text(characters: str) -> bool:
    """Whether this can be words of any language, judged by its first ten thousand characters."""
    seen = Counter(characters[:10_000])
    junk = sum(count for each, count in seen.items() if _is_junk(each))
    wordy = sum(count for each, count in seen.items() if _is_wordy(each))
    return junk <= _MOST_JUNK * seen.total() and wordy >= _LEAST_TEXT * seen.total()


def _is_junk(character: str) -> bool:
    if character.isspace():
        return False
    return character == "\ufffd" or unicodedata.category(character) in _JUNK


def _is_wordy(character: str) -> bool:
    """Letters, digits and spaces; vowel signs and accents that are characters of their own."""
    if character.isalnum() or character.isspace():
        return True
    return unicodedata.category(character).startswith("M")
