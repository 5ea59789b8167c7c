"""Tells whether somebody clicked on a page while it was drawn because of a change elsewhere.

Such a drawing began with the state before the click, so it would undo what the click did.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from ....infra.lru_cache import LRUCache

_MAX_PAGES = 1024


class Clicks:
    """Counts the handlers of each page, by Gradio's hash of its session. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()
        self._ended: LRUCache[str, int] = LRUCache(_MAX_PAGES)

    @contextmanager
    def handling(self, page: str | None) -> Iterator[None]:
        """Marks the time in which a click is handled."""
        key = page or ""
        with self._lock:
            self._running[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._ended.put(key, (self._ended.get(key) or 0) + 1)
                self._running[key] -= 1
                if not self._running[key]:
                    del self._running[key]

    def count(self, page: str | None) -> int | None:
        """Returns the number of clicks handled so far; None while one is handled."""
        key = page or ""
        with self._lock:
            return None if key in self._running else self._ended.get(key) or 0
