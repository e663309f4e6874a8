"""The pooling and the thresholds that belong to a verifier's weights, fitted on dev files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from upheld.bench.verify_figures import balanced_accuracy
from upheld.bench.verify_labels import Label
from upheld.bench.verify_read import Seen
from upheld.stages.checks.conclude import Conclude
from upheld.stages.checks.pool import NAMED, Features, Pool

if TYPE_CHECKING:
    import numpy.typing as npt

RIDGE = 1e-2


def fit(sets: Mapping[str, Sequence[Seen]]) -> Conclude:
    """Every set counts alike, and inside a set claims count as they occur."""
    rows, labels, weights = [], list[bool](), list[float]()
    for seen in sets.values():
        read = [(features, one.supported) for one in seen if (features := one.features())]
        rows += [_row(features) for features, _ in read]
        labels += [supported for _, supported in read]
        weights += [1 / len(read)] * len(read)
    pool = logistic(np.array(rows), np.array(labels, float), np.array(weights))
    return Conclude(
        pool=pool,
        supported_above=_supported_above(sets, Conclude(pool=pool)),
        contradicted_above=_contradicted_above([one for seen in sets.values() for one in seen]),
    )


def _supported_above(sets: Mapping[str, Sequence[Seen]], plain: Conclude) -> float:
    """Where the mean of the sets' balanced accuracies is highest."""

    def worth(above: float) -> float:
        conclude = replace(plain, supported_above=above)  # the guard's cap moves with it
        return sum(
            balanced_accuracy(
                [one.probability(conclude) for one in seen], [one.supported for one in seen], above
            )
            for seen in sets.values()
        )

    return max((round(step / 100, 2) for step in range(20, 81)), key=worth)


def logistic(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], weight: npt.NDArray[np.float64]
) -> Pool:
    """Newton's method with a little ridge, on columns of like size."""
    size = np.maximum(x.std(0), 1e-3)
    x = np.column_stack([x / size, np.ones(len(x))])
    at = np.zeros(x.shape[1])
    ridge = np.diag([RIDGE * weight.sum()] * (x.shape[1] - 1) + [0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ at))
        slope = x.T @ (weight * (p - y)) + ridge @ at
        curve = (x * (weight * p * (1 - p))[:, None]).T @ x + ridge
        at = at - np.linalg.solve(curve, slope)
    weights = (at[:-1] / size).round(4).tolist()
    names = [each.name for each in NAMED]
    return Pool(**dict(zip(names, weights, strict=True)), bias=round(float(at[-1]), 4))


def best_threshold(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """Where the balanced accuracy is highest."""
    grid = sorted({round(score, 3) for score in scores})
    return max(grid, key=lambda above: balanced_accuracy(scores, positive, above))


def _contradicted_above(seen: Sequence[Seen]) -> float:
    told = [one for one in seen if one.case.label in (Label.CONTRADICTS, Label.NEUTRAL)]
    scores = [one.contradicts for one in told]
    return best_threshold(scores, [one.case.label is Label.CONTRADICTS for one in told])


def _row(features: Features) -> list[float]:
    return [getattr(features, each.name) for each in NAMED]
