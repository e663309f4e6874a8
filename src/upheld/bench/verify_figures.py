"""What a verifier is worth on a set: AUC beside word overlap; contradicted against neutral."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from upheld.bench.verify_pool import Features, Pooling, Score, featured, overlap
from upheld.bench.verify_sets import Case
from upheld.training.verifier.labels import Label


@dataclass(frozen=True, slots=True)
class Figures:
    """One set's; `against` is None where a set does not tell contradicted from neutral."""

    cases: int
    supported: float  # share
    auc: float
    overlap_auc: float
    against: float | None


def measure(
    cases: Sequence[Case], score: Score, pooling: Pooling, most: int | None = None
) -> Figures:
    """Score the cases of a set; `most` bounds the windows a claim is held against."""
    features = featured(cases, score, most)
    supported = [case.label.supported for case in cases]
    texts = [" ".join(f"{title} {text}" for title, text in case.passages) for case in cases]
    shares = [overlap(case.claim, text) for case, text in zip(cases, texts, strict=True)]
    return Figures(
        len(cases),
        float(np.mean(supported)),
        auc(pooling(features).tolist(), supported),
        auc(shares, supported),
        _against(cases, features),
    )


def auc(values: Sequence[float], positive: Sequence[bool]) -> float:
    """How often a positive stands above a negative; ties count half.

    >>> auc([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    0.875
    """
    value, truth = np.asarray(values, float), np.asarray(positive, bool)
    above, below = value[truth], np.sort(value[~truth])
    lower = np.searchsorted(below, above, "left") + np.searchsorted(below, above, "right")
    return float(lower.sum() / 2 / (len(above) * len(below)))


def _against(cases: Sequence[Case], features: Sequence[Features]) -> float | None:
    told = [
        (one[3], case.label is Label.CONTRADICTS)
        for case, one in zip(cases, features, strict=True)
        if case.label in (Label.CONTRADICTS, Label.NEUTRAL)
    ]
    if len({truth for _, truth in told}) < 2:
        return None
    return auc([value for value, _ in told], [truth for _, truth in told])
