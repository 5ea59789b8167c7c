"""A file is read to its end before the first of its chats is given: a broken one changes nothing.

What is small is held meanwhile, what is large is read twice. That cannot help where a file
changes between the two.
"""

from collections import deque
from collections.abc import Callable, Iterator

from ...domain.namespaces import Namespace
from .base import ImportChat

# In letters of the chats' texts.
_MAX_BUFFERED_CHARS = 16 * 2**20
_OVERHEAD_CHARS = 200


def read_twice(read: Callable[[], Iterator[ImportChat]]) -> Iterator[ImportChat]:
    """All of read(); its ImportFailed comes before the first chat does."""
    chats, held, size = read(), list[ImportChat](), 0
    for chat in chats:
        held.append(chat)
        size += _char_count(chat)
        if size > _MAX_BUFFERED_CHARS:
            held.clear()
            deque(chats, maxlen=0)
            yield from read()
            return
    yield from held


def _char_count(chat: ImportChat) -> int:
    said = sum(
        len(exchange.user) + len(exchange.assistant) + _OVERHEAD_CHARS
        for exchange in chat.exchanges
    )
    return said + sum(len(note.text) + _OVERHEAD_CHARS for note in chat.notes)


class UniqueNames:
    """Conversations of one import that bear the same name are told apart by their order."""

    def __init__(self) -> None:
        self._counts: dict[tuple[Namespace, str], int] = {}

    def assign(self, namespace: Namespace, wanted: str) -> str:
        count = self._counts.get((namespace, wanted), 0) + 1
        self._counts[namespace, wanted] = count
        return wanted if count == 1 else f"{wanted}-{count}"
