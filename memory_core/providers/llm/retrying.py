"""Retries for background work: waits between attempts, longer each time, then pauses the model."""

import time
from collections.abc import Callable

from ...domain.errors import LLMInterrupted, LLMRefused, LLMUnavailable
from ...infra.circuit_breaker import FIRST_WAIT_S, Backoff, CircuitBreaker
from ...infra.deadlines import Interrupt
from .base import BackgroundModel, Completion, LLMRequest

_LONGEST_WAIT_S = 60.0


class RetryingModel:
    """Wraps a background model: repeats a request after a transient failure.

    After `retries` repetitions, or after another failure, calls are paused (CircuitBreaker). A
    refused request does not pause them, since the next one may succeed. If the server asks for a
    longer wait than a minute, they are paused at once.
    """

    def __init__(
        self, model: BackgroundModel, *, retries: int, first_wait_s: float = FIRST_WAIT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._model = model
        self._retries = retries
        self._first_wait_s = first_wait_s
        self._circuit_breaker = CircuitBreaker(
            LLMUnavailable, harmless=(LLMInterrupted, LLMRefused), clock=clock
        )

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def is_loaded(self) -> bool:
        """Returns False for a model of the host that the host has not loaded."""
        return bool(getattr(self._model, "is_loaded", True))

    @property
    def fault(self) -> str:
        """Returns the last failure while calls are paused, else an empty text."""
        return self._circuit_breaker.fault

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
