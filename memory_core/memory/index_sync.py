"""Keeps a namespace's index in step with its log, and rebuilds the index when it is damaged."""

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

from ..domain.errors import StorageBusy, StorageCorrupt, StorageError, StorageLocked
from ..domain.namespaces import decode
from ..infra.deadlines import SingleFlight, checked_once, has_time_limit, hold_lock
from ..storage.log.contract import Log
from ..storage.log.event_log import LogPosition
from ..storage.log.tail_reader import UnreadEvents, read_unread, was_rewritten
from ..storage.store import MemoryStore
from .write_buffer import WriteBuffer

if TYPE_CHECKING:
    from .namespace_memory import NamespaceMemory

_EVENTS_PER_STEP = 1000  # applied to the store at once
_TIMEOUT_S = 0.2  # to wait for another thread that applies events
_FEW_TIMEOUT_S = 5.0  # to wait if there are few events, and no prompt waits
_FEW = 100

T = TypeVar("T")
LogEnds = Mapping[str, int]


class Problems:
    """The problems of one namespace, in plain words. `found` is damage, which stays reported.

    `unsolved` are failures of work that is retried; they are dropped once it succeeds.
    """

    def __init__(self) -> None:
        self.found: list[str] = []
        self.unsolved: list[str] = []

    def all(self) -> list[str]:
        return [*self.found, *self.unsolved]

    def report(self, problem: str) -> None:
        if problem not in self.found:
            self.found.append(problem)

    def report_unsolved(self, problem: str) -> None:
        if problem not in self.unsolved:
            self.unsolved.append(problem)

    def solve(self) -> None:
        self.unsolved = []


