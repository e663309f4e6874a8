"""A passage prepared for checks: whether it is readable, its sentences and its windows."""

from __future__ import annotations

import math
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from upheld.text.assertion import Unasserted, unasserted
from upheld.text.instructions import as_evidence
from upheld.text.marks import indexed_words
from upheld.text.names import Names
from upheld.text.sentences import Span, sentence_spans
from upheld.text.windows import pieces, windows
from upheld.text.word_search import WordIndex
from upheld.text.words import terms
from upheld.types import Cause, Citation, Passage, Support
from upheld.verification.different_values import different_values
from upheld.verification.exact_quote import Quotable, quotable
from upheld.verification.table_rows import Row, is_row, table_rows

if TYPE_CHECKING:
    from upheld.ports import Vectors

Count = Callable[[str], int]

_JUNK = ("Cc", "Co", "Cn", "Cs")  # controls, private use, unassigned, surrogates
_MOST_JUNK = 0.1
_LEAST_TEXT = 0.5  # share of letters, digits and spaces; prose has 0.95, tables and code 0.7
_MOST_GATHERED_FROM = 256  # sentences
_MOST_SCORED = 32  # sentences that are compared by length too
_MOST_COMPARED = 12  # sentences that may give another value
_LENGTH_OFFSET, _LENGTH_POWER = 4, 0.3  # how much a long sentence is held back
_CONTEXT_SHARE = 3  # title and headings may take at most a third of a premise


@dataclass(frozen=True, slots=True)
class CheckFailure:
    """Why a claim or source could not be checked."""

    cause: Cause
    reason: str


@dataclass(frozen=True, slots=True)
class Part:
    """The spans of one source that are part of a premise."""

    source: Source
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Premise:
    """Text for the model to check a claim against, and the spans it comes from."""

    text: str
    parts: tuple[Part, ...]
    gathered: bool = False  # sentences picked for the claim, not consecutive text
    focused: bool = False  # the one sentence that is nearest to the claim


@dataclass(frozen=True, slots=True)
class Windows:
    """The windows of a source for one window size, with an index of their words."""

    premises: tuple[Premise, ...]
    words: WordIndex
    left_out: int = 0  # number of further windows, which are not searched


