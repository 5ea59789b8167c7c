"""What recall did and left undone since the program started, for each namespace."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from ..domain.namespaces import Namespace
from ..infra.lru_cache import LRUCache

_MAX_NAMESPACES = 64


class SkipReason(StrEnum):
    """Why a message went out without memories being looked for."""

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
    """Safe for many threads. The namespace is None where nobody could be told apart."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last_recalls: LRUCache[Namespace, float] = LRUCache(_MAX_NAMESPACES)
        self._skips: LRUCache[Namespace | None, Counter[SkipReason]] = LRUCache(_MAX_NAMESPACES)

    def record_recall(self, namespace: Namespace) -> None:
        self._last_recalls.put(namespace, time.time())

    def last_recall(self, namespace: Namespace | None = None) -> float:
        """In seconds since the epoch, 0 for never; without a namespace the last of all."""
        times = dict(self._last_recalls.items())
        return max(times.values(), default=0.0) if namespace is None else times.get(namespace, 0.0)

    def record_skip(self, skip: SkipReason, namespace: Namespace | None) -> None:
        with self._lock:
            counts = self._skips.get(namespace) or Counter()
            counts[skip] += 1
            self._skips.put(namespace, counts)

    def skip_counts(self, namespace: Namespace) -> Mapping[SkipReason, int]:
        """Of this one alone."""
        with self._lock:
            return Counter(self._skips.get(namespace) or {})

    def all_skip_counts(self) -> Mapping[SkipReason, int]:
        with self._lock:
            return sum((counts for _, counts in self._skips.items()), Counter())
