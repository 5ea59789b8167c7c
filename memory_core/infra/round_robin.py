"""Whose turn it is in the background: nobody waits until one with very much to do is done."""

import threading
import time
from collections.abc import Callable, Iterable

from ..domain.namespaces import Namespace


class RoundRobin:
    """Safe for many threads. A turn is given to those used just now, to those with more to do, and
    every `later_s` seconds to those who wait for a time or for somebody else.
    """

    def __init__(self, *, later_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._later_s = later_s
        self._clock = clock
        self._lock = threading.Lock()
        self._used: set[Namespace] = set()
        self._now: dict[Namespace, None] = {}
        self._later: set[Namespace] = set()
        self._looked_at = clock()

    def schedule(self, namespace: Namespace) -> None:
        """Soon, behind those whose turn it is already."""
        with self._lock:
            self._used.add(namespace)
            self._now.setdefault(namespace)

    def schedule_later(self, namespace: Namespace) -> None:
        with self._lock:
            self._later.add(namespace)

    def schedule_all(self) -> None:
        """All that were ever used: something changed that may concern them."""
        with self._lock:
            self._now |= dict.fromkeys(self._used)

    def drop(self, namespaces: Iterable[Namespace]) -> None:
        with self._lock:
            for it in namespaces:
                self._used.discard(it)
                self._later.discard(it)
                self._now.pop(it, None)

    def used_namespaces(self) -> list[Namespace]:
        with self._lock:
            return list(self._used)

    def has_due(self) -> bool:
        with self._lock:
            return bool(self._now)

    def next(self) -> list[Namespace]:
        """One round; who touches again during it has a turn in the next one."""
        with self._lock:
            if self._clock() - self._looked_at >= self._later_s:
                self._looked_at = self._clock()
                self._now |= dict.fromkeys(self._later)
                self._later.clear()
            found = list(self._now)
            self._now.clear()
            return found
