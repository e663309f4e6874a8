"""How sure a mean, a difference or a ratio is: bootstrap and permutation over questions.

A mean is taken over the questions of a set, then over sets, so that a large set does not drown a
small one. Questions are drawn again inside each set. The same draws serve every variant, which
makes all comparisons paired; they are seeded, so the same run gives the same figures.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from upheld_lab.bench.metrics import Interval
from upheld_lab.bench.page.run_data import Strata, Values

ROUNDS = 5_000
PERMUTATIONS = 10_000


def means(values: Strata) -> Values:
    """Of each quantity: the mean over questions inside a set, then over sets."""
    return np.asarray(np.mean([each.mean(axis=0) for each in values.values()], axis=0))


def resampled_means(values: Strata) -> Values:
    """The same for each round of the bootstrap: a row a round, a column a quantity."""
    drawn = [_counts(len(each), at) @ each / len(each) for at, each in enumerate(values.values())]
    return np.asarray(np.mean(drawn, axis=0))


def resampled_totals(values: Strata) -> Values:
    """Sums over all questions of all sets, for figures that are no means, such as an F1."""
    drawn = [_counts(len(each), at) @ each for at, each in enumerate(values.values())]
    return np.asarray(np.sum(drawn, axis=0))


def totals(values: Strata) -> Values:
    """Sums over all questions of all sets."""
    return np.asarray(np.sum([each.sum(axis=0) for each in values.values()], axis=0))


def between(resampled: Values, level: float = 95) -> tuple[float, float]:
    """The middle `level` per cent; rounds in which a figure is undefined are left out."""
    known = resampled[~np.isnan(resampled)]
    if not len(known):
        return float("nan"), float("nan")
    rest = (100 - level) / 2
    # The nearest round and no point between two: a ratio may be infinite in some.
    low, high = np.percentile(known, [rest, 100 - rest], method="nearest")
    return float(low), float(high)


def mean_interval(values: Strata, level: float = 95) -> Interval:
    """Of the first quantity."""
    return Interval(float(means(values)[0]), *between(resampled_means(values)[:, 0], level))


def difference_interval(values: Strata, level: float = 95) -> Interval:
    """Of the first quantity minus the second, on the same questions."""
    return mean_interval(_differences(values), level)


def median_interval(values: Strata, level: float = 95) -> Interval:
    """Of the first quantity's median, over the questions of all sets together."""
    drawn = [each[:, 0][_picks(len(each), at)] for at, each in enumerate(values.values())]
    together = np.concatenate([each[:, 0] for each in values.values()])
    medians = np.median(np.concatenate(drawn, axis=1), axis=1)
    return Interval(float(np.median(together)), *between(medians, level))


def p_value(values: Strata) -> float:
    """Two-sided: how often chance alone, swapping the two quantities, differs as much.

    Exact where all swaps can be tried; else by seeded draws.
    """
    from scipy.stats import permutation_test

    weighted = np.concatenate(
        [each[:, 0] / (len(each) * len(values)) for each in _differences(values).values()]
    )
    changed = weighted[weighted != 0]  # swapping equals changes nothing
    if len(changed) < 2:
        return 1.0  # either way it differs as much
    found = permutation_test(
        (changed,),
        lambda swapped, axis: np.abs(swapped.sum(axis=axis)),
        permutation_type="samples",  # of one sample: each value keeps or changes its sign
        alternative="greater",
        n_resamples=PERMUTATIONS,
        rng=len(changed),
    )
    return float(found.pvalue)


def _differences(values: Strata) -> Strata:
    return {name: each[:, :1] - each[:, 1:2] for name, each in values.items()}


def _picks(questions: int, at: int) -> NDArray[np.int64]:
    return np.random.default_rng([questions, at]).integers(0, questions, (ROUNDS, questions))


@lru_cache(maxsize=6)  # tables ask for the same few sizes again and again
def _counts(questions: int, at: int) -> Values:
    """How often each question is drawn, by round; `at` keeps sets independent."""
    cells = _picks(questions, at) + np.arange(ROUNDS)[:, None] * questions
    counts = np.bincount(cells.ravel(), minlength=ROUNDS * questions)
    return counts.astype(np.float64).reshape(ROUNDS, questions)
