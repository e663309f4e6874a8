"""One scale for relevance: a probability, its log odds, and the score that CRAG makes of it.

Graders give probabilities. Logistic fits add up log odds. CRAG's thresholds, and `Hit.relevance`,
are scores in [-1, 1]: twice the probability less one.
"""

from __future__ import annotations

import math

# A grade's bound in logistic fits: beyond it one signal would outvote the others. The weights that
# were fitted belong to this very number.
GRADE_BOUND = 1 - 0.99
_NO_OVERFLOW = -700.0  # math.exp overflows soon after; the probability is 0 long before


def logit(probability: float, bound: float) -> float:
    """The log odds of a probability, which counts as no nearer to 0 and 1 than `bound`.

    >>> logit(0.5, bound=1e-4)
    0.0
    """
    bounded = min(max(probability, bound), 1 - bound)
    return math.log(bounded / (1 - bounded))


def sigmoid(log_odds: float) -> float:
    """The probability that has these log odds: the inverse of `logit`.

    >>> sigmoid(0.0)
    0.5
    """
    if log_odds < _NO_OVERFLOW:
        return 0.0
    return 1 / (1 + math.exp(-log_odds))


def grade_logit(grade: float) -> float:
    """The log odds of a grader's probability, within the bounds of our logistic fits."""
    return logit(grade, GRADE_BOUND)


def to_score(probability: float) -> float:
    """CRAG's score, from -1 to 1.

    >>> to_score(0.75)
    0.5
    """
    return 2 * probability - 1


def from_score(score: float) -> float:
    """The probability of a score of CRAG's: the inverse of `to_score`."""
    return (score + 1) / 2