class IndexSync:
    """Applies the log's events to the store: those of the write buffer, or those on disk.

    `is_stale` is set if the log has to be read again; `holds_write_lock` from the first write
    on; `is_damaged` until the store is rebuilt. Safe for many threads. `lock` is the namespace's
    own and is taken before any other.
    """

    def __init__(
        self,
        store: MemoryStore,
        event_log: Log,
        buffer: WriteBuffer,
        *,
        lock: threading.RLock,
        owner: "NamespaceMemory",
        problems: Problems,
    ) -> None:
        self._store = store
        self._event_log = event_log
        self._write_buffer = buffer
        self._lock = lock
        self._owner = owner
        self._problems = problems
        self._damage = ""
        self._is_stale = self.holds_write_lock = self.is_damaged = False
        self._seen = (0, 0)  # seq and version of the rows
        self.lock = threading.RLock()
        name = event_log.folder.name
        self._name = decode(name) or name
        self._single_flight = SingleFlight()

    def can_sync_later(self, log: str, *, max_waiting: int) -> bool:
        """Returns whether a conversation can be written to without a sync first.

        It can if it is new, and if the buffer is short and only adds to other conversations.
        """
        buffer = self._write_buffer
        is_synced = self.holds_write_lock and not self.is_stale and len(buffer) <= max_waiting
        return is_synced and buffer.has_only_additions() and not self._event_log.has_log(log)

    @property
    def is_stale(self) -> bool:
        """Whether another program may have written since, too; a prompt looks only once."""
        return self._is_stale or not checked_once(self, self._has_only_own_writes)

    @is_stale.setter
    def is_stale(self, value: bool) -> None:
        self._is_stale = value

    def _has_only_own_writes(self) -> bool:
        if self._event_log.has_many_writers:
            return not self._event_log.is_ahead_of(self.notice_changes())
        return self.holds_write_lock or not self._owner.is_shared()

    def notice_changes(self) -> int:
        """Returns the seq up to which this program or another one has applied all events.

        Drops the caches if another one has applied some, or computed all of them anew.
        """
        summary = self.query(lambda store: store.catalog.summary())
        seen = summary.last_applied_seq, summary.derived_version
        if seen != self._seen:
            self._owner.invalidate_caches(())
        self._seen = seen
        return summary.last_applied_seq

    def lock_for_writing(self) -> None:
        """Keeps other programs from writing from now on, and reads what they wrote before.

        Where many programs write, only Log.exclusive() keeps the others away, for a moment.
        """
        if self._event_log.has_many_writers:
            self.holds_write_lock = True
        elif not self.holds_write_lock:
            self._event_log.lock_for_writing(self.query(_indexed_position))
            self.holds_write_lock = self.is_stale = True
            self._owner.on_locked()
            self.try_sync()

    def query(self, use: Callable[[MemoryStore], T]) -> T:
        """Returns the result of `use` on the store as it is, without applying new events.

        Rebuilds a damaged store and asks again. Raises StorageBusy if a time limit runs out.
        """
        try:
            if self.is_damaged:
                self._repair()
            return use(self._store)
        except StorageCorrupt as exc:
            self._damage = str(exc)
            self._problems.report_unsolved(f"{exc}; it is being made anew")
            self.is_damaged = True
            self._repair()
            return use(self._store)

    def _repair(self) -> None:
        """Rebuilds a damaged store once, however many threads find the damage.

        Raises StorageBusy after the thread's time limit, and the errors of rebuild().
        """
        if has_time_limit():
            self._single_flight.run_once(self._name, self._repair)
            return
        with self._lock:  # a second thread finds it rebuilt
            if self.is_damaged:
                self.rebuild()

    def sync(self, timeout_s: float = -1) -> None:
        """Applies all events up to the log's end; rebuilds a damaged or foreign store.

        Where many programs write, it does so unless another thread writes for `timeout_s`.
        """
        if self._event_log.has_many_writers:
            if self._lock.acquire(timeout=timeout_s):
                try:
                    self.reload()
                finally:
                    self._lock.release()
            return
        if self.holds_write_lock and not self.is_stale:
            self.query(lambda _: self.apply_buffered(timeout_s))
        if self.is_stale or not self.holds_write_lock:
            self.reload()

    def read(self, use: Callable[[MemoryStore], T]) -> T:
        """Returns the result of `use` on the store, after applying new events as try_sync() does.

        Waits longer for few of them, except in a prompt. Thus a client finds what it stored
        before, even on a busy machine.
        """
        if self.is_stale or self._write_buffer:
            is_patient = len(self._write_buffer) <= _FEW and not has_time_limit()
            self.try_sync(_FEW_TIMEOUT_S if is_patient else _TIMEOUT_S)
        return self.query(use)

    def try_sync(self, timeout_s: float = _TIMEOUT_S) -> None:
        """Applies new events. Reports a failure, which the next call tries again."""
        try:
            if self.is_stale or self._write_buffer:
                self.sync(timeout_s)
        except StorageError as exc:
            if isinstance(exc, StorageBusy):
                raise
            problem = f"what was written last cannot be found yet: {exc}"
            self._problems.report_unsolved(problem)

    def apply_buffered(self, timeout_s: float = -1) -> None:
        """Applies the buffered events, unless another thread does so for longer than `timeout_s`.

        A store that lacks earlier events becomes stale: its position must not pass them.
        """
        if self._event_log.has_many_writers:  # another program may have applied them
            self.sync(timeout_s)
            return
        if not self.lock.acquire(timeout=timeout_s):
            return
        try:
            while self._write_buffer:
                batch = self._write_buffer.oldest(_EVENTS_PER_STEP)
                done = self._store.positions(batch.starts)
                if any(done.get(log, 0) != start for log, start in batch.starts.items()):
                    self.is_stale = True
                    return
                try:
                    self._store.apply(batch.events, batch.ends)
                finally:
                    self._owner.invalidate_caches(batch.events)
                self._write_buffer.remove(batch)
            if not self._is_stale:
                self._problems.solve()
        finally:
            self.lock.release()

    def reload(self) -> None:
        """Applies all new events on disk, whichever program wrote them."""
        with hold_lock(self._lock, self._name), hold_lock(self.lock, self._name):
            self.is_stale = not self.query(lambda _: self._apply_new_events())
            if not self._is_stale:
                self._write_buffer.clear()
                self._problems.solve()

    def rebuild(self) -> None:
        """Rebuilds the store from the logs alone; leaves it alone if a log cannot be read.

        The next reader repeats an interrupted rebuild. Raises StorageFailed, and StorageLocked
        while another program writes here, which would continue with a deleted file.
        """
        with self._lock, self.lock, self._event_log.try_locked() as is_alone:
            if not is_alone:
                folder = self._event_log.folder
                raise StorageLocked(
                    f"another program writes {folder}: only that one can rebuild the index"
                )
            try:
                self._rebuild_from(read_unread(self._event_log, {}, self._event_log.logs()))
            except StorageError as exc:
                if self._is_stale or self.is_damaged:  # else nothing has changed
                    problem = f"the index could not be made anew: {exc}; this is tried again"
                    self._problems.report_unsolved(problem)
                raise
            self._problems.solve()
            if self._damage:
                self._problems.report(f"{self._damage}; it was made anew")
                self._damage = ""

    def _rebuild_from(self, unread: UnreadEvents) -> None:
        self.is_stale = True
        self._write_buffer.clear()
        self._store.clear()
        self._owner.on_cleared()
        self.is_stale = not self._apply_all(unread)
        self.is_damaged = False

    def _apply_new_events(self) -> bool:
        """Returns whether the store has all events now.

        It may lack some if another program rewrites a log, or has changed the store since its
        position was read.
        """
        done, logs = self._store.positions(), self._event_log.logs()
        if was_rewritten(self._event_log, done, logs):
            with self._event_log.try_locked() as is_alone:
                if is_alone:  # else another program is still rewriting
                    self.rebuild()
                return is_alone and not self._is_stale
        since = None if self._event_log.holds_lock else done
        return self._apply_all(read_unread(self._event_log, done, logs), since=since)

    def _apply_all(self, unread: UnreadEvents, *, since: LogEnds | None = None) -> bool:
        """Applies these events; returns whether the store has them all now."""
        is_done = True
        for events, ends in unread.batches(_EVENTS_PER_STEP):
            try:
                is_done = self._store.apply(events, ends, since=since)
            finally:
                self._owner.invalidate_caches(events)
            if not is_done:
                break
        is_done = is_done and unread.is_complete
        for fault in unread.problems if is_done else ():
            self._problems.report(f"a damaged line was passed over: {fault}")
        return is_done


def _indexed_position(store: MemoryStore) -> LogPosition:
    """Returns the position in the log up to which the store has applied events."""
    return LogPosition(seq=store.catalog.summary().last_applied_seq, ends=store.positions())
