"""Repeats a chat's request to the language model after a failure that may pass."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...domain.errors import LLMUnavailable

_FIRST_WAIT_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """Waits before each repetition: as long as the server asked, or twice as long each time."""

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
        wait_s = _FIRST_WAIT_S
        for _ in range(retries):
            try:
                answer = ask()
                first = next(answer, None)
            except LLMUnavailable as exc:
                pause_s = max(wait_s, exc.retry_after_s)
                if not exc.is_transient or self.clock() + pause_s > end:
                    raise
                self.wait(pause_s)
                wait_s *= 2
                continue
            if first is not None:
                yield first
                yield from answer
            return
        yield from ask()
