"""The last few of something, by key: what was not used for longest goes. Safe for many threads."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping of at most `most` entries; every look at one makes it the latest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def items(self) -> list[tuple[K, V]]:
        """All of them, the one not used for longest first."""
        with self._lock:
            return list(self._kept.items())

    def pop(self, key: K) -> V | None:
        with self._lock:
            return self._kept.pop(key, None)

    def drop(self, unwanted: Callable[[K], bool]) -> None:
        with self._lock:
            for key in [key for key in self._kept if unwanted(key)]:
                del self._kept[key]
