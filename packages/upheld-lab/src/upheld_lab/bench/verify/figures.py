"""What scores are worth: ranking, decisions at a threshold, and whether probabilities are true."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def auc(values: Sequence[float], positive: Sequence[bool]) -> float:
    """How often a positive stands above a negative; ties count half.

    >>> auc([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    0.875
    """
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(positive, values))


def balanced_accuracy(values: Sequence[float], positive: Sequence[bool], above: float) -> float:
    """The mean of how many positives reach the threshold and how many negatives do not.

    >>> balanced_accuracy([0.9, 0.4, 0.1], [True, True, False], 0.5)
    0.75
    """
    from sklearn.metrics import balanced_accuracy_score

    return float(balanced_accuracy_score(positive, np.asarray(values, float) >= above))


def calibration_error(values: Sequence[float], positive: Sequence[bool], bins: int = 15) -> float:
    """Mean distance of probability from truth, over bins with as many cases each.

    >>> calibration_error([0.25, 0.25, 0.25, 0.25], [True, False, False, False], bins=1)
    0.0
    """
    order = np.argsort(np.asarray(values, float), kind="stable")
    value, truth = np.asarray(values, float)[order], np.asarray(positive, float)[order]
    parts = zip(np.array_split(value, bins), np.array_split(truth, bins), strict=True)
    away = sum(len(part) * abs(part.mean() - true.mean()) for part, true in parts if len(part))
    return float(away / len(value))
