"""Answer by quotes from the few passages that most probably answer, and from what these name.

One passage too many costs a reader as much as one too few. So as many passages are quoted as give
the best expected F1: one if it stands out, two or three if they are about as probable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld._internal.probability import from_score, grade_logit, sigmoid
from upheld.generation.extract import Candidate, ExtractiveWriter, quoted
from upheld.retrieval.bridge import Bridge
from upheld.run.trace import span
from upheld.types import Draft, Evidence, Passage, Question

Signals = tuple[float, float, float]  # its grade, its best sentence, its share of the best score
# Fitted on dev questions by `python -m upheld_lab.fits select-passages`:
# docs/decisions/011-one-passage.md
WEIGHTS = (0.212, 5.455, 6.435, -9.227)
MOST = 3


def select_passages(evidence: Evidence, best: dict[Passage, float]) -> list[Passage]:
    """The passages to quote, most probable first; `best` has the score of each best sentence.

    Without grades there are no probabilities: then the passage with the best sentence alone.
    """
    known = signals(evidence, best)
    if len(known) < len(best):
        return [max(best, key=lambda passage: best[passage])]
    probabilities = {passage: probability(each) for passage, each in known.items()}
    first = sorted(probabilities, key=lambda passage: -probabilities[passage])
    return first[: worth_quoting([probabilities[each] for each in first])]


def signals(evidence: Evidence, best: dict[Passage, float]) -> dict[Passage, Signals]:
    """The features of every passage that has a sentence and a grade."""
    most = max((hit.score for hit in evidence), default=0.0) or 1.0
    return {
        hit.passage: (grade_logit(from_score(hit.relevance)), best[hit.passage], hit.score / most)
        for hit in evidence
        if hit.relevance is not None and hit.passage in best
    }


def probability(known: Signals, weights: Sequence[float] = WEIGHTS) -> float:
    """The probability that a passage answers the question."""
    *each, shift = weights
    return sigmoid(sum(w * x for w, x in zip(each, known, strict=True)) + shift)


def worth_quoting(probabilities: Sequence[float], most: int = MOST) -> int:
    """How many passages give the best expected F1, most probable first."""
    numbers = range(1, min(most, len(probabilities)) + 1)
    return max(numbers, key=lambda n: expected_f1(probabilities[:n]), default=0)


def expected_f1(probabilities: Sequence[float]) -> float:
    """The expected F1 of citing these passages, if one passage is right."""
    return 2 * sum(probabilities) / (len(probabilities) + 1)


@dataclass(frozen=True, kw_only=True)
class ExtractiveAnswerer:
    """Writes without a language model: quotes sentences of the selected passages."""

    quote: ExtractiveWriter
    bridge: Bridge | None = None

    async def __call__(self, question: Question, evidence: Evidence) -> Draft:
        with span("write", note="quote"):
            picked = await self.first_half(question, evidence)
            if self.bridge is not None:
                named = await self.bridge(question, best_words(picked))
                half = replace(self.quote, max_sentences=self.quote.max_sentences // 2)
                picked += half.pick(await half.scored(question, named))
                known = evidence.passages
                evidence = Evidence((*evidence, *(h for h in named if h.passage not in known)))
            return Draft(question, tuple(map(quoted, picked)), evidence)

    async def first_half(self, question: Question, evidence: Evidence) -> list[Candidate]:
        """The sentences to quote from the passages that the question itself finds."""
        read = evidence.top(self.quote.max_passages)
        return self.quote.pick(in_selected_passages(await self.quote.scored(question, read), read))


def in_selected_passages(scored: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """The sentences of the selected passages."""
    chosen = select_passages(evidence, best_sentences(scored))
    return [each for each in scored if each.passage in chosen]


def best_sentences(scored: Sequence[Candidate]) -> dict[Passage, float]:
    """The score of the best sentence of each passage."""
    best: dict[Passage, float] = {}
    for each in scored:
        best[each.passage] = max(each.score, best.get(each.passage, each.score))
    return best


def best_words(scored: Sequence[Candidate]) -> dict[Passage, str]:
    """The best sentence of each passage, below its title."""
    worst_first = sorted(scored, key=lambda each: each.score)
    return {each.passage: each.alone.searchable for each in worst_first}
