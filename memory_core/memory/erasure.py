"""Takes the words of forgotten memories off the disk: out of the logs, then out of the store.

From the first step on they cannot be brought back. A store carries a mark while its logs are
rewritten. After an interruption the mark makes sure that the store is built anew.
"""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from ..domain.errors import WordsErased
from ..storage.contract import MemoryStore
from ..storage.log.erasure import purge_content, purge_damaged_lines
from ..storage.log.event_log import EventLog
from ..storage.log.projection import MemoryRecord
from .forgetting import Times, forgotten_time_range

_REWRITING_MARK = "/"  # no log is named so
_PAST_ANY_END = 1 << 62

T = TypeVar("T")


class HasLogAndStore(Protocol):
    """Where words are erased; `fall_behind` has the store looked over before it is read next."""

    store: MemoryStore
    event_log: EventLog

    def query(self, use: Callable[[MemoryStore], T]) -> T: ...

    def mark_index_stale(self) -> None: ...


class Erasure:
    """Of one namespace. Who erases holds `alone` meanwhile; `going` are those that lose their words
    just now, by their ids.
    """

    def __init__(self, place: HasLogAndStore) -> None:
        self._owner = place
        self._times: Times | None = None
        self._changes = 0
        self.lock = threading.Lock()
        self.ids_being_erased: frozenset[str] = frozenset()

    def forgotten_time_range(self) -> Times:
        """When what still has its words was forgotten; asked only after something changed."""
        known, changes = self._times, self._changes
        if known is None:
            known = forgotten_time_range(self._owner.query(lambda store: store.forgotten()))
            self._times = known if changes == self._changes else None
        return known

    def invalidate(self) -> None:
        self._changes += 1
        self._times = None

    def refuse_erased(self, entry: MemoryRecord) -> None:
        """Raises WordsErased for a memory that cannot come back."""
        if not self.can_unforget(entry):
            raise WordsErased(entry.memory.id)

    def can_unforget(self, entry: MemoryRecord) -> bool:
        return entry.has_text and entry.memory.id not in self.ids_being_erased

    def erase_from_logs(self, going: Collection[MemoryRecord]) -> None:
        """Takes their words out of the logs, to which nobody may write meanwhile.

        Raises StorageError.
        """
        self.ids_being_erased = frozenset(entry.memory.id for entry in going)
        logs = sorted(frozenset([""]).union(*(entry.logs for entry in going)))
        with self.mark_rewriting():
            purge_logs(self._owner.event_log, logs, self.ids_being_erased, self._owner.store)

    def erase_from_index(self) -> None:
        """Takes them out of the store. That is long in a large one: what is written and read
        meanwhile does not wait for it. Raises StorageFailed: then it is to be tried again.
        """
        self._owner.store.erase(sorted(self.ids_being_erased))
        self._owner.store.apply([], {_REWRITING_MARK: 0})
        self.mark_done()

    def mark_done(self) -> None:
        """Also where the store was made anew, of logs that have no such words any more."""
        self.ids_being_erased = frozenset()
        self.invalidate()

    @contextmanager
    def mark_rewriting(self) -> Iterator[None]:
        """Sets the mark, which scrub() takes away, or whoever makes the store anew."""
        is_whole = False
        self._owner.store.apply([], {_REWRITING_MARK: _PAST_ANY_END})
        try:
            yield
            is_whole = True
        finally:
            if not is_whole:
                self._owner.mark_index_stale()


def purge_logs(
    transcript: EventLog, logs: Collection[str], doomed: Collection[str], store: MemoryStore
) -> None:
    """Rewrites these logs without the words of the doomed memories, and tells the store where they
    end now. Raises StorageError.
    """
    purge_damaged_lines(transcript, logs, doomed)
    for log in logs:
        content = purge_content(transcript.read(log), doomed)
        transcript.rewrite(log, content)
        store.apply([], {log: len(content)})
