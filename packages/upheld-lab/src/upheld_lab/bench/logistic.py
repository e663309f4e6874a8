"""Logistic regression: a few columns, a few hundred rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

RIDGE = 1e-2


def logistic(
    x: npt.NDArray[np.float64],
    y: npt.NDArray[np.float64],
    weight: npt.NDArray[np.float64] | None = None,
) -> tuple[list[float], float]:
    """Weights of the columns, and the shift; a little ridge on columns of like size.

    `weight` says how much each row counts; on average, 1.
    """
    from sklearn.linear_model import LogisticRegression

    size = np.maximum(x.std(0), 1e-3)
    fit = LogisticRegression(C=1 / (RIDGE * len(x)), solver="newton-cholesky", tol=1e-10)
    fit.fit(x / size, y, sample_weight=weight)
    return (fit.coef_[0] / size).round(4).tolist(), round(float(fit.intercept_[0]), 4)
