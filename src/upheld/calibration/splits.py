"""Test the guarantee: calibrate on half of the documents, measure on the other half, repeatedly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from upheld.calibration.learn_then_test import (
    TUNING_SHARE,
    check_levels,
    count,
    last_passed,
    plan,
)
from upheld.errors import CalibrationError

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class SplitFigures:
    """Results over all splits; a split that certifies nothing is not broken and keeps 0.

    `broken` compares alpha with the error on the other half, which has a random variation of its
    own beside the one that delta covers. `broken_in_all` compares it with the error of the
    certified threshold on all documents, from which the calibration half was drawn: this is what
    delta bounds.
    """

    alpha: float
    delta: float
    splits: int
    documents: int
    broken: float
    broken_error: float  # standard error
    broken_in_all: float
    kept: float  # mean share of the other half
    certified: float  # share of splits that certify a threshold


def try_splits(
    scores: Sequence[float],
    supported: Sequence[bool],
    documents: Sequence[str],
    *,
    alpha: float,
    delta: float,
    splits: int = 1000,
    seed: int = 0,
) -> SplitFigures:
    """Split documents in random halves: calibrate on one claim per document, measure on the rest.

    In the measuring half a claim has the weight one over its document's claims, so that the
    measured error is of the same kind as the certified one: that of one claim per document.
    """
    check_levels(alpha, delta)
    score, wrong = np.asarray(scores, float), ~np.asarray(supported, bool)
    if not len(score) == len(wrong) == len(documents):
        raise CalibrationError("Scores, labels and documents must be as many.")
    _, of_claim, sizes = np.unique(np.asarray(documents), return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        raise CalibrationError("Splitting needs at least two documents.")
    order = np.argsort(of_claim, kind="stable")  # claims of a document are adjacent
    score, wrong, of_claim = score[order], wrong[order], of_claim[order]
    first = np.cumsum(sizes) - sizes
    weight = 1 / sizes[of_claim]
    half = len(sizes) // 2
    tuning = max(1, round(TUNING_SHARE * half))
    dice = np.random.default_rng(seed)
    broken, broken_in_all, kept, certified = np.zeros((4, splits))
    for split in range(splits):
        shuffled = dice.permutation(len(sizes))
        drawn = first + (dice.random(len(sizes)) * sizes).astype(int)
        tune, test = drawn[shuffled[:tuning]], drawn[shuffled[tuning:half]]
        thresholds, start = plan(score[tune], len(test), alpha, delta)
        last = last_passed(*count(score[test], wrong[test], thresholds), start, alpha, delta)
        if last is None:
            continue
        other = np.zeros(len(sizes), bool)
        other[shuffled[half:]] = True
        there = other[of_claim]
        shown = score >= thresholds[last]
        certified[split] = 1
        kept[split] = (weight * (shown & there)).sum() / (len(sizes) - half)
        broken[split] = _error(shown & there, wrong, weight) > alpha
        broken_in_all[split] = _error(shown, wrong, weight) > alpha
    share = float(broken.mean())
    return SplitFigures(
        alpha=alpha,
        delta=delta,
        splits=splits,
        documents=len(sizes),
        broken=share,
        broken_error=float((share * (1 - share) / splits) ** 0.5),
        broken_in_all=float(broken_in_all.mean()),
        kept=float(kept.mean()),
        certified=float(certified.mean()),
    )


def _error(
    shown: npt.NDArray[np.bool_], wrong: npt.NDArray[np.bool_], weight: npt.NDArray[np.float64]
) -> float:
    total = weight[shown].sum()
    return float(weight[shown & wrong].sum() / total) if total else 0.0
