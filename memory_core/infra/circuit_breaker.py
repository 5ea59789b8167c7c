"""Spares a service that failed: it is not called for a while, or again after a longer wait.

The circuit breaker sees to it that no message waits.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..domain.errors import LLMUnavailable

FIRST_PAUSE_S = 30.0
LONGEST_PAUSE_S = 300.0
LONGEST_ASKED_S = 3_600.0  # by a server
FIRST_WAIT_S = 1.0
_PAUSE_LEFT = re.compile(r" \(tried again in \d+ s\)")


def without_pause(message: str) -> str:
    """Returns a failure without the seconds left, which differ each time that it is raised."""
    return _PAUSE_LEFT.sub("", message)


class CircuitBreaker:
    """After a `failure`, guarded calls fail at once for 30 s, doubling up to 5 minutes.

    They fail for longer if the failure's `retry_after_s` says so. Any success closes the breaker
    again. `harmless` failures never open it: a retry is cheap.
    """

    def __init__(
        self, failure: type[Exception], *, harmless: type[Exception] | tuple[type[Exception], ...],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._failure = failure
        self._harmless = harmless
        self._clock = clock
        self._lock = threading.Lock()
        self._fault = ""
        self._until = float("-inf")
        self._pause_s = FIRST_PAUSE_S

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Guards the block. While open, raises the failure with the seconds left instead."""
        self._refuse_while_open()
        try:
            yield
        except self._harmless:
            raise
        except self._failure as exc:
            self._trip(str(exc), float(getattr(exc, "retry_after_s", 0.0)))
            raise
        self._reset()

    @property
    def fault(self) -> str:
        """Message of the last failure while the breaker is open; empty otherwise."""
        with self._lock:
            return self._fault if self._until > self._clock() else ""

    def let_through(self) -> None:
        """Lets the next call through. If it fails, the next pause is longer."""
        with self._lock:
            self._until = float("-inf")

    def _refuse_while_open(self) -> None:
        with self._lock:
            left = self._until - self._clock()
            if left > 0:
                raise self._failure(f"{self._fault} (tried again in {left:.0f} s)")

    def _trip(self, fault: str, asked_s: float) -> None:
        with self._lock:
            self._fault = fault
            self._until = self._clock() + max(self._pause_s, min(asked_s, LONGEST_ASKED_S))
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _reset(self) -> None:
        with self._lock:
            self._until = float("-inf")
            self._pause_s = FIRST_PAUSE_S


class Backoff:
    """The waits before repetitions: as long as the server asks, else twice as long each time."""

    def __init__(self, first_wait_s: float = FIRST_WAIT_S) -> None:
        self._wait_s = first_wait_s

    def after(self, failure: LLMUnavailable) -> float:
        """Returns the seconds to wait. Raises the failure if a repetition would fail, too."""
        if not failure.is_transient:
            raise failure
        wait_s = max(self._wait_s, failure.retry_after_s)
        self._wait_s *= 2
        return wait_s
