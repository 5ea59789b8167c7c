"""Judges by the vector of a message whether it asks for a memory or is small talk.

The gate weighs this beside the words of the message (cue.py); in languages without examples of
wording, it takes their place. The weights are learned by benchmarks/fit_cue_by_meaning.py from
examples in seven languages, and hold only for the built-in model, which puts all its languages in
one space.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..providers.embedders.base import Vectors
from .vector_regression import VectorRegression

WEIGHTS = Path(__file__).with_name("cue_by_meaning.json")
_USUAL_LENGTH = 2.0  # log length, for languages that nobody measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The log odds that a message asks for a memory (`cue`), and that it is small talk (`idle`)."""

    cue: float = 0.0
    idle: float = 0.0


UNKNOWN_WORDING = Wording()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    """The weights of both questions, the model that they hold for, and usual log lengths."""

    model: str
    cue: VectorRegression
    idle: VectorRegression
    lengths: Mapping[str, float]


def wording_by_meaning(fingerprint: str, vector: Vectors, trust: float) -> Wording:
    """Returns what a message's vector says, as far as the model is trusted with its language.

    `vector` has shape (dim,). Returns log odds of 0 for the vectors of another model.
    """
    weights = _load()
    if fingerprint != weights.model:
        return UNKNOWN_WORDING
    return Wording(
        cue=trust * weights.cue.log_odds(vector), idle=trust * weights.idle.log_odds(vector)
    )


def usual_length(language: str) -> float:
    """Returns the mean log length of a message in a language without weights of its own."""
    return _load().lengths.get(language, _USUAL_LENGTH)


@cache
def _load() -> _Weights:
    found = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return _Weights(
        model=found["model"],
        cue=VectorRegression.of(found["wants"]),
        idle=VectorRegression.of(found["idle"]),
        lengths=found["lengths"],
    )
