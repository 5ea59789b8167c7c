"""Time limit for a prompt, from the measured speed at which the server reads prompts."""

import threading
import time
from collections import deque

from .base import LONGEST_WAIT_S

_MARGIN = 3.0  # the machine may have other work, too
_REMEMBERED = 5  # several, since one may come from a cache or wait for the model to load


class ReadingPace:
    """Remembers how slowly the last prompts were read. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._s_per_token: deque[float] = deque(maxlen=_REMEMBERED)

    def note(self, tokens: int, seconds: float) -> None:
        """Records the seconds until the first piece of an answer to a prompt of `tokens`."""
        with self._lock:
            self._s_per_token.append(seconds / max(1, tokens))

    def time_limit(self, tokens: int, least_s: float) -> float:
        """Returns the seconds to wait for each piece of an answer, at least `least_s`."""
        with self._lock:
            needed = _MARGIN * tokens * max(self._s_per_token, default=0.0)
        return max(least_s, min(LONGEST_WAIT_S, needed))


class Stopwatch:
    """Measures the time to the first piece of one answer for a ReadingPace."""

    def __init__(self, pace: ReadingPace, tokens: int) -> None:
        self._pace = pace
        self._tokens = tokens
        self._began = time.monotonic()
        self._is_running = True

    def stop(self) -> None:
        """Notes the time; further calls do nothing."""
        if self._is_running:
            self._is_running = False
            self._pace.note(self._tokens, time.monotonic() - self._began)
