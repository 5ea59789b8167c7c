"""A reranker that failed is left alone for a while: the order of the scores stands meanwhile."""

import time
from collections.abc import Callable, Sequence

from ...domain.errors import RerankerNotReady, RerankerUnavailable
from ...infra.circuit_breaker import Cooling
from .base import Scores, ScoringReranker


class CoolingReranker:
    """Wraps any reranker: after a failure it fails at once for a while (see Cooling).

    A model still being loaded is no failure: asking it costs nothing.
    """

    def __init__(
        self, reranker: ScoringReranker, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._reranker = reranker
        self._cooling = Cooling(RerankerUnavailable, harmless=RerankerNotReady, clock=clock)
        self._loading = Cooling(RerankerUnavailable, harmless=RerankerNotReady, clock=clock)

    @property
    def name(self) -> str:
        return self._reranker.name

    @property
    def fault(self) -> str:
        """What failed last, as long as the model is left alone for it."""
        return self._cooling.fault or self._loading.fault

    def prepare(self) -> None:
        """Fetching that fails can take long, and other work waits behind it: it cools too."""
        if self._loading.fault:
            raise RerankerUnavailable(self._loading.fault)
        with self._loading.guarded():
            self._reranker.prepare()

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        with self._cooling.guarded():
            return self._reranker.scores(query, texts, timeout_s=timeout_s)
