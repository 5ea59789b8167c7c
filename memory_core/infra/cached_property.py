"""A property that is computed once for each object, without a lock.

Before Python 3.12, functools.cached_property holds one lock for all objects of a class: threads
that search different namespaces would wait for each other.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801  (named as in functools)
    """Two threads may both compute the value, so the method must be pure; one result is kept."""

    def __init__(self, method: Callable[[Any], T]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> "cached_property[T]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> "T | cached_property[T]":
        if instance is None:
            return self
        value: T = vars(instance).setdefault(self._name, self._method(instance))
        return value
