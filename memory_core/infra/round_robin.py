"""Namespaces take turns, so that one with much to do never holds up the others."""

import threading
import time
from collections.abc import Callable, Iterable

from ..domain.namespaces import Namespace


class RoundRobin:
    """Gives turns to namespaces that were just used or have more to do, and every `later_s` seconds
    to those scheduled for later. Safe for many threads.
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
        """Schedules a turn in the next round, behind the namespaces already in it."""
        with self._lock:
            self._used.add(namespace)
            self._now.setdefault(namespace)

    def schedule_later(self, namespace: Namespace) -> None:
        with self._lock:
            self._later.add(namespace)

    def schedule_all(self) -> None:
        """Schedules all namespaces ever used, since a change may concern any of them."""
        with self._lock:
            self._now |= dict.fromkeys(self._used)

    def drop(self, namespaces: Iterable[Namespace]) -> None:
        with self._lock:
            for namespace in namespaces:
                self._used.discard(namespace)
                self._later.discard(namespace)
                self._now.pop(namespace, None)

    def used_namespaces(self) -> list[Namespace]:
        with self._lock:
            return list(self._used)

    def has_due(self) -> bool:
        with self._lock:
            return bool(self._now)

    def next(self) -> list[Namespace]:
        """Returns one round and begins the next; what is scheduled from now on belongs to that."""
        with self._lock:
            if self._clock() - self._looked_at >= self._later_s:
                self._looked_at = self._clock()
                self._now |= dict.fromkeys(self._later)
                self._later.clear()
            found = list(self._now)
            self._now.clear()
            return found
