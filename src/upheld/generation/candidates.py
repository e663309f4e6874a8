"""The sentences of passages that can be quoted alone, and the words that they share.

Headings, fragments and instructions to the answering system are left out, and so are items of a
list that would say the opposite without the line above it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from upheld.text.assertion import Assertion, unasserted
from upheld.text.instructions import without_instructions
from upheld.text.sentences import (
    Span,
    begins_midway,
    block_spans,
    ends_midway,
    sentence_spans,
)
from upheld.text.words import content_stems, rarities
from upheld.types import Claim, Passage

_FEWEST_WORDS = 3
_LIST_ITEM = re.compile(r"(?:[-*+•>]|\d{1,3}[.)])[ \t]")
_ANNOUNCES = re.compile(r"[\w,`)][`*_)]{0,3}\Z|:[*_]{0,2}\Z")  # the end of a line before a list
_ANNOUNCES_LENGTH = 4  # characters at the end of a sentence that the pattern looks at
_LONGEST_ANNOUNCED = 400  # characters of code or of list items that are quoted with their line
_FOLLOWING = re.compile(r"\b(?:following|follows|below)\b")
_FENCES = ("```", "~~~")
_CODE = re.compile(r"```|~~~|[$#%>] ?[a-z]")
_DENIES = re.compile(
    r"\b(?:not|never|cannot|no|none|neither|avoid|without|except|unless|wrong|false|incorrect|invalid"
    r"|myths?|unsupported|forbidden|prohibited|impossible)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a passage, and its score for the question."""

    passage: Passage
    rank: int
    start: int  # in the passage
    end: int
    score: float = 0.0

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]

    @property
    def alone(self) -> Passage:
        """The sentence as a passage with title and headings, which say what its "it" refers to."""
        return replace(self.passage, text=self.text)


def sentences_of(passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences that can be quoted alone.

    Headings, fragments, instructions to the answering system (prompt injection) and what a passage
    itself calls false are left out.
    """
    return [
        Candidate(passage, rank, start, end)
        for rank, passage in enumerate(passages)
        for start, end in _quotable_spans(passage)
    ]


def _quotable_spans(passage: Passage) -> Iterator[Span]:
    text = without_instructions(passage.text)
    denied = _denied(passage, text)
    for start, end in _with_announced(text):
        is_heading = text.startswith("#", start)
        long_enough = len(text[start:end].split()) >= _FEWEST_WORDS
        if long_enough and not is_heading and start not in denied:
            yield start, end


def _denied(passage: Passage, text: str) -> set[int]:
    """Return where sentences begin that are denied as a whole: "X. That is not true"."""
    headings = "\n".join((passage.title, *passage.heading_path))
    return {
        start
        for (start, end), words in unasserted(text, sentence_spans(text), headings).items()
        if words.assertion is Assertion.DENIED and (words.start, words.end) == (start, end)
    }


def _with_announced(text: str) -> Iterator[Span]:
    """Yield the sentences; one that announces code or a list ends where that ends."""
    blocks = block_spans(text)
    starts = [start for start, _ in blocks]
    for start, end in _whole_sentences(text):
        tail = text[max(start, end - _ANNOUNCES_LENGTH) : end].rstrip("*_")
        following = bisect_left(starts, end)
        if following == len(blocks) or not (
            tail.endswith(":")
            or (_FOLLOWING.search(text, start, end) and _CODE.match(text, starts[following]))
        ):
            yield start, end
        else:
            yield (
                start,
                _announced_end(text, end, blocks[following : following + _LONGEST_ANNOUNCED]),
            )


def _announced_end(text: str, end: int, blocks: Sequence[Span]) -> int:
    """Return the end of the code block, or of the list items, that follow a line; or its own."""
    announced = end
    opening = text[blocks[0][0] : blocks[0][0] + 3]
    if opening in _FENCES:
        closing = text.find(opening, blocks[0][0] + 3, end + _LONGEST_ANNOUNCED)
        return end if closing < 0 else closing + 3
    is_list = _is_item(text, blocks[0][0])
    for start, last in blocks if is_list else blocks[:1]:
        if last - end > _LONGEST_ANNOUNCED or _is_item(text, start) != is_list:
            break
        announced = last
    return announced


def _is_item(text: str, start: int) -> bool:
    return text.startswith("|", start) or _LIST_ITEM.match(text, start) is not None


def _whole_sentences(text: str) -> Iterator[Span]:
    """Yield the spans of sentences that can be read alone.

    Fragments are left out, and so are list items below a line such as "You must not:", which
    would say the opposite without that line.
    """
    has_capitals = text != text.lower()  # without capitals, lower case does not mean a fragment
    denied = False
    before = 0
    for start, end in sentence_spans(text):
        sentence = text[start:end]
        item = _LIST_ITEM.match(sentence) is not None
        if not item and _ANNOUNCES.search(sentence[-_ANNOUNCES_LENGTH:]):
            denied = _DENIES.search(sentence) is not None
        elif not item and "\n" in text[before:start]:
            denied = False
        elif denied:
            before = end
            continue
        before = end
        if not (has_capitals and begins_midway(sentence)) and not ends_midway(sentence):
            yield start, end


def shared_words(question: str, candidates: Sequence[Candidate]) -> list[float]:
    """Return the share of the question's words that each sentence has; rare words count more.

    A word in the title counts half, because it does not distinguish sentences of the document.
    """
    asked = content_stems(question)
    have = [content_stems(each.text) for each in candidates]
    titles = [content_stems(each.passage.title) for each in candidates]
    rarity = rarities(asked, have)
    whole = sum(rarity.values()) or 1.0
    return [
        sum(
            rarity[word] * (1.0 if word in sentence else 0.5)
            for word in asked
            if word in sentence or word in title
        )
        / whole
        for sentence, title in zip(have, titles, strict=True)
    ]


def quoted(candidate: Candidate) -> Claim:
    """Make a claim whose text is the quoted sentence."""
    citation = candidate.passage.cite(candidate.start, candidate.end)
    return Claim(text=candidate.text, citations=(citation,))
