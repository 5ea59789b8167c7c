"""Pauses calls to an embedding service that failed. Meanwhile recall searches by words."""

import time
from collections.abc import Callable, Sequence

from ...domain.errors import EmbedderNotReady, EmbedderUnavailable
from ...infra.circuit_breaker import CircuitBreaker
from .base import Embedder, Vectors


class ResilientEmbedder:
    """Wraps any embedder: after a failure it fails at once for a while (see CircuitBreaker).

    A model that is still being loaded does not count as a failure.
    """

    def __init__(self, embedder: Embedder, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._embedder = embedder
        self._circuit_breaker = CircuitBreaker(
            EmbedderUnavailable, harmless=EmbedderNotReady, clock=clock
        )

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dim(self) -> int:
        return self._embedder.dim

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def fault(self) -> str:
        """Returns the last failure while calls are paused, else an empty text."""
        return self._circuit_breaker.fault

    @property
    def is_untried(self) -> bool:
        """Returns whether it asks a server that was never asked."""
        return bool(getattr(self._embedder, "is_untried", False))

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._circuit_breaker.guard():
            return self._embedder.embed(texts)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        with self._circuit_breaker.guard():
            return self._embedder.embed_query(text, timeout_s=timeout_s)
