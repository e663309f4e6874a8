"""Logistic regression: a few columns, a few hundred rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

RIDGE = 1e-2


def logistic(x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]) -> tuple[list[float], float]:
    """Weights of the columns, and the shift: Newton's method with a little ridge."""
    size = np.maximum(x.std(0), 1e-3)  # columns of like size
    x = np.column_stack([x / size, np.ones(len(x))])
    at = np.zeros(x.shape[1])
    ridge = np.diag([RIDGE * len(x)] * (x.shape[1] - 1) + [0.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ at))
        slope = x.T @ (p - y) + ridge @ at
        curve = (x * (p * (1 - p))[:, None]).T @ x + ridge
        at = at - np.linalg.solve(curve, slope)
    return (at[:-1] / size).round(4).tolist(), round(float(at[-1]), 4)
