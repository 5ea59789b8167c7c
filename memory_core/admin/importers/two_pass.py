"""A file is read to its end before the first of its chats is given: a broken one changes nothing.

What is small is held meanwhile, what is large is read twice. That cannot help where a file
changes between the two.
"""

from collections import deque
from collections.abc import Callable, Iterator

from ...domain.namespaces import Namespace
from .base import Chat

# In letters of the chats' texts.
_HELD = 16 * 2**20
_OF_EACH = 200


def checked(read: Callable[[], Iterator[Chat]]) -> Iterator[Chat]:
    """All of read(); its ImportFailed comes before the first chat does."""
    chats, held, size = read(), list[Chat](), 0
    for chat in chats:
        held.append(chat)
        size += _size(chat)
        if size > _HELD:
            held.clear()
            deque(chats, maxlen=0)
            yield from read()
            return
    yield from held


def _size(chat: Chat) -> int:
    said = sum(len(it.user) + len(it.assistant) + _OF_EACH for it in chat.exchanges)
    return said + sum(len(it.text) + _OF_EACH for it in chat.notes)


class Names:
    """Conversations of one import that bear the same name are told apart by their order."""

    def __init__(self) -> None:
        self._taken: dict[tuple[Namespace, str], int] = {}

    def free(self, namespace: Namespace, wanted: str) -> str:
        count = self._taken.get((namespace, wanted), 0) + 1
        self._taken[namespace, wanted] = count
        return wanted if count == 1 else f"{wanted}-{count}"
