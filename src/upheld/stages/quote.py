"""The quote writer: answers with the few verbatim sentences that fit, and no language model.

Every sentence it writes stands in a source word for word, so it can be the wrong sentence but never
an invented one. It works offline and is what remains when the language model is down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.calls import embed
from upheld.errors import ModelError
from upheld.ports import Embedder, Grader
from upheld.sentences import sentence_spans
from upheld.stages.bearing import log_odds
from upheld.stages.grade import relevances
from upheld.stages.linked import linked
from upheld.trace import current_run, span
from upheld.types import Citation, Claim, Draft, Evidence, Passage, Question
from upheld.words import content_stems, rarities

# How the one passage is chosen; fitted on dev questions: docs/decisions/011-one-passage.md
SENTENCE_WEIGHT = 12.0  # of the best sentence's score, against the log odds of the passage
SEARCH_WEIGHT = 2.0  # of the search's score, as a share of its best
UNGRADED_STEP = 1.2  # for every place below the first, where there are no grades


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence of a passage, and how well it fits the question."""

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
        """As a passage of its own, with title and headings: a bare sentence often says "it"."""
        return replace(self.passage, text=self.text)


@dataclass(frozen=True, kw_only=True)
class QuoteWriter:
    """Pick sentences by shared words, by meaning, by how high their passage ranked, by grade."""

    embedder: Embedder | None = None
    grader: Grader | None = None
    max_passages: int = 5
    max_sentences: int = 3
    # Fitted on dev questions: docs/decisions/006-quoting.md
    meaning_weight: float = 0.6  # cosine, against 0.4 for shared words
    rank_penalty: float = 0.03  # for every place below the first passage
    grade_weight: float = 0.5  # the grader's chance that the sentence helps, against all of that
    abstain_below: float = 0.30
    keep_within: float = 0.75  # a further sentence must reach this share of the best score
    one_passage: bool = False  # all from the passage that fits best, and one that it names

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        with span("write", note="quote"):
            read = evidence.top(self.max_passages)
            candidates = sentences_of(read.passages)
            scored = await self._graded(question, await self._score(question.text, candidates))
            if self.one_passage:
                picked = self._and_linked(
                    question, self._pick(of_best_passage(scored, read)), scored, read
                )
            else:
                picked = self._pick(scored)
            return Draft(question, tuple(quoted(each) for each in picked), evidence)

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

    def _and_linked(
        self,
        question: Question,
        picked: list[Candidate],
        scored: Sequence[Candidate],
        evidence: Evidence,
    ) -> list[Candidate]:
        """And the best sentence of a second passage, where one hop leads to another."""
        if not picked:
            return picked
        second = linked(question, [each.text for each in picked], picked[0].passage, evidence)
        said = [each for each in scored if second and each.passage.id == second.id]
        return [*picked, *sorted(said, key=lambda each: -each.score)[:1]]

    def _pick(self, scored: Sequence[Candidate]) -> list[Candidate]:
        best_first = sorted(scored, key=lambda each: -each.score)
        if not best_first or best_first[0].score < self.abstain_below:
            return []
        floor = best_first[0].score * self.keep_within
        picked: dict[str, Candidate] = {}
        for each in best_first:
            if each.score < floor or len(picked) == self.max_sentences:
                break
            picked.setdefault(" ".join(each.text.split()).casefold(), each)
        # Sentences of one passage read in its order; passages keep the order of their best one.
        first_meeting = {
            each.passage.id: i for i, each in reversed(list(enumerate(picked.values())))
        }
        return sorted(
            picked.values(), key=lambda each: (first_meeting[each.passage.id], each.start)
        )


def sentences_of(passages: Sequence[Passage]) -> list[Candidate]:
    """Every sentence that says something: headings and bare fragments are left out."""
    return [
        Candidate(passage, rank, start, end)
        for rank, passage in enumerate(passages)
        for start, end in sentence_spans(passage.text)
        if not passage.text.startswith("#", start) and len(passage.text[start:end].split()) >= 3
    ]


def of_best_passage(scored: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The sentences of one passage: its best sentence counts, and how good it is as a whole."""
    good = dict(zip(evidence.passages, standing(evidence), strict=True))
    best = max(
        scored, key=lambda each: SENTENCE_WEIGHT * each.score + good[each.passage], default=None
    )
    return [each for each in scored if best and each.passage.id == best.passage.id]


def standing(evidence: Evidence) -> list[float]:
    """How good each passage is: its grade, and its share of the search's best score.

    Where nobody graded it, how high it stands is all that is known.
    """
    most = max((hit.score for hit in evidence), default=0.0) or 1.0
    return [
        -UNGRADED_STEP * rank
        if hit.relevance is None
        else log_odds((hit.relevance + 1) / 2) + SEARCH_WEIGHT * hit.score / most
        for rank, hit in enumerate(evidence)
    ]


def shared_words(question: str, candidates: Sequence[Candidate]) -> list[float]:
    """The share of the question's words that each sentence has, rare words counting more.

    A word of the title counts half: it holds for every sentence there, so it tells less.
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
    """A claim that is its own quote."""
    passage = candidate.passage
    citation = Citation(
        passage_id=passage.id,
        document_id=passage.document_id,
        document_version=passage.document_version,
        start=passage.start + candidate.start,
        end=passage.start + candidate.end,
        quote=candidate.text,
    )
    return Claim(text=candidate.text, citations=(citation,))
