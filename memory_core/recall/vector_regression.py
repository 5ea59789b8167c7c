"""Logistic regressions over the vectors of an embedding model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..providers.embedders.base import Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRegression:
    """The weights, shape (dim,), and their offset. They hold only for the vectors of one model."""

    weights: Vectors
    offset: float

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "VectorRegression":
        """Reads `weights` and `offset`."""
        weights = np.array(stored["weights"], dtype=np.float32)
        return cls(weights=weights, offset=stored["offset"])

    def log_odds(self, vector: Vectors) -> float:
        return float(self.weights @ vector) + self.offset
