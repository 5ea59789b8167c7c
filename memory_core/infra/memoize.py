"""What a pure function made of the texts it saw last, within so many characters of memory."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

V = TypeVar("V")
Given = tuple[str | int, ...]


def remembering(*, chars: int) -> Callable[[Callable[..., V]], Callable[..., V]]:
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
