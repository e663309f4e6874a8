"""Convert relevance between probability, log odds and CRAG's score.

Graders return probabilities. Logistic fits add log odds. CRAG's thresholds and `Hit.relevance` are
scores in [-1, 1]: twice the probability minus one.
"""

from __future__ import annotations

import math

# Grades are clipped here in logistic fits: beyond it one feature would outweigh all others. The
# fitted weights are valid only with this number.
GRADE_BOUND = 1 - 0.99
_NO_OVERFLOW = -700.0  # math.exp overflows soon after; the probability is 0 long before


def logit(probability: float, bound: float) -> float:
    """Return the log odds of a probability, which is first clipped to [bound, 1 - bound].

    >>> logit(0.5, bound=1e-4)
    0.0
    """
    bounded = min(max(probability, bound), 1 - bound)
    return math.log(bounded / (1 - bounded))


def sigmoid(log_odds: float) -> float:
    """Return the probability that has these log odds: the inverse of `logit`.

    >>> sigmoid(0.0)
    0.5
    """
    if log_odds < _NO_OVERFLOW:
        return 0.0
    return 1 / (1 + math.exp(-log_odds))


def grade_logit(grade: float) -> float:
    """Return the log odds of a grader's probability, clipped as in our logistic fits."""
    return logit(grade, GRADE_BOUND)


def to_score(probability: float) -> float:
    """Convert a probability to CRAG's score, from -1 to 1.

    >>> to_score(0.75)
    0.5
    """
    return 2 * probability - 1


def from_score(score: float) -> float:
    """Convert CRAG's score to a probability: the inverse of `to_score`."""
    return (score + 1) / 2
