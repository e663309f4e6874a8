"""Exact binomial tails: what a count of errors says about the rate behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, islice


def _tails(trials: int, rate: float) -> Iterator[float]:
    """P(Bin(trials, rate) <= 0), <= 1, <= 2 and so on; in logarithms, so that none underflows."""
    one, other = math.log(rate), math.log1p(-rate)
    every = math.lgamma(trials + 1)
    return accumulate(
        math.exp(
            every
            - math.lgamma(errors + 1)
            - math.lgamma(trials - errors + 1)
            + errors * one
            + (trials - errors) * other
        )
        for errors in range(trials + 1)
    )


def tail(errors: int, trials: int, rate: float) -> float:
    """P(Bin(trials, rate) <= errors): the p-value of "the rate is larger than `rate`"."""
    return min(1.0, next(islice(_tails(trials, rate), errors, None)))


@lru_cache(maxsize=65_536)
def most_errors(trials: int, alpha: float, delta: float) -> int:
    """With up to so many errors the rate is at most alpha, with confidence 1 - delta; -1: none.

    >>> most_errors(22, 0.1, 0.1), most_errors(21, 0.1, 0.1)
    (0, -1)
    """
    too_many = (errors for errors, p in enumerate(_tails(trials, alpha)) if p > delta)
    return next(too_many, trials + 1) - 1


def fewest_trials(errors: int, alpha: float, delta: float) -> int:
    """How many trials with so many errors show that the rate is at most alpha."""
    low, high = errors, max(1, errors)
    while most_errors(high, alpha, delta) < errors:
        low, high = high, high * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if most_errors(middle, alpha, delta) >= errors else (middle, high)
    return high


def upper_bound(errors: int, trials: int, delta: float) -> float:
    """The rate is at most this with confidence 1 - delta (Clopper and Pearson, one-sided)."""
    if errors >= trials:
        return 1.0
    low, high = errors / trials, 1.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (middle, high) if tail(errors, trials, middle) > delta else (low, middle)
    return high
