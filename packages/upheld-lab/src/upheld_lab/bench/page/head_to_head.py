"""One figure of two variants on the same questions, as found and in every round of draws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from upheld_lab.bench.page.abstention import f1, silences
from upheld_lab.bench.page.intervals import means, resampled_means, resampled_totals, totals
from upheld_lab.bench.page.run_data import Cut, Values, count, pairs
from upheld_lab.bench.scores.wrong import EqualCoverage, Row, equal_coverage, row_of
from upheld_lab.bench.suites.suite import Asked

WRONG_ROUNDS = 1_000  # each sorts all answers anew


@dataclass(frozen=True, slots=True)
class Compared:
    """Ours and theirs; the rounds are paired: each draws the same questions for both."""

    ours: str
    theirs: str
    our: float
    their: float
    our_rounds: Values
    their_rounds: Values
    n: int


def compared_means(
    cut: Cut, questions: Iterable[Asked], score: str, ours: str, theirs: str
) -> Compared | None:
    """Means of a score over the questions for which both have it."""
    values = pairs(cut, questions, score, ours, theirs)
    if not values:
        return None
    drawn = resampled_means(values)
    our, their = map(float, means(values))
    return Compared(ours, theirs, our, their, drawn[:, 0], drawn[:, 1], count(values))


def compared_abstention(cut: Cut, ours: str, theirs: str) -> Compared | None:
    """F1 of keeping silent, over the questions of all sets together."""
    values = silences(cut, cut.questions, ours, theirs)
    if not values:
        return None
    sums, drawn = totals(values), resampled_totals(values)
    our, their = float(f1(sums, 0)), float(f1(sums, 1))
    return Compared(ours, theirs, our, their, f1(drawn, 0), f1(drawn, 1), count(values))


def compared_wrong(cut: Cut, ours: str, theirs: str) -> Compared | None:
    """Confidently wrong at their coverage, or the largest that we reach; of all sets together."""
    rows: dict[str, list[tuple[Row, Row]]] = {}
    for asked in cut.questions:
        our, their = (row_of(cut.scores[asked.id, each]) for each in (ours, theirs))
        if our is not None and their is not None:
            rows.setdefault(asked.set, []).append((our, their))
    if not rows:
        return None
    dice = np.random.default_rng(0)
    rounds = [_equal_coverage(_drawn(rows, dice)) for _ in range(WRONG_ROUNDS)]
    every = [pair for of_set in rows.values() for pair in of_set]
    found = _equal_coverage(every)
    return Compared(
        ours,
        theirs,
        found.ours,
        found.theirs,
        np.array([each.ours for each in rounds]),
        np.array([each.theirs for each in rounds]),
        len(every),
    )


def _drawn(
    rows: Mapping[str, Sequence[tuple[Row, Row]]], dice: np.random.Generator
) -> list[tuple[Row, Row]]:
    """As many again of each set."""
    return [
        of_set[at]
        for of_set in rows.values()
        for at in dice.integers(0, len(of_set), len(of_set)).tolist()
    ]


def _equal_coverage(rows: Sequence[tuple[Row, Row]]) -> EqualCoverage:
    ours, theirs = zip(*rows, strict=True)
    return equal_coverage(ours, theirs)
