"""Tries an embedding model: measures its speed, and whether it distinguishes meanings."""

import time
from dataclasses import dataclass

from ..providers.embedders.base import Embedder

# The answer shares no word with the question; the other text shares some.
_QUESTION = "What is my pet called?"
_ANSWER = "The name of our dog: Bello."
_OTHER = "What is the train to Porto called?"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelTrial:
    """The result of a trial: milliseconds for one text, and the length of a vector."""

    ms: float
    dim: int
    understands: bool


def try_embedder(embedder: Embedder) -> ModelTrial:
    """Loads the model if it needs that, and embeds three texts. Raises EmbedderUnavailable."""
    prepare = getattr(embedder, "prepare", None)
    if prepare is not None:
        prepare()
    question, answer, other = embedder.embed([_QUESTION, _ANSWER, _OTHER])
    started = time.perf_counter()
    embedder.embed([_QUESTION])
    ms = 1000.0 * (time.perf_counter() - started)
    understands = float(question @ answer) > float(question @ other)
    return ModelTrial(ms=ms, dim=len(question), understands=understands)