@dataclass(eq=False)
class Source:
    """One passage; costly properties are computed on first use and cached."""

    passage: Passage
    vectors: dict[int, Vectors] = field(default_factory=dict, repr=False)  # by window size
    is_foreign: bool | None = None  # whether the model cannot read its language; None: not known
    _windows: dict[int, Windows] = field(default_factory=dict, repr=False)
    _tokens: int | None = field(default=None, repr=False)  # of all sentences

    @cached_property
    def evidence(self) -> Passage:
        """The passage, with instructions to the answering system blanked out."""
        return as_evidence(self.passage)

    @property
    def text(self) -> str:
        return self.evidence.text

    @cached_property
    def indexed(self) -> frozenset[str]:
        """Words with an index, such as `argv[1]`, in which `[1]` is no citation mark."""
        return indexed_words(self.text)

    def make_ready(self, *, for_model: bool) -> None:
        """Compute what every check needs; without a model, only what exact quotes need."""
        if self.failure is None:
            _ = self.quotable, self.indexed
            if for_model:
                _ = self.sentences, self.unasserted, self.names, self.words

    def prepared(self, **parts: object) -> None:
        """Set cached properties that were computed in another process, by property name."""
        self.__dict__.update(parts)

    @property
    def is_ready(self) -> bool:
        """Return whether `make_ready` has run, or is known to fail."""
        return self.__dict__.get("failure") is not None or "words" in self.__dict__

    @cached_property
    def failure(self) -> CheckFailure | None:
        """Why the passage is useless as a source in any language; None if it is usable."""
        if not self.passage.text.strip():
            return CheckFailure(Cause.SOURCE_EMPTY, "the source is empty")
        if not self.text.strip():
            reason = "the source only tells whoever answers what to say"
            return CheckFailure(Cause.SOURCE_EMPTY, reason)
        if not is_text(self.text):
            return CheckFailure(Cause.UNREADABLE, "the source is not text")
        return None

    @cached_property
    def sentences(self) -> list[Span]:
        return sentence_spans(self.text)

    @cached_property
    def quotable(self) -> tuple[Quotable, ...]:
        return () if self.failure else quotable(self.evidence)

    @cached_property
    def unasserted(self) -> dict[Span, Unasserted]:
        """The sentences that the source contains but does not assert."""
        headings = "\n".join((self.evidence.title, *self.evidence.heading_path))
        return unasserted(self.text, self.sentences, headings)

    @cached_property
    def names(self) -> Names:
        """The names in the passage, including title and headings."""
        return Names.of(self.evidence.searchable)

    @cached_property
    def words(self) -> WordIndex:
        """An index of the terms of each sentence."""
        return WordIndex.of([terms(self.text[start:end]) for start, end in self.sentences])

    @cached_property
    def table_headers(self) -> dict[int, int]:
        """For each sentence that is a row of a table, the number of the row with the headers."""
        found: dict[int, int] = {}
        header: int | None = None
        for place, (start, _) in enumerate(self.sentences):
            if not is_row(self.text, start):
                header = None
            elif header is None:
                header = place
            else:
                found[place] = header
        return found

    @cached_property
    def table_rows(self) -> tuple[Row, ...]:
        return table_rows(self.text, self.sentences)

    @cached_property
    def heading_terms(self) -> frozenset[str]:
        return terms("\n".join((self.evidence.title, *self.evidence.heading_path)))

    def terms_of(self, claim: str) -> frozenset[str]:
        """Return the claim's terms that occur in the source, its title or its headings."""
        known, headings = self.words.places, self.heading_terms
        return frozenset(term for term in terms(claim) if term in known or term in headings)

    def whole(self, room: int, count: Count) -> Premise | None:
        """Return the whole source as one premise if it fits into `room` tokens, else None."""
        if self._size(count) > room:
            return None
        cut = self._cut(room, count)
        return cut[0] if len(cut) == 1 else None

    def windows(self, room: int, count: Count) -> tuple[Premise, ...]:
        """Return premises of at most `room` tokens that together contain every sentence."""
        return self.searchable(room, count).premises

    def searchable(self, room: int, count: Count, most: int | None = None) -> Windows:
        """Return at most the first `most` windows with their words, cached by size."""
        if room not in self._windows:
            cut = self._cut(room, count)
            kept = cut[:most]
            words = WordIndex.of([terms(premise.text) for premise in kept])
            self._windows[room] = Windows(kept, words, len(cut) - len(kept))
        return self._windows[room]

    def _size(self, count: Count) -> int:
        if self._tokens is None:
            self._tokens = sum(count(self.text[start:end]) for start, end in self.sentences)
        return self._tokens

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
        """Return the sentences that together share most terms with the claim, in document order."""
        context = self._context(room, count)
        left = room - count(context)
        told = terms(claim)
        spans = pieces(self.text, self._nearest_sentences(told), left, count)
        have = [terms(self.text[start:end]) & told for start, end in spans]
        open_terms, chosen = set(told), set[int]()
        for _ in spans:
            # Prefer sentences with new terms, then those that share most terms.
            gains = [(len(each & open_terms), len(each)) for each in have]
            best = max(set(range(len(spans))) - chosen, key=lambda at: (gains[at], -at))
            size = count(self.text[slice(*spans[best])])
            if size > left or (chosen and not gains[best][1]):
                break
            chosen.add(best)
            left -= size
            open_terms -= have[best]
        return self._premise(context, tuple(spans[at] for at in sorted(chosen)), gathered=True)

    def focused(self, claim: str, room: int, count: Count) -> Premise | None:
        """Return the sentence nearest to the claim alone, a row of a table with its header.

        None if the source has no other sentence, or if the sentence does not fit.
        """
        if len(self.sentences) < 2:
            return None
        at = self._nearest_sentence(terms(claim))
        header = self.table_headers.get(at)
        places = (at,) if header is None else (header, at)
        spans = tuple(self.sentences[place] for place in places)
        text = "\n".join(self.text[slice(*span)] for span in spans)
        if count(text) > room:
            return None
        return Premise(text, (Part(self, spans),), gathered=True, focused=True)

    def _nearest_sentence(self, told: frozenset[str]) -> int:
        """Return the sentence that shares the rarest terms with the claim; shorter ones first."""
        scores: dict[int, float] = {}
        for term in sorted(told):
            places = self.words.places.get(term, ())
            for place in places:
                rarity = math.log(1 + len(self.sentences) / len(places))
                scores[place] = scores.get(place, 0.0) + rarity

        def score(place: int) -> tuple[float, int]:
            size = len(terms(self.text[slice(*self.sentences[place])]))
            return scores[place] / (_LENGTH_OFFSET + size) ** _LENGTH_POWER, -place

        best = sorted(scores, key=lambda place: (-scores[place], place))[:_MOST_SCORED]
        return max(best, key=score, default=0)

    def _nearest_sentences(self, told: frozenset[str]) -> list[Span]:
        """Return sentences that share a term with the claim, at most 256: those that share most."""
        shared = self.words.shared(told)
        nearest = sorted(shared, key=lambda at: (-shared[at], at))[:_MOST_GATHERED_FROM]
        return [self.sentences[at] for at in sorted(nearest)] or self.sentences[:1]

    def closest(self, claim: str, within: Sequence[Span] = ()) -> Span:
        """Return the sentence, within these spans, that shares most terms with the claim."""
        told = terms(claim)

        def shared(span: Span) -> float:
            have = terms(self.text[slice(*span)])
            return 2 * len(have & told) / (len(have) + len(told) or 1)

        among = self.inside(within) if within else self._nearest_sentences(told)
        return max(among, key=shared, default=(0, 0))

    def contradicting(self, claim: str) -> Span | None:
        """Return a sentence that gives another value for the same thing."""
        if self.failure is not None:
            return None
        shared = self.words.shared(terms(claim))
        nearest = sorted(shared, key=lambda at: (-shared[at], at))[:_MOST_COMPARED]
        for span in (self.sentences[at] for at in nearest):
            if span not in self.unasserted and different_values(claim, self.text[slice(*span)]):
                return span
        return None

    def inside(self, within: Sequence[Span]) -> list[Span]:
        """Return the sentences that overlap with these spans."""
        found: set[int] = set()
        for first, last in within:
            begins = bisect_right(self._ends, first)  # the first sentence that ends after it
            found.update(range(begins, bisect_left(self._starts, last)))
        return [self.sentences[at] for at in sorted(found)]

    @cached_property
    def _starts(self) -> list[int]:
        return [start for start, _ in self.sentences]

    @cached_property
    def _ends(self) -> list[int]:
        return [end for _, end in self.sentences]

    def cite(self, span: Span, support: Support) -> Citation:
        """Return a citation of this span, in the coordinates of the document."""
        return self.passage.cite(*span, support)

    def _premise(self, context: str, spans: tuple[Span, ...], *, gathered: bool = False) -> Premise:
        told = " ".join(self.text[start:end] for start, end in spans)
        text = f"{context}\n{told}" if context else told
        return Premise(text, (Part(self, spans),), gathered)

    def _context(self, room: int, count: Count) -> str:
        """Return title and headings; if they are too long, outer headings are dropped first."""
        title, path = self.evidence.title, self.evidence.heading_path
        while True:
            context = "\n".join(part for part in (title, " > ".join(path)) if part)
            if not context or count(context) <= room // _CONTEXT_SHARE:
                return context
            title, path = (title, path[1:]) if path else ("", ())


def joined(premises: Sequence[Premise]) -> Premise:
    """Join several premises into one."""
    return Premise(
        "\n\n".join(premise.text for premise in premises),
        tuple(part for premise in premises for part in premise.parts),
        gathered=True,
    )


def is_text(characters: str) -> bool:
    """Return whether a string is text in any language, judged by its first 10,000 characters."""
    seen = Counter(characters[:10_000])
    junk = sum(count for each, count in seen.items() if _is_junk(each))
    wordy = sum(count for each, count in seen.items() if _is_wordy(each))
    return junk <= _MOST_JUNK * seen.total() and wordy >= _LEAST_TEXT * seen.total()


def _is_junk(character: str) -> bool:
    if character.isspace():
        return False
    return character == "\ufffd" or unicodedata.category(character) in _JUNK


def _is_wordy(character: str) -> bool:
    """Return whether a character is a letter, digit, space or combining mark (vowels, accents)."""
    if character.isalnum() or character.isspace():
        return True
    return unicodedata.category(character).startswith("M")
