"""Counts recalls and skipped recalls of each namespace since the program started."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from ..domain.namespaces import Namespace
from ..infra.lru_cache import LRUCache

_MAX_NAMESPACES = 64


class SkipReason(StrEnum):
    """The reason why recall did not run for a message."""

    NO_API_USER = "no_api_user"
    NOBODY = "nobody"
    INCOGNITO = "incognito"
    PAUSED = "paused"
    COMMAND = "command"
    OFF_RECORD = "off_record"
    NO_TEXT = "no_text"
    SWITCHED_OFF = "switched_off"
    BUSY = "busy"
    FAILED = "failed"


class Activity:
    """Counts by namespace, where None is an unknown user. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_recalls: LRUCache[Namespace, float] = LRUCache(_MAX_NAMESPACES)
        self._skips: LRUCache[Namespace | None, Counter[SkipReason]] = LRUCache(_MAX_NAMESPACES)

    def record_recall(self, namespace: Namespace) -> None:
        self._last_recalls.put(namespace, time.time())

    def last_recall(self, namespace: Namespace | None = None) -> float:
        """Returns the time of the last recall in seconds since the epoch, or 0 for never.

        Without a namespace it is the last recall of any.
        """
        times = dict(self._last_recalls.items())
        return max(times.values(), default=0.0) if namespace is None else times.get(namespace, 0.0)

    def record_skip(self, skip: SkipReason, namespace: Namespace | None) -> None:
        with self._lock:
            counts = self._skips.get(namespace) or Counter()
            counts[skip] += 1
            self._skips.put(namespace, counts)

    def skip_counts(self, namespace: Namespace) -> Mapping[SkipReason, int]:
        """Returns how often recall was skipped in this namespace, by reason."""
        with self._lock:
            return Counter(self._skips.get(namespace) or {})

    def all_skip_counts(self) -> Mapping[SkipReason, int]:
        with self._lock:
            return sum((counts for _, counts in self._skips.items()), Counter())
