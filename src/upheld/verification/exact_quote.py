"""The exact quote: a claim that is, word for word, one or more whole sentences of a source.

Only whole sentences count, because "It is false that X" contains X. And a sentence counts only if
its source asserts it: not inside quotation marks, not below "These claims are wrong:", not under a
heading such as "Common myths", not if the next sentence retracts it. Claims without an exact quote
go on to the model and the consistency rules, which handle plain denials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from upheld._internal.cache import cached_in_run
from upheld.text.marks import indexed_words
from upheld.text.patterns import found, normalized, replaced, search
from upheld.text.sentences import Span, begins_midway, block_spans, ends_midway, sentences_of_block
from upheld.text.words import words
from upheld.types import Passage
from upheld.verification.claims import spoken

_LOOK_AHEAD = 200  # characters after a sentence in which it may be retracted
_FEWEST_WORDS = 3  # "No, never." means nothing without its question
_FEWEST_UNSPACED = 6
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_TYPOGRAPHY = {"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-"}
_END = ".!… "  # not "?": a question is not a statement
_SENTENCE_END = (".", "!", "?", "…", ":", '"', "'", ")")
_SHORT = 3  # letters
_AROUND = ".,;:!?…()[]{}\"'*"  # of a word whose case is looked at
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+•>|]|\d{1,3}[.)])[ \t]?")
_DOUBT = re.compile(
    r"\b(?:false|untrue|myths?|misconceptions?|wrong|incorrect|hoax(?:es)?|rumou?rs?|debunked"
    r"|fiction(?:al)?|fake|disproved|refuted|alleged(?:ly)?|parody|satire|hypothetical|not true)\b",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"(?:but |however,? |yet |in fact,? |actually,? )?(?:this|that|it|these|none of this)\b.{0,40}"
    r"\b(?:false|untrue|wrong|incorrect|inaccurate|mistaken|a myth|a hoax|debunked|disproved"
    r"|refuted|retracted|withdrawn|not true|not so|not correct|not the case|never happened)\b"
    r"|(?:no|not so|wrong|false|not true|incorrect|april fools?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quotable:
    """A sentence of a source in comparable form; neighbours have consecutive `place`s."""

    start: int
    end: int
    form: str
    place: int


def quotable(passage: Passage) -> tuple[Quotable, ...]:
    """Return the sentences that a passage asserts itself, so that they may be quoted."""
    if search(_DOUBT, f"{passage.title} {' '.join(passage.heading_path)}"):
        return ()
    return tuple(_quotable(passage.text))


def find_quote(claim: str, sentences: tuple[Quotable, ...]) -> Span | None:
    """Return the span of consecutive whole sentences that equal the claim, or None."""
    wanted = _wanted(claim)
    if not wanted:
        return None
    said = None
    for first, opening in enumerate(sentences):
        form = opening.form.rstrip(_END)
        if form == wanted:
            return opening.start, opening.end
        if wanted.startswith(form):
            said = said or _Said.by(sentences)
            if (last := said.until(first, wanted)) is not None:
                return opening.start, sentences[last].end
    return None


@dataclass(frozen=True, slots=True)
class _Said:
    """Sentences as one text, so that several consecutive ones are compared at once."""

    text: str
    starts: tuple[int, ...]  # start of each sentence in the text
    ends: Mapping[int, int]  # index of a sentence by the end of its last word

    @classmethod
    def by(cls, sentences: Sequence[Quotable]) -> _Said:
        parts: list[str] = []
        starts: list[int] = []
        ends: dict[int, int] = {}
        length = place = 0
        for number, each in enumerate(sentences):
            # Only consecutive sentences may form one quote; the line end, which no form has,
            # separates the others.
            between = " " if each.place == place + 1 else "\n"
            starts.append(length + 1)
            ends.setdefault(length + 1 + len(each.form.rstrip(_END)), number)
            parts += (between, each.form)
            length, place = length + 1 + len(each.form), each.place
        return cls("".join(parts), tuple(starts), ends)

    def until(self, first: int, wanted: str) -> int | None:
        """Return the last sentence of a match that begins at sentence `first`, or None."""
        start = self.starts[first]
        last = self.ends.get(start + len(wanted))
        return last if last is not None and self.text.startswith(wanted, start) else None


def comparable(text: str) -> str:
    """Normalise text for comparison: spacing, typography and the case of most words are ignored.

    Case tells MW from mW, US from us and GBps from Gbps: short words and words like these keep it,
    unless a word begins a sentence and has at most its first letter in upper case.
    """
    bare = spoken(text, indexed_words(text))
    plain = replaced(_INVISIBLE, normalized("NFC", bare), lambda _: "")
    for printed, typed in _TYPOGRAPHY.items():
        plain = plain.replace(printed, typed)
    begins = True
    told: list[str] = []
    for word in plain.split():
        told.append(word if _case_counts(word, begins=begins) else word.casefold())
        begins = word.endswith(_SENTENCE_END)
    return " ".join(told)


def _case_counts(word: str, *, begins: bool) -> bool:
    bare = word.strip(_AROUND)
    if begins and bare.isalpha() and (bare.islower() or bare.istitle()):
        return False  # and "-D" is an option also where a sentence begins
    letters = sum(map(str.isalpha, bare))
    return letters <= _SHORT or (bare[1:] != bare[1:].lower() and not bare.isupper())


@cached_in_run(1_000)  # called for every source with the same claim
def _wanted(claim: str) -> str:
    """Return the text to look for in a source; empty if the claim is too short to be a quote."""
    wanted = comparable(claim).rstrip(_END)
    if wanted[:1] == wanted[-1:] == '"' and wanted.count('"') == 2:
        wanted = wanted[1:-1].rstrip(_END)  # an answer may put a quote in quotation marks
    return wanted if _says_something(wanted) else ""


def _quotable(text: str) -> Iterator[Quotable]:
    doubted = False  # below a heading that casts doubt
    announced = False  # below a line that ends in a colon, in the list or block that it opens
    has_capitals = text != text.lower()
    first = 0
    for start, end in block_spans(text):
        block = text[start:end]
        if block.startswith("#"):
            doubted, announced = bool(search(_DOUBT, block)), False
            continue
        opens = block.rstrip(" *_").endswith(":") or ends_midway(block)
        if not doubted and not announced:
            spans = sentences_of_block(text, start, end)
            yield from _own_voice(text, spans, first, has_capitals)
            first += len(spans) + 1  # a gap, so that no quote runs from one block into the next
        announced = opens or (announced and bool(_LIST_ITEM.match(block)))


def _own_voice(
    text: str, spans: Sequence[Span], numbered_from: int, has_capitals: bool
) -> Iterator[Quotable]:
    straight = curly = 0
    for place, (first, last) in enumerate(spans):
        following = text[last : last + _LOOK_AHEAD].lstrip()
        in_quotation = straight % 2 == 1 or curly > 0
        if (
            not in_quotation
            and not (has_capitals and begins_midway(text[first:last]))
            and not ends_midway(text[first:last])
            and not _TAKEN_BACK.match(following)
        ):
            yield Quotable(first, last, comparable(text[first:last]), numbered_from + place)
        said = text[first:last]
        straight += said.count('"')
        curly += said.count("“") + said.count("«") - said.count("”") - said.count("»")


def _says_something(form: str) -> bool:
    return len(words(form)) >= _FEWEST_WORDS or len(found(_UNSPACED, form)) >= _FEWEST_UNSPACED
