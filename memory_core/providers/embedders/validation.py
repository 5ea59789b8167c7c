"""What comes back from a model that is not ours is checked before anything believes it."""

import numpy as np

from .base import Vectors, unit


def checked_rows(raw: object, *, count: int, dim: int) -> Vectors:
    """`raw` as unit rows of shape (count, dim), any width where dim is 0; ValueError otherwise."""
    with np.errstate(over="ignore"):
        rows = np.asarray(raw, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != count:
        raise ValueError(f"{count} texts, but vectors of shape {rows.shape}")
    if not rows.shape[1]:
        raise ValueError("vectors without a single number")
    if dim and rows.shape[1] != dim:
        raise ValueError(f"vectors {rows.shape[1]} wide where {dim} was expected")
    if not np.isfinite(rows).all():
        raise ValueError("vectors that hold NaN or infinity")
    return unit(rows)


def empty_rows(dim: int) -> Vectors:
    """The vectors of no texts: shape (0, dim)."""
    return np.zeros((0, dim), dtype=np.float32)
