"""A job that is asked for often and done seldom."""

import time
from collections.abc import Callable

from .retry_queue import Job


class PacedJob:
    """Does the job if the last time is at least `pause_s` seconds ago. For one thread."""

    def __init__(
        self, job: Job, *, pause_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._job = job
        self._pause_s = pause_s
        self._clock = clock
        self._last_s: float | None = None

    def __call__(self) -> None:
        now = self._clock()
        if self._last_s is None or now - self._last_s >= self._pause_s:
            self._last_s = now
            self._job()
