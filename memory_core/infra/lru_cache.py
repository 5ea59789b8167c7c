"""The last few of something, by key: what was not used for longest goes. Safe for many threads.

remembering() does so for a pure function, within so many characters of memory.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """A mapping of at most `most` entries; every look at one makes it the latest.

    With `size`, the sizes of its values add up to at most `most_size`, but for the latest alone.
    """

    def __init__(
        self, most: int, *, size: Callable[[V], int] | None = None, most_size: int = 0
    ) -> None:
        self._most = most
        self._size = size or _nothing
        self._most_size = most_size
        self._held = 0
        self._lock = threading.Lock()
        self._items: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            self._take(key)
            self._items[key] = value
            self._held += self._size(value)
            while len(self._items) > self._most or self._is_too_large():
                self._take(next(iter(self._items)))

    def _is_too_large(self) -> bool:
        return self._held > self._most_size and len(self._items) > 1

    def _take(self, key: K) -> V | None:
        if key not in self._items:
            return None
        value = self._items.pop(key)
        self._held -= self._size(value)
        return value

    def items(self) -> list[tuple[K, V]]:
        """All of them, the one not used for longest first."""
        with self._lock:
            return list(self._items.items())

    def pop(self, key: K) -> V | None:
        with self._lock:
            return self._take(key)

    def drop_where(self, unwanted: Callable[[K], bool]) -> None:
        with self._lock:
            for key in [key for key in self._items if unwanted(key)]:
                self._take(key)


def _nothing(_: object) -> int:
    return 0


Given = tuple[str | int, ...]


def memoize(*, chars: int) -> Callable[[Callable[..., V]], Callable[..., V]]:
    """For a pure function of texts and numbers. Safe for many threads; a race only costs a second
    look.

    Two generations: when the younger is full it becomes the older, whose use brings texts back.
    Texts that alone would fill one are not kept.
    """

    def wrap(function: Callable[..., V]) -> Callable[..., V]:
        young: dict[Given, V] = {}
        old: dict[Given, V] = {}
        held = 0

        def keep(given: Given, value: V) -> None:
            nonlocal young, old, held
            size = sum(len(it) for it in given if isinstance(it, str)) + 64
            if size > chars:
                return
            if held + size > chars:
                old, young, held = young, {}, 0
            held += size
            young[given] = value

        @wraps(function)
        def call(*given: str | int) -> V:
            try:
                return young[given]
            except KeyError:
                found = old[given] if given in old else function(*given)
            keep(given, found)
            return found

        return call

    return wrap
