"""Logistic regression with a ridge, by Newton's method."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
_MOST_STEPS = 50
_SMALL = 1e-6


def logistic(rows: Matrix, wants: Matrix, weights: Matrix, ridge: float) -> Matrix:
    """Returns a weight for each column of `rows`; the last one, the bias, is not held down.

    Shapes: rows (n, k), wants (n,) of 0 and 1, weights (n,).
    """
    held = np.diag([ridge] * (rows.shape[1] - 1) + [_SMALL])
    found = np.zeros(rows.shape[1])
    for _ in range(_MOST_STEPS):
        chance = probability(rows @ found)
        slope = rows.T @ (weights * (chance - wants)) + held @ found
        curve = (rows * (weights * chance * (1.0 - chance))[:, None]).T @ rows + held
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < _SMALL:
            break
    return np.asarray(found)


def probability(odds: Any) -> Any:  # noqa: ANN401
    """Turns log odds into a probability."""
    return 1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30)))
