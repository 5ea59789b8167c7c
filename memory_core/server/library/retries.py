"""Repeats a chat's request to the language model after a failure that may pass."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...domain.errors import LLMUnavailable
from ...infra.circuit_breaker import Backoff


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Waits before each repetition, in the caller's thread."""

    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def pieces(
        self, ask: Callable[[], Iterator[str]], *, retries: int, limit_s: float
    ) -> Iterator[str]:
        """Yields the pieces of an answer. Raises LLMUnavailable.

        Asks again at most `retries` times, only before the first piece, and only within `limit_s`
        seconds after the first request.
        """
        end = self.clock() + limit_s
        backoff = Backoff()
        for _ in range(retries):
            try:
                answer = ask()
                first = next(answer, None)
            except LLMUnavailable as exc:
                wait_s = backoff.after(exc)
                if self.clock() + wait_s > end:
                    raise
                self.wait(wait_s)
                continue
            if first is not None:
                yield first
                yield from answer
            return
        yield from ask()
