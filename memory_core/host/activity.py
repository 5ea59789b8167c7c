"""What recall did and left undone since the program started, for each namespace."""

import threading
import time
from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from ..domain.namespaces import Namespace
from ..infra.lru_cache import Recent

_MOST = 64


class Skip(StrEnum):
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
        self._recalled: Recent[Namespace, float] = Recent(_MOST)
        self._skips: Recent[Namespace | None, Counter[Skip]] = Recent(_MOST)

    def recalled(self, namespace: Namespace) -> None:
        self._recalled.put(namespace, time.time())

    def last_recall(self, namespace: Namespace | None = None) -> float:
        """In seconds since the epoch, 0 for never; without a namespace the last of all."""
        times = dict(self._recalled.items())
        return max(times.values(), default=0.0) if namespace is None else times.get(namespace, 0.0)

    def skipped(self, skip: Skip, namespace: Namespace | None) -> None:
        with self._lock:
            counts = self._skips.get(namespace) or Counter()
            counts[skip] += 1
            self._skips.put(namespace, counts)

    def skips(self, namespace: Namespace) -> Mapping[Skip, int]:
        """Of this one alone."""
        with self._lock:
            return Counter(self._skips.get(namespace) or {})

    def all_skips(self) -> Mapping[Skip, int]:
        with self._lock:
            return sum((counts for _, counts in self._skips.items()), Counter())
