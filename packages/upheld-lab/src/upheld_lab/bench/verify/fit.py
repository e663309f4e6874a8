"""The pooling and the thresholds that belong to a verifier's weights, fitted on dev files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from upheld.verification.aggregate import NAMES, Aggregate, Features
from upheld.verification.decide import Decide
from upheld_lab.bench.logistic import logistic
from upheld_lab.bench.verify.figures import balanced_accuracy
from upheld_lab.bench.verify.labels import Label
from upheld_lab.bench.verify.read import Seen

EVEN_ODDS = 0.5  # what people take `supported` to mean at the least


def fit(sets: Mapping[str, Sequence[Seen]], half: Collection[str] = ()) -> Decide:
    """Fit the weights: sets of twins in `half` count for half of all, and within both halves every
    claim counts alike.

    With every set counting alike, probabilities of sets that were left out were further from the
    truth.
    """
    every = [one for seen in sets.values() for one in seen]
    read = [
        (features, one.supported, name in half)
        for name, seen in sets.items()
        for one in seen
        if (features := one.features())
    ]
    return Decide(
        aggregate=_aggregate(read),
        supported_above=EVEN_ODDS,
        contradicted_above=_contradicted_above(every),
    )


def _aggregate(read: Sequence[tuple[Features, bool, bool]]) -> Aggregate:
    twins = np.array([is_twin for _, _, is_twin in read])
    share = twins.mean()
    even = (
        np.ones(len(read)) if share in (0, 1) else np.where(twins, 0.5 / share, 0.5 / (1 - share))
    )
    weights, bias = logistic(
        np.array([_row(features) for features, _, _ in read]),
        np.array([supported for _, supported, _ in read], float),
        even,
    )
    return Aggregate(**dict(zip(NAMES, weights, strict=True)), bias=bias)


def best_threshold(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Where the balanced accuracy is highest."""
    grid = sorted({round(score, 3) for score in scores})
    return max(grid, key=lambda above: balanced_accuracy(scores, positive, above))


def _contradicted_above(seen: Sequence[Seen]) -> float:
    told = [one for one in seen if one.case.label in (Label.CONTRADICTS, Label.NEUTRAL)]
    scores = [one.contradicts for one in told]
    return best_threshold(scores, [one.case.label is Label.CONTRADICTS for one in told])


def _row(features: Features) -> list[float]:
    return [getattr(features, name) for name in NAMES]
