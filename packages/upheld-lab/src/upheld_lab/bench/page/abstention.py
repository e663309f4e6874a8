"""Keeping silent, scored over a whole list of questions."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from upheld_lab.bench.metrics import Interval
from upheld_lab.bench.page.intervals import between, resampled_totals, totals
from upheld_lab.bench.page.run_data import Cut, Strata, Values
from upheld_lab.bench.suites.suite import Asked


def silences(cut: Cut, questions: Iterable[Asked], *variants: str) -> Strata:
    """What should be silent, then for each variant: silent, and rightly so.

    Empty where people marked no question as one that nothing answers.
    """
    rows: dict[str, list[list[float]]] = {}
    for asked in questions:
        should = cut.score(asked, variants[0], "should_abstain")  # the same for every variant
        if should is not None:
            silent = [cut.score(asked, variant, "abstained") or 0.0 for variant in variants]
            row = [should, *(each for one in silent for each in (one, one * should))]
            rows.setdefault(asked.set, []).append(row)
    values = {name: np.array(each) for name, each in rows.items()}
    return values if any(each[:, 0].any() for each in values.values()) else {}


def f1(sums: Values, place: int = 0) -> Values:
    """Of the variant at a place; sums as `silences` orders them, one row or many."""
    should, silent, rightly = _of(sums, place)
    return _share(2 * rightly, silent + should)


def precision(sums: Values, place: int = 0) -> Values:
    """Of the silent ones, those that nothing answers."""
    _, silent, rightly = _of(sums, place)
    return _share(rightly, silent)


def recall(sums: Values, place: int = 0) -> Values:
    """Of those that nothing answers, the silent ones."""
    should, _, rightly = _of(sums, place)
    return _share(rightly, should)


FIGURES = {"abstention_f1": f1, "abstention_precision": precision, "abstention_recall": recall}


def abstention_interval(values: Strata, name: str) -> Interval:
    """One of the figures, with its 95 % interval."""
    figure = FIGURES[name]
    return Interval(float(figure(totals(values))), *between(figure(resampled_totals(values))))


def _of(sums: Values, place: int) -> tuple[Values, Values, Values]:
    first = 1 + 2 * place
    return sums[..., 0], sums[..., first], sums[..., first + 1]


def _share(part: Values, whole: Values) -> Values:
    """Where there is nothing to count a share is 0, never good by default."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)
