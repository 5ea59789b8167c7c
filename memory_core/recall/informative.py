"""Tells by its vectors whether a memory informs.

"my exam is on friday" does; "lol ok", "tell me a joke" and "how hot is venus" do not. Most of a
long chat is of the second kind, and some of it resembles any message, so the search lowers its
scores. The better side of an exchange counts, as an answer may inform, too. The weights are learned
from what users say by benchmarks/fit_informative.py, and hold only for the built-in model, which
puts all its languages in one space.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np

from ..storage.contract import Column, PassageColumns, VectorIndex
from .vector_regression import VectorRegression

WEIGHTS = Path(__file__).with_name("informative.json")
_DOUBT = 2.0  # log odds added, as only what is clearly small talk is to lose


def informative_regression(fingerprint: str) -> VectorRegression | None:
    """Returns the regression over the vectors of the embedding model, or None for another one."""
    model, regression = _load()
    return regression if fingerprint == model else None


def probability_to_inform(
    regression: VectorRegression, vectors: VectorIndex, passages: PassageColumns
) -> Column:
    """Returns the probability, 0 to 1, that a side of each passage informs; shape (weighed_count,).

    It is 1 without a vector: what was just said is not embedded yet.
    """
    length = float(np.linalg.norm(regression.weights))
    cosines = np.fmax(*vectors.cosines(passages, regression.weights / length).T)
    odds = length * cosines + regression.offset + _DOUBT
    return np.where(np.isnan(odds), 1.0, 1.0 / (1.0 + np.exp(-odds)))


@cache
def _load() -> tuple[str, VectorRegression]:
    """Returns the model's fingerprint, and the regression over its vectors."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return stored["model"], VectorRegression.of(stored)
