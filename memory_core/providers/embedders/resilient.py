"""An embedding service that failed is left alone for a while: recall goes by words meanwhile."""

import time
from collections.abc import Callable, Sequence

from ...domain.errors import EmbedderNotReady, EmbedderUnavailable
from ...infra.circuit_breaker import CircuitBreaker
from .base import Embedder, Vectors


class ResilientEmbedder:
    """Wraps any embedder: after a failure it fails at once for a while (see Cooling).

    A model still being loaded is no failure: asking it costs nothing.
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
        """What failed last, as long as the service is left alone for it."""
        return self._circuit_breaker.fault

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._circuit_breaker.guard():
            return self._embedder.embed(texts)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        with self._circuit_breaker.guard():
            return self._embedder.embed_query(text, timeout_s=timeout_s)
