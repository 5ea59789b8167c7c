"""Caches that drop the least recently used entry, and caches of one value. Safe for many threads.

LRUCache holds values by key; memoize() caches a pure function within a number of characters,
cached_property a value of one object.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")


class LRUCache(Generic[K, V]):
    """A mapping of at most `max_entries` entries; get() makes an entry the latest.

    With `size`, the sizes of all values add up to at most `max_size`; a lone entry may exceed it.
    """

    def __init__(
        self, max_entries: int, *, size: Callable[[V], int] | None = None, max_size: int = 0
    ) -> None:
        self._max_entries = max_entries
        self._size = size
        self._max_size = max_size
        self._total_size = 0
        self._lock = threading.Lock()
        self._items: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: K, value: V) -> None:
        with self._lock:
            if key in self._items:
                self._pop_unlocked(key)
            self._items[key] = value
            if self._size:
                self._total_size += self._size(value)
            while len(self._items) > self._max_entries or (
                self._total_size > self._max_size and len(self._items) > 1
            ):
                self._pop_unlocked(next(iter(self._items)))

    def _pop_unlocked(self, key: K) -> V:
        value = self._items.pop(key)
        if self._size:
            self._total_size -= self._size(value)
        return value

    def items(self) -> list[tuple[K, V]]:
        """Returns all entries, the least recently used first."""
        with self._lock:
            return list(self._items.items())

    def pop(self, key: K) -> V | None:
        with self._lock:
            return self._pop_unlocked(key) if key in self._items else None

    def drop_where(self, unwanted: Callable[[K], bool]) -> None:
        with self._lock:
            for key in [key for key in self._items if unwanted(key)]:
                self._pop_unlocked(key)


Given = tuple[str | int, ...]


def memoize(*, chars: int) -> Callable[[Callable[..., V]], Callable[..., V]]:
    """Caches a pure function of texts and numbers. Safe for many threads; a race costs one call.

    There are two generations. A full young one becomes the old one, and a hit in the old one moves
    the entry back. Texts larger than a generation are not cached.
    """

    def wrap(function: Callable[..., V]) -> Callable[..., V]:
        young: dict[Given, V] = {}
        old: dict[Given, V] = {}
        young_chars = 0

        @wraps(function)
        def call(*given: str | int) -> V:
            nonlocal young, old, young_chars
            latest, before = young, old
            if given in latest:
                return latest[given]
            found = before[given] if given in before else function(*given)
            size = 64
            for part in given:
                if isinstance(part, str):
                    size += len(part)
            if size <= chars:
                if young_chars + size > chars:
                    old, young, young_chars = young, {}, 0
                young_chars += size
                young[given] = found
            return found

        return call

    return wrap


class cached_property(Generic[V]):  # noqa: N801  (named as in functools)
    """A property that is computed once for each object, without a lock.

    Before Python 3.12, functools.cached_property holds one lock for all objects of a class: threads
    that search different namespaces would wait for each other. Two threads may both compute the
    value, so the method must be pure; one result is kept.
    """

    def __init__(self, method: Callable[[Any], V]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "cached_property[V]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> V: ...

    def __get__(self, instance: object | None, owner: type) -> "V | cached_property[V]":
        if instance is None:
            return self
        value: V = vars(instance).setdefault(self._name, self._method(instance))
        return value
