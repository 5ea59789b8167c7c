"""Reads a file to its end before yielding its first chat, so that a broken file changes nothing.

Buffers small files and reads large ones twice. A change between the two readings goes unnoticed.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import wraps
from typing import ParamSpec

from ...domain.namespaces import Namespace
from .base import ImportChat

# In characters of the chats' texts.
_MAX_BUFFERED_CHARS = 16 * 2**20
_OVERHEAD_CHARS = 200
Given = ParamSpec("Given")


def read_twice(
    read: Callable[Given, Iterator[ImportChat]],
) -> Callable[Given, Iterator[ImportChat]]:
    """Decorates a reader's read(): its first chat comes after any ImportFailed that it raises."""

    @wraps(read)
    def read_to_end(*given: Given.args, **named: Given.kwargs) -> Iterator[ImportChat]:
        chats, buffered, size = read(*given, **named), list[ImportChat](), 0
        for chat in chats:
            buffered.append(chat)
            size += _char_count(chat)
            if size > _MAX_BUFFERED_CHARS:
                buffered.clear()
                deque(chats, maxlen=0)
                yield from read(*given, **named)
                return
        yield from buffered

    return read_to_end


def _char_count(chat: ImportChat) -> int:
    said = sum(
        len(exchange.user) + len(exchange.assistant) + _OVERHEAD_CHARS
        for exchange in chat.exchanges
    )
    return said + sum(len(note.text) + _OVERHEAD_CHARS for note in chat.notes)


class UniqueNames:
    """Numbers conversations of one import that have the same name, in order."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Namespace, str], int] = {}

    def assign(self, namespace: Namespace, wanted: str) -> str:
        count = self._counts.get((namespace, wanted), 0) + 1
        self._counts[namespace, wanted] = count
        return wanted if count == 1 else f"{wanted}-{count}"
