"""What failed is left alone for a while, so that not every message waits for it."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FIRST_PAUSE_S = 30.0
LONGEST_PAUSE_S = 300.0


class CircuitBreaker:
    """After a `failure`, what it guards fails at once for 30 s, doubling up to 5 minutes.

    Any success ends that. `harmless` are those failures that cost nothing to meet again.
    """

    def __init__(
        self, failure: type[Exception], *, harmless: type[Exception],
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
        """Raises the failure, saying when it is tried again, instead of running what is within."""
        self._refuse_while_open()
        try:
            yield
        except self._harmless:
            raise
        except self._failure as exc:
            self._trip(str(exc))
            raise
        self._remaining_s()

    @property
    def fault(self) -> str:
        """What failed, as long as it is left alone; empty otherwise."""
        with self._lock:
            return self._fault if self._until > self._clock() else ""

    def _refuse_while_open(self) -> None:
        with self._lock:
            left = self._until - self._clock()
            if left > 0:
                raise self._failure(f"{self._fault} (tried again in {left:.0f} s)")

    def _trip(self, fault: str) -> None:
        with self._lock:
            self._fault = fault
            self._until = self._clock() + self._pause_s
            self._pause_s = min(2 * self._pause_s, LONGEST_PAUSE_S)

    def _remaining_s(self) -> None:
        with self._lock:
            self._until = float("-inf")
            self._pause_s = FIRST_PAUSE_S
