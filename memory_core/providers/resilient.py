"""Pauses calls to a model or a service that failed, so that nothing waits for it again.

Meanwhile recall searches by words, and memories keep the order of their scores.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from ..domain.errors import (
    EmbedderNotReady,
    EmbedderUnavailable,
    LLMInterrupted,
    LLMRefused,
    LLMUnavailable,
    OutsideServiceError,
    RerankerNotReady,
    RerankerUnavailable,
)
from ..domain.records import Turn
from ..infra.circuit_breaker import FIRST_WAIT_S, Backoff, CircuitBreaker
from ..infra.deadlines import Interrupt
from .embedders.base import Embedder, Vectors
from .llm.base import BackgroundModel, Completion, LanguageModel, LLMRequest
from .rerankers.base import Scores, ScoringReranker

_LONGEST_WAIT_S = 60.0


class _Named(Protocol):
    @property
    def name(self) -> str: ...


Model = TypeVar("Model", bound=_Named)


class _Resilient(Generic[Model]):
    """Wraps a model: after a failure it fails at once for a while (see CircuitBreaker)."""

    _failure: type[OutsideServiceError]
    _harmless: tuple[type[OutsideServiceError], ...]  # these do not count as a failure

    def __init__(self, model: Model, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._circuit_breaker = CircuitBreaker(self._failure, harmless=self._harmless, clock=clock)

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def fault(self) -> str:
        """Returns the last failure while calls are paused, else an empty text."""
        return self._circuit_breaker.fault

    @property
    def is_untried(self) -> bool:
        """Returns whether it asks a server that was never asked."""
        return bool(getattr(self._model, "is_untried", False))


class ResilientEmbedder(_Resilient[Embedder]):
    """Wraps any embedder. A model that is still being loaded does not count as a failure."""

    _failure, _harmless = EmbedderUnavailable, (EmbedderNotReady,)

    @property
    def dim(self) -> int:
        return self._model.dim

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        with self._circuit_breaker.guard():
            return self._model.embed(texts)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        with self._circuit_breaker.guard():
            return self._model.embed_query(text, timeout_s=timeout_s)


class ResilientReranker(_Resilient[ScoringReranker]):
    """Wraps any reranker. A model that is still being loaded does not count as a failure."""

    _failure, _harmless = RerankerUnavailable, (RerankerNotReady,)

    def __init__(
        self, model: ScoringReranker, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(model, clock=clock)
        self._loading_breaker = CircuitBreaker(self._failure, harmless=self._harmless, clock=clock)

    @property
    def fault(self) -> str:
        return super().fault or self._loading_breaker.fault

    def prepare(self) -> None:
        """Loads the model. Pauses after a failure, because a failing download blocks other work."""
        if self._loading_breaker.fault:
            raise RerankerUnavailable(self._loading_breaker.fault)
        with self._loading_breaker.guard():
            self._model.prepare()

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        with self._circuit_breaker.guard():
            return self._model.scores(query, texts, timeout_s=timeout_s)


class ResilientLanguageModel(_Resilient[LanguageModel]):
    """Wraps any language model that messages wait for."""

    _failure, _harmless = LLMUnavailable, (LLMInterrupted,)

    def prepare(self) -> None:
        """Imports the model's libraries, which takes longer than a message may wait."""
        load = getattr(self._model, "load", None)
        if load is not None:
            load()

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        with self._circuit_breaker.guard():
            return self._model.complete(
                turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
            )

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        with self._circuit_breaker.guard():
            yield from self._model.stream(
                turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
            )


class RetryingModel(_Resilient[BackgroundModel]):
    """Wraps a background model: repeats a request after a transient failure, later each time.

    After `retries` repetitions, or after another failure, calls are paused. A refused request does
    not pause them, since the next one may succeed. If the server asks for a longer wait than a
    minute, they are paused at once.
    """

    _failure, _harmless = LLMUnavailable, (LLMInterrupted, LLMRefused)

    def __init__(
        self,
        model: BackgroundModel,
        *,
        retries: int,
        first_wait_s: float = FIRST_WAIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(model, clock=clock)
        self._retries = retries
        self._first_wait_s = first_wait_s

    @property
    def is_loaded(self) -> bool:
        """Returns False for a model of the host that the host has not loaded."""
        return bool(getattr(self._model, "is_loaded", True))

    def try_again(self) -> None:
        """Ends the pause after a failure: the next request is sent."""
        self._circuit_breaker.let_through()

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        with self._circuit_breaker.guard():
            return self._ask(request, interrupt)

    def _ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        backoff = Backoff(self._first_wait_s)
        for _ in range(self._retries):
            try:
                return self._model.ask(request, interrupt)
            except LLMUnavailable as exc:
                wait_s = min(_LONGEST_WAIT_S, backoff.after(exc))
                if exc.retry_after_s > _LONGEST_WAIT_S:
                    raise
                if interrupt.wait(wait_s):
                    raise LLMInterrupted(f"{self.name}: stopped while waiting to retry") from exc
        return self._model.ask(request, interrupt)
