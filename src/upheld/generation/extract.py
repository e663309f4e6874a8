"""The extractive writer: answers with a few verbatim sentences, without a language model.

Every sentence is in a source word for word, so it may be the wrong sentence but never an invented
one. It works offline, and it is the fallback when the language model fails.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld.errors import ModelError
from upheld.generation.candidates import Candidate, quoted, sentences_of, shared_words
from upheld.generation.choose import (
    ABSTAIN_BELOW,
    FITTED_FOR,
    p_right,
    pick_sentences,
    rank_sentences,
    right_features,
)
from upheld.generation.sentence_features import SentenceFeatures, sentence_features
from upheld.ports import Embedder, Grader, QueryPassagePair
from upheld.run.calls import embed, grade
from upheld.run.trace import current_run, span
from upheld.text.asked_value import asked_value
from upheld.text.short_answers import sentence_alone, with_sentence
from upheld.text.words import words
from upheld.types import Claim, Draft, Evidence, Hit, Question

_LONG_QUOTE = 12  # words; a shorter sentence is read as soon as its value
_LONGEST_NEAREST = 300  # characters of the nearest sentence that an abstention shows


@dataclass(frozen=True, slots=True)
class Quotes:
    """The sentences to quote, best first, and P(right); no sentences if that is too low."""

    sentences: tuple[Candidate, ...] = ()
    p_right: float | None = None
    nearest: Candidate | None = None  # the best sentence, if none is quoted


@dataclass(frozen=True, kw_only=True)
class ExtractiveWriter:
    """Quotes the sentence that most probably answers, and after it the next two.

    Returns a draft without claims if P(right) is below `abstain_below`; a note names the nearest
    sentence then. With other models than `fitted_for`, P(right) is not known. Without a grader or
    an embedder, sentences are chosen by shared words and the cosine.
    """

    embedder: Embedder | None = None
    grader: Grader | None = None
    max_passages: int = 5
    max_sentences: int = 3
    abstain_below: float = ABSTAIN_BELOW
    fitted_for: tuple[str, str] = FITTED_FOR
    # Without grader or embedder, fitted on dev questions: docs/decisions/006-quoting.md
    meaning_weight: float = 0.6  # of the cosine; shared words have the other 0.4
    rank_penalty: float = 0.03  # for every rank below the first passage
    least_score: float = 0.30
    keep_within: float = 0.75  # further sentences must reach this share of the best score

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        with span("write", note="quote"):
            return drafted(question, evidence, await self.quotes(question, evidence))

    async def quotes(self, question: Question, evidence: Evidence) -> Quotes:
        """Choose the sentences to quote from the first passages."""
        hits = evidence.top(self.max_passages)
        candidates = sentences_of(hits.passages)
        cosines = await self._cosines(question.text, candidates)
        known = await self._features(question.text, hits, candidates, cosines)
        if known is None:
            return Quotes(tuple(self._by_words(question.text, candidates, cosines)))
        if not known:
            return Quotes()
        ranked = rank_sentences(candidates, known)
        if not self._is_calibrated():
            any_fits = self._by_words(question.text, candidates, cosines)
            return Quotes(tuple(pick_sentences(ranked, self.max_sentences)) if any_fits else ())
        right = p_right(right_features(ranked))
        if right < self.abstain_below:
            return Quotes((), right, ranked[0].candidate)
        return Quotes(tuple(pick_sentences(ranked, self.max_sentences)), right)

    def _is_calibrated(self) -> bool:
        """Whether P(right) is known: the scores of other models have another scale."""
        models = (self.grader, self.embedder)
        return tuple(each.identity for each in models if each is not None) == self.fitted_for

    async def known(
        self, question: str, hits: Evidence
    ) -> tuple[list[Candidate], list[SentenceFeatures]] | None:
        """Return the sentences of passages with their features; None if a model is missing."""
        candidates = sentences_of(hits.passages)
        cosines = await self._cosines(question, candidates)
        features = await self._features(question, hits, candidates, cosines)
        return None if features is None else (candidates, features)

    async def _features(
        self,
        question: str,
        hits: Sequence[Hit],
        candidates: Sequence[Candidate],
        cosines: Sequence[float] | None,
    ) -> list[SentenceFeatures] | None:
        """Return the features of all candidates; None if a model is missing or fails."""
        if self.grader is None or cosines is None:
            return None
        texts = [
            *(hit.passage.searchable for hit in hits),  # most were graded by the search already
            *(each.alone.searchable for each in candidates),
        ]
        try:
            grades = await grade(
                self.grader, "quote", [QueryPassagePair(question, text) for text in texts]
            )
        except ModelError as error:
            current_run().degrade("the grader failed, sentences are quoted without grades", error)
            return None
        whole, alone = grades[: len(hits)], grades[len(hits) :]
        return sentence_features(question, hits, whole, candidates, alone, cosines)

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

    def _by_words(
        self, question: str, candidates: Sequence[Candidate], cosines: Sequence[float] | None
    ) -> list[Candidate]:
        """Return the best different sentences in reading order; none if all score too low."""
        shared = shared_words(question, candidates)
        weight = 0.0 if cosines is None else self.meaning_weight
        scored = [
            replace(
                each,
                score=weight * (0.0 if cosines is None else cosines[i])
                + (1 - weight) * shared[i]
                - self.rank_penalty * each.rank,
            )
            for i, each in enumerate(candidates)
        ]
        best_first = sorted(scored, key=lambda each: -each.score)
        if not best_first or best_first[0].score < self.least_score:
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


def drafted(question: Question, evidence: Evidence, quotes: Quotes) -> Draft:
    """Make the draft of quotes; one without claims says which sentence came nearest."""
    notes = () if quotes.nearest is None else (nearest(quotes.nearest, quotes.p_right or 0.0),)
    claims = tuple(map(quoted, quotes.sentences))
    claims = (*(_with_value(question.text, each) for each in claims[:1]), *claims[1:])
    return Draft(question, claims, evidence, notes, p_right=quotes.p_right)


def _with_value(question: str, quote: Claim) -> Claim:
    """Put the value that is asked for before a long sentence: "100: By default, up to 100 …"."""
    long = len(words(quote.text)) >= _LONG_QUOTE and "\n" not in quote.text
    value = asked_value(question, quote.text) if long else None
    if value is None:
        return quote
    both = with_sentence(value, quote.text)
    return replace(quote, text=both) if sentence_alone(both) == quote.text else quote


def nearest(candidate: Candidate, right: float) -> str:
    """Say which sentence came nearest to an answer, and that it probably does not answer."""
    said = " ".join(candidate.text.split())
    short = said if len(said) <= _LONGEST_NEAREST else f"{said[:_LONGEST_NEAREST]}…"
    return (
        f"nearest, but probably no answer ({right:.2f}): “{short}” "
        f"({candidate.passage.title or candidate.passage.uri})"
    )
