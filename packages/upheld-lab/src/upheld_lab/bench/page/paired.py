"""Differences between variants on the same questions, and whether chance could have made them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from upheld_lab.bench.page.columns import COLUMNS, Kind
from upheld_lab.bench.page.intervals import difference_interval, means, p_value
from upheld_lab.bench.page.run_data import ALL, Cut, count, pairs

LEVEL = 0.05
# Questions compared, below which nothing is called sure: a handful of lucky ones passes the test,
# and the bootstrap draws the same few again, so that its intervals are too narrow.
FEWEST = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """A variant minus the one it is compared with; `sure` after Holm's correction.

    `too_few`: it passes the test, but on fewer than FEWEST questions, so that it is not sure.
    """

    set: str
    score: str
    variant: str
    against: str
    our: float
    their: float
    difference: float
    low: float
    high: float
    p: float
    n: int
    sure: bool = False
    too_few: bool = False


def differences(cut: Cut) -> tuple[Difference, ...]:
    """Every variant against plain RAG, or against the first where the run has no RAG.

    The tests of one score on one set are corrected together: each further variant is a further
    chance to find something in noise.
    """
    base = cut.named("rag") or cut.variants[0]
    sets = (ALL, *cut.sets) if len(cut.sets) > 1 else (ALL,)
    found = [
        told
        for name in sets
        for column in COLUMNS
        if column.kind is not Kind.ABSTENTION
        for variant in cut.variants
        if variant != base
        and (told := difference(cut, name, column.name, variant, base)) is not None
    ]
    return tuple(
        each
        for _, family in groupby(found, key=lambda each: (each.set, each.score))
        for each in holm(tuple(family))
    )


def holm(family: Sequence[Difference]) -> tuple[Difference, ...]:
    """Mark those that stay sure when all tests of the family count (Holm 1979)."""
    passed: set[int] = set()
    for rank, at in enumerate(sorted(range(len(family)), key=lambda at: family[at].p)):
        if family[at].p > LEVEL / (len(family) - rank):
            break
        passed.add(at)
    return tuple(
        replace(each, sure=each.n >= FEWEST, too_few=each.n < FEWEST) if at in passed else each
        for at, each in enumerate(family)
    )


def difference(cut: Cut, name: str, score: str, ours: str, theirs: str) -> Difference | None:
    """The mean difference of a score on a set; None where no question has it for both."""
    values = pairs(cut, cut.of(name), score, ours, theirs)
    if not values:
        return None
    our, their = map(float, means(values))
    found = difference_interval(values)
    return Difference(
        name, score, ours, theirs, our, their, found.mean, found.low, found.high,
        p_value(values), count(values),
    )  # fmt: skip
