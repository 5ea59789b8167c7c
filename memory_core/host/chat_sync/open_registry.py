"""Opens the chat book of the storage folder in use on demand, and again after a fault."""

from collections.abc import Callable
from pathlib import Path

from .chat_registry import ChatBook

_REOPENED_EVERY_S = 10.0


class OpenBook:
    """Holds one open book. For one thread at a time."""

    def __init__(
        self,
        path: Callable[[], Path],
        *,
        forgets: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        """Asks `path` anew each time, since the storage folder may change. Calls `forgets` where
        another book may know other chats than this one did.
        """
        self._path = path
        self._forgets = forgets
        self._clock = clock
        self._book: ChatBook | None = None
        self._reopened_at = 0.0

    def current(self) -> ChatBook:
        path = self._path()
        if self._book is None or self._book.path != path:
            self.close()
            self._book = ChatBook(path)
        return self._book

    def reopen(self) -> None:
        """Tries, once in a while, to replace a book that stands in for one that cannot be read: it
        knows nothing of what was seen before, such as chats that are gone.
        """
        if self._book is None or not self._book.is_makeshift or self._clock() < self._reopened_at:
            return
        self._reopened_at = self._clock() + _REOPENED_EVERY_S
        if self._book.reopen():
            self._forgets()

    def close(self) -> None:
        self._forgets()
        if self._book is not None:
            self._book.close()
            self._book = None
