"""Pauses calls to a language model that failed, so that no message waits for it again."""

import time
from collections.abc import Callable, Iterator, Sequence

from ...domain.errors import LLMInterrupted, LLMUnavailable
from ...domain.records import Turn
from ...infra.circuit_breaker import CircuitBreaker
from .base import LanguageModel


class ResilientLanguageModel:
    """Wraps any language model: after a failure it fails at once for a while (CircuitBreaker)."""

    def __init__(self, llm: LanguageModel, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._llm = llm
        self._circuit_breaker = CircuitBreaker(LLMUnavailable, harmless=LLMInterrupted, clock=clock)

    @property
    def name(self) -> str:
        return self._llm.name

    @property
    def fault(self) -> str:
        """Returns the last failure while calls are paused, else an empty text."""
        return self._circuit_breaker.fault

    @property
    def is_untried(self) -> bool:
        """Returns whether it asks a server that was never asked."""
        return bool(getattr(self._llm, "is_untried", False))

    def prepare(self) -> None:
        """Imports the model's libraries, which takes longer than a message may wait."""
        load = getattr(self._llm, "load", None)
        if load is not None:
            load()

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        with self._circuit_breaker.guard():
            return self._llm.complete(
                turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
            )

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        with self._circuit_breaker.guard():
            yield from self._llm.stream(
                turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
            )
