"""Two variants at the same coverage: who answers more keeps only the answers that it is surest of.

A method that says nothing is never wrong, and one that always answers is right more often. So the
one with the larger coverage is cut, by its own confidence, to the coverage of the other; what is
cut counts as 0, as what was never answered does. Of answers that are equally sure any may go: each
counts by the share of them that stays. Questions of all sets count together, as coverage does;
those that nothing answers count for coverage, and have no score.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from upheld_lab.bench.page.intervals import between
from upheld_lab.bench.page.paired import FEWEST
from upheld_lab.bench.page.run_data import Cut, Values
from upheld_lab.bench.runs.records import Scores

SCORES = ("correct", "gold_f1")  # right answers, and the places that readers are sent to
ROUNDS = 2_000  # each sorts all answers again
_NOT_SHOWN = -1.0  # below every confidence


@dataclass(frozen=True, slots=True)
class AtEqualCoverage:
    """A score of two variants at one coverage, over the `n` questions that have it.

    The interval is of the paired bootstrap: each round draws questions, and cuts again.
    """

    score: str
    ours: str
    theirs: str
    coverage: float
    our: float
    their: float
    difference: float
    low: float
    high: float
    n: int
    too_few: bool
    sure: bool  # the interval leaves out 0, on enough questions


def at_equal_coverage(cut: Cut, ours: str, theirs: str) -> Iterator[AtEqualCoverage]:
    """The scores that the questions have, at the smaller coverage of the two."""
    rows = [[cut.scores[asked.id, of] for of in (ours, theirs)] for asked in cut.questions]
    confidence = np.array([[_confidence(each) for each in row] for row in rows], float)
    sets = np.array([asked.set for asked in cut.questions])
    strata = [np.flatnonzero(sets == each) for each in cut.sets]
    for name in SCORES:
        score = np.array([[_number(each.get(name)) for each in row] for row in rows], float)
        known = ~np.isnan(score).any(axis=1)
        if known.any():
            score[~known] = np.nan
            yield _compared(name, (ours, theirs), confidence, score, strata)


def _compared(
    name: str,
    variants: tuple[str, str],
    confidence: Values,
    score: Values,
    strata: Sequence[NDArray[np.int64]],
) -> AtEqualCoverage:
    dice = np.random.default_rng(0)

    def drawn() -> float:
        at = np.concatenate([dice.choice(of_set, len(of_set)) for of_set in strata])
        our, their = _means(confidence[at], score[at])
        return float(our - their)

    our, their = map(float, _means(confidence, score))
    low, high = between(np.array([drawn() for _ in range(ROUNDS)]))
    n = int((~np.isnan(score[:, 0])).sum())
    return AtEqualCoverage(
        name, *variants, float((confidence >= 0).mean(axis=0).min()), our, their, our - their,
        low, high, n, n < FEWEST, n >= FEWEST and not low <= 0 <= high,
    )  # fmt: skip


def _means(confidence: Values, score: Values) -> Values:
    """The mean score of both, after the cut; undefined where no question has the score."""
    size = (confidence >= 0).sum(axis=0).min()
    kept = np.stack([_kept(column, size) for column in confidence.T], axis=1)
    known = (~np.isnan(score)).sum(axis=0)
    total = np.nansum(kept * score, axis=0)
    means: Values = np.divide(total, known, out=np.full_like(total, np.nan), where=known > 0)
    return means


def _kept(confidence: Values, size: int) -> Values:
    """The share of each answer that stays where `size` of them may be shown, the surest first."""
    levels, level, counts = np.unique(confidence, return_inverse=True, return_counts=True)
    surer = len(confidence) - np.cumsum(counts)  # answers above each level
    shares = np.clip((size - surer) / counts, 0, 1)
    return np.asarray(np.where(levels >= 0, shares, 0.0)[level])


def _confidence(scores: Scores) -> float:
    return (scores.get("confidence") or 0.0) if scores.get("shown") == 1 else _NOT_SHOWN


def _number(value: float | None) -> float:
    return np.nan if value is None else value
