"""Confidently wrong: shown without a warning, and wrong; as a rate and as a curve over coverage.

Rates are over all questions, so that 0 is had by showing nothing: two methods compare only at the
same coverage, the share of questions for which something is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Row:
    """One question: how sure the method is, whether it shows its answer, whether that is wrong."""

    confidence: float | None  # None: it has nothing that it could show
    shown: bool
    wrong_if_shown: bool


@dataclass(frozen=True, slots=True)
class Point:
    """At this coverage, this share of all questions is answered wrongly without a warning."""

    coverage: float
    rate: float


@dataclass(frozen=True, slots=True)
class EqualCoverage:
    """Two methods at one coverage; there is no ratio to a method that is never wrong."""

    coverage: float
    ours: float
    theirs: float

    @property
    def ratio(self) -> float | None:
        return self.ours / self.theirs if self.theirs else None


def row_of(scores: Mapping[str, float | None]) -> Row | None:
    """From the scores of one outcome; None where nobody knows what is right."""
    wrong = scores.get("wrong_if_shown")
    if wrong is None:
        return None
    return Row(scores.get("confidence"), scores.get("shown") == 1, wrong == 1)


def wrong_rate(rows: Sequence[Row]) -> float:
    """The share of all questions with an answer that is shown and wrong."""
    return sum(row.shown and row.wrong_if_shown for row in rows) / len(rows) if rows else 0.0


def coverage(rows: Sequence[Row]) -> float:
    """The share of questions for which something is shown."""
    return sum(row.shown for row in rows) / len(rows) if rows else 0.0


def curve(rows: Sequence[Row]) -> list[Point]:
    """From nothing shown to everything shown; what is equally sure comes at one point.

    What the method shows comes before what it marks, so that the curve goes through the point at
    which the method works.
    """

    def sureness(row: Row) -> tuple[bool, float]:
        return row.shown, row.confidence or 0.0

    able = sorted((row for row in rows if row.confidence is not None), key=sureness, reverse=True)
    points = [Point(0.0, 0.0)]
    shown = wrong = 0
    for _, alike in groupby(able, sureness):
        tied = list(alike)
        shown += len(tied)
        wrong += sum(row.wrong_if_shown for row in tied)
        points.append(Point(shown / len(rows), wrong / len(rows)))
    return points


def at_coverage(rows: Sequence[Row], coverage: float) -> Point:
    """The surest answers until so many are shown, or until there are no more.

    Of answers that are equally sure any may be shown: the rate is what to expect, a straight line
    between two points of the curve.
    """
    before, *points = curve(rows)
    for after in points:
        if after.coverage >= coverage:
            way = (coverage - before.coverage) / (after.coverage - before.coverage)
            return Point(coverage, before.rate + way * (after.rate - before.rate))
        before = after
    return before


def equal_coverage(ours: Sequence[Row], theirs: Sequence[Row]) -> EqualCoverage:
    """Both at their own coverage, or at the largest that ours reaches."""
    own = at_coverage(ours, coverage(theirs))
    return EqualCoverage(own.coverage, own.rate, at_coverage(theirs, own.coverage).rate)
