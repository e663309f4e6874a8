"""Abstention: does a method say nothing where nothing can be said, and only there?"""

from __future__ import annotations

from collections.abc import Sequence

from upheld_lab.bench.scores.precision_recall import PrecisionRecall, precision_recall


def abstention(abstained: Sequence[bool], should: Sequence[bool]) -> PrecisionRecall:
    """Over the same questions in the same order."""
    both = sum(did and ought for did, ought in zip(abstained, should, strict=True))
    return precision_recall(both, sum(abstained), sum(should))
