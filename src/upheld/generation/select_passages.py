"""Likely: the passages to quote, so that a reader is sent to the right ones and to few others.

One passage too many costs a reader as much as one too few. So as many are quoted as give the best
F1 that can be expected: one where it stands out, two or three where they are about as likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from upheld.types import Evidence, Passage
from upheld.verification.relevance import log_odds

Signals = tuple[float, float, float]  # its grade, its best sentence, its share of the best score
# Fitted on dev questions by `upheld bench likely`: docs/decisions/011-one-passage.md
WEIGHTS = (0.212, 5.455, 6.435, -9.227)
MOST = 3


def likely(evidence: Evidence, best: dict[Passage, float]) -> list[Passage]:
    """Those to quote, likeliest first; `best` is the score of each one's best sentence.

    Where nobody graded them, nothing tells how likely they are: the best sentence's alone.
    """
    known = signals(evidence, best)
    if len(known) < len(best):
        return [max(best, key=lambda passage: best[passage])]
    chances = {passage: probability(each) for passage, each in known.items()}
    first = sorted(chances, key=lambda passage: -chances[passage])
    return first[: worth_quoting([chances[each] for each in first])]


def signals(evidence: Evidence, best: dict[Passage, float]) -> dict[Passage, Signals]:
    """What is known of every passage that has a sentence and a grade."""
    most = max((hit.score for hit in evidence), default=0.0) or 1.0
    return {
        hit.passage: (log_odds((hit.relevance + 1) / 2), best[hit.passage], hit.score / most)
        for hit in evidence
        if hit.relevance is not None and hit.passage in best
    }


def probability(known: Signals, weights: Sequence[float] = WEIGHTS) -> float:
    """That a passage answers."""
    *each, shift = weights
    return 1 / (1 + math.exp(-(sum(w * x for w, x in zip(each, known, strict=True)) + shift)))


def worth_quoting(chances: Sequence[float], most: int = MOST) -> int:
    """How many of these, likeliest first."""
    numbers = range(1, min(most, len(chances)) + 1)
    return max(numbers, key=lambda n: expected_f1(chances[:n]), default=0)


def expected_f1(chances: Sequence[float]) -> float:
    """Of citing these, where one passage is right."""
    return 2 * sum(chances) / (len(chances) + 1)
