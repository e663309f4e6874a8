"""The extractive answerer: quotes from the passages that most probably answer the question.

A passage too many is as bad for the reader as one too few, so the number of passages maximises the
expected F1: one if it stands out, two or three if they are about equally probable. With a bridge,
passages that these name are quoted as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from upheld._internal.probability import from_score, grade_logit, sigmoid
from upheld.generation.extract import Candidate, ExtractiveWriter, quoted
from upheld.retrieval.bridge import Bridge
from upheld.run.trace import span
from upheld.types import Draft, Evidence, Passage, Question

# Log odds of the grade, score of the best sentence, search score divided by the best one.
Signals = tuple[float, float, float]
# Fitted on dev questions by `python -m upheld_lab.fits select-passages`:
# docs/decisions/011-one-passage.md
WEIGHTS = (0.212, 5.455, 6.435, -9.227)
MOST = 3


def select_passages(evidence: Evidence, best: dict[Passage, float]) -> list[Passage]:
    """Return the passages to quote, most probable first.

    `best` maps each passage to the score of its best sentence. Without grades there are no
    probabilities: then only the passage with the best sentence is returned.
    """
    known = signals(evidence, best)
    if len(known) < len(best):
        return [max(best, key=lambda passage: best[passage])]
    probabilities = {passage: probability(each) for passage, each in known.items()}
    first = sorted(probabilities, key=lambda passage: -probabilities[passage])
    return first[: worth_quoting([probabilities[each] for each in first])]


def signals(evidence: Evidence, best: dict[Passage, float]) -> dict[Passage, Signals]:
    """Return the features of every passage that has a scored sentence and a grade."""
    most = max((hit.score for hit in evidence), default=0.0) or 1.0
    return {
        hit.passage: (grade_logit(from_score(hit.relevance)), best[hit.passage], hit.score / most)
        for hit in evidence
        if hit.relevance is not None and hit.passage in best
    }


def probability(known: Signals, weights: Sequence[float] = WEIGHTS) -> float:
    """Return the probability that a passage with these features answers the question."""
    *each, shift = weights
    return sigmoid(sum(w * x for w, x in zip(each, known, strict=True)) + shift)


def worth_quoting(probabilities: Sequence[float], most: int = MOST) -> int:
    """Return how many passages give the best expected F1; probabilities are in falling order."""
    numbers = range(1, min(most, len(probabilities)) + 1)
    return max(numbers, key=lambda n: expected_f1(probabilities[:n]), default=0)


def expected_f1(probabilities: Sequence[float]) -> float:
    """Return the expected F1 of citing these passages, assuming that exactly one is right."""
    return 2 * sum(probabilities) / (len(probabilities) + 1)


@dataclass(frozen=True, kw_only=True)
class ExtractiveAnswerer:
    """A writer without a language model: quotes sentences of the selected passages."""

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
        """Return the sentences to quote from the evidence itself, without the bridge."""
        read = evidence.top(self.quote.max_passages)
        return self.quote.pick(in_selected_passages(await self.quote.scored(question, read), read))


def in_selected_passages(scored: Sequence[Candidate], evidence: Evidence) -> list[Candidate]:
    """Return the sentences of the selected passages."""
    chosen = select_passages(evidence, best_sentences(scored))
    return [each for each in scored if each.passage in chosen]


def best_sentences(scored: Sequence[Candidate]) -> dict[Passage, float]:
    """Map each passage to the score of its best sentence."""
    best: dict[Passage, float] = {}
    for each in scored:
        best[each.passage] = max(each.score, best.get(each.passage, each.score))
    return best


def best_words(scored: Sequence[Candidate]) -> dict[Passage, str]:
    """Map each passage to its best sentence, with title and headings."""
    worst_first = sorted(scored, key=lambda each: each.score)
    return {each.passage: each.alone.searchable for each in worst_first}
