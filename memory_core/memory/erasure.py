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
from ..storage.log.erasure import purge_asides, purged
from ..storage.log.event_log import Transcript
from ..storage.log.projection import Entry
from .forgetting import Times, first_and_last

_REWRITING = "/"  # no log is named so
_PAST_ANY_END = 1 << 62

T = TypeVar("T")


class Place(Protocol):
    """Where words are erased; `fall_behind` has the store looked over before it is read next."""

    store: MemoryStore
    transcript: Transcript

    def read(self, use: Callable[[MemoryStore], T]) -> T: ...

    def fall_behind(self) -> None: ...


class Erasure:
    """Of one namespace. Who erases holds `alone` meanwhile; `going` are those that lose their words
    just now, by their ids.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._times: Times | None = None
        self._changes = 0
        self.alone = threading.Lock()
        self.going: frozenset[str] = frozenset()

    def forgotten_at(self) -> Times:
        """When what still has its words was forgotten; asked only after something changed."""
        known, changes = self._times, self._changes
        if known is None:
            known = first_and_last(self._place.read(lambda store: store.forgotten()))
            self._times = known if changes == self._changes else None
        return known

    def has_changed(self) -> None:
        self._changes += 1
        self._times = None

    def refuse_erased(self, entry: Entry) -> None:
        """Raises WordsErased for a memory that cannot come back."""
        if not self.can_come_back(entry):
            raise WordsErased(entry.memory.id)

    def can_come_back(self, entry: Entry) -> bool:
        return entry.has_words and entry.memory.id not in self.going

    def purge(self, going: Collection[Entry]) -> None:
        """Takes their words out of the logs, to which nobody may write meanwhile.

        Raises StorageError.
        """
        self.going = frozenset(entry.memory.id for entry in going)
        logs = sorted(frozenset([""]).union(*(entry.logs for entry in going)))
        with self.rewriting():
            purge_logs(self._place.transcript, logs, self.going, self._place.store)

    def scrub(self) -> None:
        """Takes them out of the store. That is long in a large one: what is written and read
        meanwhile does not wait for it. Raises StorageFailed: then it is to be tried again.
        """
        self._place.store.erase(sorted(self.going))
        self._place.store.apply([], {_REWRITING: 0})
        self.is_done()

    def is_done(self) -> None:
        """Also where the store was made anew, of logs that have no such words any more."""
        self.going = frozenset()
        self.has_changed()

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Sets the mark, which scrub() takes away, or whoever makes the store anew."""
        is_whole = False
        self._place.store.apply([], {_REWRITING: _PAST_ANY_END})
        try:
            yield
            is_whole = True
        finally:
            if not is_whole:
                self._place.fall_behind()


def purge_logs(
    transcript: Transcript, logs: Collection[str], doomed: Collection[str], store: MemoryStore
) -> None:
    """Rewrites these logs without the words of the doomed memories, and tells the store where they
    end now. Raises StorageError.
    """
    purge_asides(transcript, logs, doomed)
    for log in logs:
        content = purged(transcript.read(log), doomed)
        transcript.rewrite(log, content)
        store.apply([], {log: len(content)})
