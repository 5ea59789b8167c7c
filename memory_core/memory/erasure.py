"""Erases memories for good: forgotten ones, and those of an import that is taken back.

Their text leaves the logs first, then the index.

Once the first step begins, the text cannot be restored. The index is marked while logs are
rewritten, so that it is rebuilt after an interruption.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING

from ..domain.errors import MemoryWithdrawn, StorageError, WordsErased
from ..domain.namespaces import Namespace
from ..storage.log.contract import Log
from ..storage.log.erasure import (
    doomed_texts,
    has_tombstones,
    purge_content,
    purge_damaged_lines,
    remaining_texts,
)
from ..storage.log.projection import MemoryRecord
from ..storage.store import MemoryStore
from .event_factory import erase_import_events
from .forgetting import (
    Times,
    all_derived_from,
    any_due,
    due_for_erasure,
    forgotten_time_range,
    not_forgotten,
)
from .recall_counts import remove_counts
from .trace_history import has_traces, redact_everywhere, redact_traces

if TYPE_CHECKING:
    from .long_term_memory import LongTermMemory
    from .namespace_memory import NamespaceMemory
    from .runtime import Runtime

    OpenNamespace = Callable[[Namespace], AbstractContextManager[NamespaceMemory]]

_REWRITING_MARK = "/"  # no log has this name
_PAST_ANY_END = 1 << 62
_ROUND_S = 0.2  # for namespaces that no chat uses


class Erasure:
    """The erasure of one namespace. The caller holds `lock` while it erases.

    `ids_being_erased` are the memories whose text is being erased.
    """

    def __init__(self, owner: "NamespaceMemory") -> None:
        self._owner = owner
        self._times: Times | None = None
        self._changes = 0
        self.lock = threading.Lock()
        self.ids_being_erased: frozenset[str] = frozenset()

    def forgotten_time_range(self) -> Times:
        """Returns when memories not yet erased were forgotten; cached until something changes."""
        known, changes = self._times, self._changes
        if known is None:
            known = forgotten_time_range(self._owner.query(lambda store: store.catalog.forgotten()))
            self._times = known if changes == self._changes else None
        return known

    def invalidate(self) -> None:
        """Drops the cached time range."""
        self._changes += 1
        self._times = None

    def refuse_erased(self, entry: MemoryRecord) -> None:
        """Raises WordsErased or MemoryWithdrawn for a memory that cannot be restored."""
        if entry.is_withdrawn:
            raise MemoryWithdrawn(entry.memory.id)
        if not self.can_unforget(entry):
            raise WordsErased(entry.memory.id)

    def restorable(self) -> list[MemoryRecord]:
        """Returns the forgotten memories whose text is still there and not being erased."""
        found = self._owner.query(lambda store: store.catalog.forgotten())
        return [entry for entry in found if self.can_unforget(entry)]

    def can_unforget(self, entry: MemoryRecord) -> bool:
        return entry.has_text and entry.memory.id not in self.ids_being_erased

    def erase_from_logs(self, records: Collection[MemoryRecord]) -> None:
        """Removes these memories' text from the logs, which nobody may write meanwhile.

        Raises StorageError.
        """
        self.ids_being_erased = frozenset(record.memory.id for record in records)
        logs = sorted(frozenset([""]).union(*(record.logs for record in records)))
        self._erase_from_traces(logs)
        with self.mark_rewriting():
            purge_logs(self._owner.event_log, logs, self.ids_being_erased, self._owner.store)

    def _erase_from_traces(self, logs: Collection[str]) -> None:
        """Removes the text from the saved traces, while the logs still contain the messages.

        So goes the trace of a message in one of these chats that was never stored, for instance
        because its answer was stopped: nothing else could be forgotten to remove it.
        """
        event_log, ids = self._owner.event_log, self.ids_being_erased
        folder = event_log.folder
        if has_traces(folder):
            chats = remaining_texts(event_log, filter(None, logs), ids)
            redact_traces(folder, ids, doomed_texts(event_log, logs, ids), chats)
        redact_everywhere(folder, ids)
        remove_counts(folder, ids)

    def erase_from_index(self) -> None:
        """Removes the erased text from the index, which takes long in a large one.

        Reads and writes do not wait for it. Raises StorageFailed: the caller tries again later.
        """
        self._owner.store.erase(sorted(self.ids_being_erased))
        self._owner.store.apply([], {_REWRITING_MARK: 0})
        self.mark_done()

    def mark_done(self) -> None:
        """Ends the erasure; also after the index was rebuilt from logs without the erased text."""
        self.ids_being_erased = frozenset()
        self.invalidate()

    @contextmanager
    def mark_rewriting(self) -> Iterator[None]:
        """Sets the mark, which erase_from_index() or a rebuild of the index removes."""
        is_complete = False
        self._owner.store.apply([], {_REWRITING_MARK: _PAST_ANY_END})
        try:
            yield
            is_complete = True
        finally:
            if not is_complete:
                self._owner.mark_index_stale()


def purge_logs(
    event_log: Log, logs: Collection[str], ids: Collection[str], store: MemoryStore
) -> None:
    """Rewrites these logs without the text of these memories, and stores the logs' new ends.

    Raises StorageError.
    """
    purge_damaged_lines(event_log, logs, ids)
    for log in logs:
        content = purge_content(event_log.read(log), ids)
        event_log.rewrite(log, content)
        store.apply([], {log: len(content)})


def erase_forgotten(opened: "NamespaceMemory", *, now: float, kept_s: float) -> int:
    """Erases memories forgotten `kept_s` seconds ago or earlier; returns how many.

    Raises StorageError.
    """
    if not any_due(opened.erasure.forgotten_time_range(), now=now, kept_s=kept_s):
        return 0
    with opened.erasure.lock:
        with opened.writing():
            forgotten = opened.query(lambda store: store.catalog.forgotten())
            going = due_for_erasure(forgotten, now=now, kept_s=kept_s)
            opened.erasure.erase_from_logs(going)
        opened.erasure.erase_from_index()
        opened.invalidate_caches()
        return len(going)


def awaits_erasure(open_namespace: "OpenNamespace", namespace: Namespace) -> bool:
    """Returns whether words of forgotten or withdrawn memories are left. Raises StorageError."""
    with open_namespace(namespace) as opened:
        return bool(opened.erasure.forgotten_time_range())


class ErasureSchedule:
    """Schedules erasures that are due in namespaces which no chat of this program uses.

    The deriver looks after namespaces that were used since the start. Without this, forgotten words
    would stay on disk where an earlier program ended within the undo time. Checks all namespaces
    once, a few in each idle round of a runtime.
    """

    def __init__(self, runtime: "Runtime") -> None:
        self._runtime = runtime
        self._memory: LongTermMemory | None = None
        self._unchecked: deque[Namespace] = deque()

    def run_due(self) -> None:
        """Checks the next namespaces; all of them anew once the storage folder has changed."""
        memory = self._runtime.memory
        if memory is not self._memory:
            self._memory, self._unchecked = memory, deque()
            with suppress(StorageError):  # the program reports it elsewhere
                self._unchecked.extend(memory.namespaces())
        until = time.monotonic() + _ROUND_S
        while self._unchecked and time.monotonic() < until and not self._runtime.is_stopping():
            namespace = self._unchecked.popleft()
            with suppress(StorageError):  # reported when somebody uses it
                if _has_tombstones(memory, namespace) and awaits_erasure(
                    memory.open_namespace, namespace
                ):
                    self._runtime.schedule(namespace)


def _has_tombstones(memory: "LongTermMemory", namespace: Namespace) -> bool:
    """Returns False for namespaces that need not be opened, as nothing was forgotten there."""
    if not memory.shared.namespaces.has(namespace):
        return False
    return not memory.shared.is_in_files or has_tombstones(namespace.folder(memory.root))


def all_ids(opened: "NamespaceMemory") -> frozenset[str]:
    """Returns the ids of all memories that these logs ever had. Raises StorageError."""
    log = opened.event_log
    return frozenset(line.id for name in log.logs() for line in log.read(name).events)


def erase_import(
    opened: "NamespaceMemory", ids: Collection[str], *, now: float
) -> list[MemoryRecord]:
    """Erases these memories at once, without tombstone hashes: their texts may be stored again.

    Skips unknown memories and those forgotten before. Returns the others as they were.
    Raises StorageError.
    """
    with opened.erasure.lock:
        with opened.writing():
            known = {one.memory.id: one for one in all_derived_from(opened, ids)}
            going = not_forgotten((known | opened.records(ids)).values())
            opened.active_model.drop_similarity_baseline()
            opened.write_all(erase_import_events(going, now))
            opened.sync_index()
            opened.erasure.erase_from_logs(going)
        opened.erasure.erase_from_index()
        opened.invalidate_caches()
        return going
