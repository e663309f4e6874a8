"""Precision, recall and their harmonic mean."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PrecisionRecall:
    """Two shares; where there is nothing to count a share is 0, never good by default."""

    precision: float
    recall: float

    @property
    def f1(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def precision_recall(right: int, given: int, wanted: int) -> PrecisionRecall:
    """From counts: how many were given, how many were wanted, how many were both."""
    return PrecisionRecall(right / given if given else 0.0, right / wanted if wanted else 0.0)
