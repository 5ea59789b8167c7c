"""What a pure function made of the texts it saw last, within so many characters of memory."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

V = TypeVar("V")


def remembering(*, chars: int) -> Callable[[Callable[..., V]], Callable[..., V]]:
    """For a pure function of texts. Safe for many threads; a race only costs a second look.

    Two generations: when the younger is full it becomes the older, whose use brings texts back.
    Texts that alone would fill one are not kept.
    """

    def wrap(function: Callable[..., V]) -> Callable[..., V]:
        young: dict[tuple[str, ...], V] = {}
        old: dict[tuple[str, ...], V] = {}
        held = 0

        def keep(texts: tuple[str, ...], value: V) -> None:
            nonlocal young, old, held
            size = sum(map(len, texts)) + 64
            if size > chars:
                return
            if held + size > chars:
                old, young, held = young, {}, 0
            held += size
            young[texts] = value

        @wraps(function)
        def call(*texts: str) -> V:
            try:
                return young[texts]
            except KeyError:
                found = old[texts] if texts in old else function(*texts)
            keep(texts, found)
            return found

        return call

    return wrap
