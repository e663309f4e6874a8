"""The extractive writer: answers with a few verbatim sentences, without a language model.

Every sentence is in a source word for word, so it may be the wrong sentence but never an invented
one. It works offline, and it is the fallback when the language model fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from upheld.errors import ModelError
from upheld.ports import Embedder, Grader
from upheld.retrieval.grade import relevances
from upheld.run.calls import embed
from upheld.run.trace import current_run, span
from upheld.text.instructions import without_instructions
from upheld.text.sentences import Span, begins_midway, ends_midway, sentence_spans
from upheld.text.words import content_stems, rarities
from upheld.types import Claim, Draft, Evidence, Passage, Question

_FEWEST_WORDS = 3
_LIST_ITEM = re.compile(r"(?:[-*+•>]|\d{1,3}[.)])[ \t]")
_ANNOUNCES = re.compile(r"[\w,`)][`*_)]{0,3}\Z|:[*_]{0,2}\Z")  # the end of a line before a list
_ANNOUNCES_LENGTH = 4  # characters at the end of a sentence that the pattern looks at
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


@dataclass(frozen=True, kw_only=True)
class ExtractiveWriter:
    """Quotes the sentences that score best by shared words, embedding, passage rank and grade.

    Returns a draft without claims if no sentence scores at least `abstain_below`.
    """

    embedder: Embedder | None = None
    grader: Grader | None = None
    max_passages: int = 5
    max_sentences: int = 3
    # Fitted on dev questions: docs/decisions/006-quoting.md
    meaning_weight: float = 0.6  # of the cosine; shared words have the other 0.4
    rank_penalty: float = 0.03  # for every rank below the first passage
    grade_weight: float = 0.5  # of the grader's probability; the score above has the other half
    abstain_below: float = 0.30
    keep_within: float = 0.75  # further sentences must reach this share of the best score

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        with span("write", note="quote"):
            picked = self.pick(await self.scored(question, evidence.top(self.max_passages)))
            return Draft(question, tuple(map(quoted, picked)), evidence)

    async def scored(self, question: Question, evidence: Evidence) -> list[Candidate]:
        """Return every sentence of the evidence with its score for the question."""
        candidates = sentences_of(evidence.passages)
        return await self._graded(question, await self._score(question.text, candidates))

    async def _score(self, question: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        shared = shared_words(question, candidates)
        meaning = await self._cosines(question, candidates)
        weight = self.meaning_weight if meaning is not None else 0.0
        return [
            replace(
                each,
                score=weight * (meaning[i] if meaning is not None else 0.0)
                + (1 - weight) * shared[i]
                - self.rank_penalty * each.rank,
            )
            for i, each in enumerate(candidates)
        ]

    async def _graded(self, question: Question, scored: list[Candidate]) -> list[Candidate]:
        if self.grader is None:
            return scored
        alone = [each.alone for each in scored]
        grades = await relevances(
            self.grader, "quote", question, alone, "sentences are quoted without grades"
        )
        if grades is None:
            return scored
        weight = self.grade_weight
        return [
            replace(each, score=weight * (grade + 1) / 2 + (1 - weight) * each.score)
            for each, grade in zip(scored, grades, strict=True)
        ]

    async def _cosines(self, question: str, candidates: Sequence[Candidate]) -> list[float] | None:
        if self.embedder is None or not candidates:
            return None
        texts = [question, *(each.alone.searchable for each in candidates)]
        try:
            asked, *said = await embed(self.embedder, texts)
        except ModelError as error:
            current_run().degrade(f"the embedder failed, quoted by shared words only: {error}")
            return None
        return [float(vector @ asked) for vector in said]

    def pick(self, scored: Sequence[Candidate]) -> list[Candidate]:
        """Return the best different sentences in reading order; none if all score too low."""
        best_first = sorted(scored, key=lambda each: -each.score)
        if not best_first or best_first[0].score < self.abstain_below:
            return []
        floor = best_first[0].score * self.keep_within
        picked: dict[str, Candidate] = {}
        for each in best_first:
            if each.score < floor or len(picked) == self.max_sentences:
                break
            picked.setdefault(" ".join(each.text.split()).casefold(), each)
        # Passages in the order of their best sentence; sentences of a passage in its own order.
        first_meeting = {
            each.passage.id: i for i, each in reversed(list(enumerate(picked.values())))
        }
        return sorted(
            picked.values(), key=lambda each: (first_meeting[each.passage.id], each.start)
        )


def sentences_of(passages: Sequence[Passage]) -> list[Candidate]:
    """Return the sentences that can be quoted alone.

    Headings, fragments and instructions to the answering system (prompt injection) are left out.
    """
    return [
        Candidate(passage, rank, start, end)
        for rank, passage in enumerate(passages)
        for start, end in _whole_sentences(without_instructions(passage.text))
        if not passage.text.startswith("#", start)
        and len(passage.text[start:end].split()) >= _FEWEST_WORDS
    ]


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
