"""Checks the vectors that foreign models return."""

import numpy as np

from .base import Vectors, unit


def checked_rows(raw: object, *, count: int, dim: int) -> Vectors:
    """Returns `raw` as unit rows of shape (count, dim); with dim 0 any width is accepted.

    Raises ValueError for another shape, NaN or infinity.
    """
    with np.errstate(over="ignore"):
        rows = np.asarray(raw, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != count:
        raise ValueError(f"{count} texts, but vectors of shape {rows.shape}")
    if not rows.shape[1]:
        raise ValueError("vectors without any numbers")
    if dim and rows.shape[1] != dim:
        raise ValueError(f"vectors of {rows.shape[1]} numbers instead of {dim}")
    if not np.isfinite(rows).all():
        raise ValueError("vectors that hold NaN or infinity")
    return unit(rows)


def empty_rows(dim: int) -> Vectors:
    """Returns the vectors of no texts, shape (0, dim)."""
    return np.zeros((0, dim), dtype=np.float32)
