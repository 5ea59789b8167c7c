"""Pauses calls to a reranker that failed. Meanwhile memories keep the order of their scores."""

import time
from collections.abc import Callable, Sequence

from ...domain.errors import RerankerNotReady, RerankerUnavailable
from ...infra.circuit_breaker import CircuitBreaker
from .base import Scores, ScoringReranker


class ResilientReranker:
    """Wraps any reranker: after a failure it fails at once for a while (see CircuitBreaker).

    A model that is still being loaded does not count as a failure.
    """

    def __init__(
        self, reranker: ScoringReranker, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._reranker = reranker
        self._circuit_breaker = CircuitBreaker(
            RerankerUnavailable, harmless=RerankerNotReady, clock=clock
        )
        self._loading_breaker = CircuitBreaker(
            RerankerUnavailable, harmless=RerankerNotReady, clock=clock
        )

    @property
    def name(self) -> str:
        return self._reranker.name

    @property
    def fault(self) -> str:
        """Returns the last failure while calls are paused, else an empty text."""
        return self._circuit_breaker.fault or self._loading_breaker.fault

    @property
    def is_untried(self) -> bool:
        """Returns whether it asks a server that was never asked."""
        return bool(getattr(self._reranker, "is_untried", False))

    def prepare(self) -> None:
        """Loads the model. Pauses after a failure, because a failing download blocks other work."""
        if self._loading_breaker.fault:
            raise RerankerUnavailable(self._loading_breaker.fault)
        with self._loading_breaker.guard():
            self._reranker.prepare()

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        with self._circuit_breaker.guard():
            return self._reranker.scores(query, texts, timeout_s=timeout_s)
