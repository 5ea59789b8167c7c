"""One namespace: its transcript, and the store derived from it.

A write is done when it is on disk; the store follows before it is read next, or when nobody waits.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ..domain.errors import StorageBusy, StorageCorrupt, StorageError, StorageLocked, UnknownMemory
from ..domain.namespaces import decode
from ..domain.records import Exchange, Memory
from ..infra.deadlines import RepairOnce, held
from ..infra.lru_cache import LRUCache
from ..storage.contract import MemoryStore
from ..storage.log.diff import Added, Diff, KnownExchange, reconcile
from ..storage.log.event_log import AppendedEvents, EventLog
from ..storage.log.events import Event, EventType, NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus, apply_events
from ..storage.log.tail_reader import UnreadEvents, read_unread, was_rewritten
from ..storage.log.tombstones import resolve_tombstones
from .active_embedding_model import ActiveEmbeddingModel
from .erasure import Erasure
from .event_factory import add_event, events_for_diff, forget_event, unforget_events
from .forgetting import any_due, content_keys, due_for_erasure, forgotten_together, same_content
from .known_exchanges import KnownExchanges
from .write_buffer import WriteBuffer, indexed_position

INDEX = "index"
_BATCH = 1000
_EVENTS_PER_STEP = 1000  # lines that the store takes at once
_MAX_BUFFERED = 800
_PATIENCE_S = 0.2  # with another thread that brings the store into step
_MAX_CACHED_POSITIONS = 64
_MAX_CACHED_CONVERSATIONS = 8  # conversations compared with what the chat shows at each message

T = TypeVar("T")
LogEnds = Mapping[str, int]
OpenStore = Callable[[Path], MemoryStore]


class NamespaceMemory:
    """Writes go to the transcript first, then into the store. Safe for many threads.

    `problems` says in plain words what was found damaged, `embedded` whose vectors there are.
    """

    def __init__(self, folder: Path, *, open_store: OpenStore) -> None:
        self.folder = folder
        self.event_log = EventLog(folder)
        self.problems: list[str] = []
        self.active_model = ActiveEmbeddingModel(self)
        self.erasure = Erasure(self)
        self._write_count = 0
        self._known_exchanges_cache: LRUCache[str, Sequence[KnownExchange]] = LRUCache(
            _MAX_CACHED_CONVERSATIONS
        )
        self._last_positions: LRUCache[str, float] = LRUCache(_MAX_CACHED_POSITIONS)
        self._write_buffer = WriteBuffer()
        self._holds_write_lock = self._index_is_stale = False
        self._lock = threading.RLock()
        self._sync_lock = threading.RLock()
        self._repair = RepairOnce(decode(folder.name) or folder.name, self._lock, self.rebuild)
        self.store = open_store(folder / INDEX)
        self._reload_index()
        for name in self.event_log.foreign_files():
            self._report(f"{name} among the conversations is none of ours and left alone")

    def write(self, draft: NewEvent) -> Event:
        """Appends one operation; on return it is on disk. Raises StorageFailed, StorageLocked."""
        with self._lock:
            self._begin_writing()
            run = self.event_log.append(draft)
            self._buffer(run)
            return run.events[0]

    def write_all(self, drafts: Sequence[NewEvent]) -> None:
        """The same for many at once."""
        with self._lock:
            if drafts:
                self._begin_writing()
            for at in range(0, len(drafts), _BATCH):
                for run in self.event_log.append_all(drafts[at : at + _BATCH]):
                    self._buffer(run)

    def _begin_writing(self) -> None:
        """From now on nobody else writes here; what others wrote before is read."""
        if not self._holds_write_lock:
            self.event_log.lock_for_writing(self._query_index(indexed_position))
            self._holds_write_lock = self._index_is_stale = True
            self._try_sync_index()

    def _buffer(self, run: AppendedEvents) -> None:
        """What is on disk counts as written, whatever befalls the store: it follows later."""
        self._write_buffer.add(run)
        self._invalidate_caches(run.events)
        if run.log:
            self._last_positions.pop(run.log)
        elif any(line.op is EventType.REMOVE for line in run.events):
            self._last_positions.drop_where(lambda _: True)
        if len(self._write_buffer) > _MAX_BUFFERED:
            self._try_sync_index()

    def sync_index(self, patience_s: float = -1) -> None:
        """Brings the store to the transcript's end; a damaged or foreign store is made anew."""
        if self._holds_write_lock and not self._index_is_stale:
            self._query_index(lambda _: self._apply_buffered(patience_s))
        if self._index_is_stale or not self._holds_write_lock:
            self._reload_index()

    def query(self, use: Callable[[MemoryStore], T]) -> T:
        """What `use` makes of the store, in step with what was written."""
        self._try_sync_index()
        return self._query_index(use)

    def query_without_forgotten(self, use: Callable[[MemoryStore], list[Memory]]) -> list[Memory]:
        """The same of memories, without what was forgotten where the store could not follow."""
        self._try_sync_index()
        hidden = self.hidden_ids()  # first: what it knows when it is asked need not be hidden
        return [it for it in self._query_index(use) if it.id not in hidden]

    def always_in_prompt(self) -> list[Memory]:
        """What is always in prompts; to know that, the store need not have what was only added."""
        is_known = not self._index_is_stale and self._write_buffer.has_only_additions()
        return (self._query_index if is_known else self.query_without_forgotten)(
            lambda store: store.always_in_prompt()
        )

    def last_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return self.query(lambda store: store.last_seqs(sorted(set(ids) - self.hidden_ids())))

    def _query_index(self, use: Callable[[MemoryStore], T]) -> T:
        """A damaged store is made anew and asked once more. Raises StorageBusy in a hurry."""
        try:
            self._repair.ensure_repaired()
            return use(self.store)
        except StorageCorrupt as exc:
            self._report(f"{exc}; it is being made anew")
            self._repair.is_due = True
            self._repair.ensure_repaired()
            return use(self.store)

    def _try_sync_index(self) -> None:
        """Lets the store know what was written; where it cannot, it is told and tried again."""
        try:
            if self._index_is_stale or self._write_buffer:
                self.sync_index(_PATIENCE_S)
        except StorageError as exc:
            if isinstance(exc, StorageBusy):
                raise
            self._report(f"what was written last cannot be found yet: {exc}")

    def _apply_buffered(self, patience_s: float) -> None:
        """Steps aside where another thread is at it for longer: much is written at once then.

        A store that lacks what came before is behind: it must not count as read beyond.
        """
        if not self._sync_lock.acquire(timeout=patience_s):
            return
        try:
            while self._write_buffer:
                batch = self._write_buffer.oldest(_EVENTS_PER_STEP)
                done = self.store.positions(batch.starts)
                if any(done.get(log, 0) != start for log, start in batch.starts.items()):
                    self._index_is_stale = True
                    return
                self._apply(batch.events, batch.ends)
                self._write_buffer.remove(batch)
        finally:
            self._sync_lock.release()

    def rebuild(self) -> None:
        """Makes the store anew from the logs alone. Where a log cannot be read, it stays as it is;
        where this was cut off, the next reader tries again. Raises StorageFailed, and StorageLocked
        while another program writes here, which would go on with a file that is no more.
        """
        with self._lock, self._sync_lock, self.event_log.try_locked() as is_alone:
            if not is_alone:
                raise StorageLocked(f"another program writes {self.folder}: it can make it anew")
            try:
                self._rebuild_from(read_unread(self.event_log, {}, self.event_log.logs()))
            except StorageError as exc:
                self._report(f"the index could not be made anew: {exc}; it is tried again")
                raise

    def _rebuild_from(self, found: UnreadEvents) -> None:
        self._index_is_stale = True
        self._write_buffer.clear()
        self.store.clear()
        self.erasure.mark_done()
        self._invalidate_caches()
        self._index_is_stale = not self._apply_all(found)
        self._repair.is_due = False

    def maintain(self) -> bool:
        """One step of the store's upkeep; whether there is more. Only who writes here may."""
        with suppress(StorageError), self._lock:
            self._begin_writing()
        return self._holds_write_lock and self.query(lambda store: store.maintain())

    def use_model(self, fingerprint: str, dim: int) -> None:
        """Has the store search vectors of this model from now on."""
        with self._lock:
            self._begin_writing()  # two programs must not write the same vectors
        self.active_model.activate(fingerprint, dim)

    def _reload_index(self) -> None:
        """Brings the store to the logs' ends, whoever wrote them."""
        with held(self._lock, self._repair.name), held(self._sync_lock, self._repair.name):
            self._index_is_stale = not self._query_index(lambda _: self._apply_new_events())
            if not self._index_is_stale:
                self._write_buffer.clear()

    def _apply_new_events(self) -> bool:
        """Whether the store has all now: not where another program rewrites a log, or has changed
        the store since it was asked how far it is.
        """
        done, logs = self.store.positions(), self.event_log.logs()
        if was_rewritten(self.event_log, done, logs):
            with self.event_log.try_locked() as is_alone:
                if is_alone:  # else who rewrites it is still at it
                    self.rebuild()
                return is_alone and not self._index_is_stale
        since = None if self.event_log.holds_lock else done
        return self._apply_all(read_unread(self.event_log, done, logs), since=since)

    def _apply_all(self, found: UnreadEvents, *, since: LogEnds | None = None) -> bool:
        is_done = all(self._apply(*step, since=since) for step in found.batches(_EVENTS_PER_STEP))
        is_done = is_done and found.is_complete
        for fault in found.problems if is_done else ():
            self._report(f"a damaged line was passed over: {fault}")
        return is_done

    def _apply(
        self, lines: Sequence[Event], ends: LogEnds, *, since: LogEnds | None = None
    ) -> bool:
        try:
            return self.store.apply(lines, ends, since=since)
        finally:
            self._invalidate_caches(lines)

    def _invalidate_caches(self, lines: Sequence[Event] = ()) -> None:
        """What was kept of the store is out of date; of these logs alone where lines only add."""
        self._write_count += 1
        if lines and all(line.op is EventType.ADD for line in lines):
            logs = {line.log for line in lines}
            self._known_exchanges_cache.drop_where(lambda log: log in logs)
        else:
            self.erasure.invalidate()
            self._known_exchanges_cache.drop_where(lambda _: True)

    def mark_index_stale(self) -> None:
        self._index_is_stale = True

    def _report(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def get_record(self, memory_id: str) -> MemoryRecord:
        """Raises UnknownMemory."""
        if found := self._records([memory_id]).get(memory_id):
            return found
        raise UnknownMemory(memory_id)

    def has_memory(self, memory_id: str) -> bool:
        return bool(self._records([memory_id]))

    def _records(self, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """With what waits folded in, so that the store need not follow first."""
        if self._index_is_stale:
            self._try_sync_index()
        waiting = self._write_buffer.events_about(ids)
        return apply_events(waiting, self._query_index(lambda store: store.get(list(ids))))

    def hidden_ids(self) -> frozenset[str]:
        """What is forgotten or gone but may still be found, as the store could not follow."""
        return self._write_buffer.hidden_ids()

    def compare(self, log: str, shown: Sequence[Exchange], *, whole: bool) -> Diff:
        """What the chat shows against what is written, without writing."""
        known = resolve_tombstones(self._known_exchanges(log), shown, self.event_log.secrets)
        return reconcile(known, [(it.key, it) for it in shown], whole=whole)

    def _known_exchanges(self, log: str) -> Sequence[KnownExchange]:
        """What the store knows of a conversation; asked again only after it was written to."""
        found = self._known_exchanges_cache.get(log)
        if found is None and not self.event_log.has_log(log):
            return ()
        if found is None:
            self._try_sync_index()
            writes, found = (
                self._write_count,
                self._query_index(lambda store: store.known_exchanges(log)),
            )
            if writes == self._write_count:
                self._known_exchanges_cache.put(log, found)
        return found

    def remember(self, log: str, exchange: Exchange) -> Event:
        """Appends one exchange to a conversation."""
        with self._lock:
            self._begin_writing()
            place = self._last_positions.get(log)
            if place is None:
                place = self.query(lambda store: store.last_position(log))
            place = float(int(place) + 1)
            line = self.write(add_event(log, Added(exchange=exchange, position=place)))
            self._last_positions.put(log, place)
            return line

    def reconcile(self, log: str, shown: Sequence[Exchange], *, whole: bool, now: float) -> Diff:
        """Writes down what the chat shows, each difference as one operation."""
        with self._lock:
            is_in_use = self._known_exchanges_cache.get(log) is not None
            if not self._can_sync_later(log):
                self.sync_index()
            diff = self.compare(log, shown, whole=whole)
            if diff and not self._holds_write_lock:
                self._begin_writing()
                diff = self.compare(log, shown, whole=whole)
            said = [*(it.exchange for it in diff.added), *(it.exchange for it in diff.changed)]
            self.write_all(
                list(events_for_diff(log, diff, self._match_known_exchanges(log, said), now))
            )
            if is_in_use:
                self._known_exchanges(log)  # nobody waits now
            return diff

    def _match_known_exchanges(self, log: str, said: Sequence[Exchange]) -> Mapping[int, str]:
        """Which of what is new was met before: index → id; the store lacks additions at most."""
        secrets = self.event_log.secrets
        return self._query_index(
            lambda it: KnownExchanges(it, self._write_buffer, secrets).match(log, said)
        )

    def _can_sync_later(self, log: str) -> bool:
        """Whether the store need not follow before a conversation is written to: nothing is written
        of it yet, and what waits, which is not much, only adds to others.
        """
        in_step = (
            self._holds_write_lock
            and not self._index_is_stale
            and len(self._write_buffer) <= _MAX_BUFFERED
        )
        return (
            in_step and self._write_buffer.has_only_additions() and not self.event_log.has_log(log)
        )

    def forget(self, ids: Collection[str], *, now: float) -> list[str]:
        """Hides these memories at once, with their copies in other conversations; returns all ids.

        Raises UnknownMemory before anything is written.
        """
        with self._lock:
            named = [self.get_record(memory_id) for memory_id in ids]
            self._begin_writing()
            entries = [*named, *self._find_same_content(named)]
            self._write_tombstones(entries, now)
            return [entry.memory.id for entry in entries]

    def forget_exactly(self, ids: Collection[str], *, now: float) -> None:
        """The same, but their copies stay."""
        with self._lock:
            self._write_tombstones([self.get_record(memory_id) for memory_id in ids], now)

    def _write_tombstones(self, entries: Sequence[MemoryRecord], now: float) -> None:
        self._begin_writing()
        secret = self.event_log.secret()
        self.active_model.drop_similarity_baseline()
        # Once it is forgotten its seal may be all that is left of it.
        fresh = [it for it in entries if it.status is not MemoryStatus.FORGOTTEN]
        self.write_all([forget_event(it, secret, now) for it in fresh])

    def _find_same_content(self, named: Sequence[MemoryRecord]) -> list[MemoryRecord]:
        keys, changed = content_keys(named), self._write_buffer.changed_ids()
        found = self._query_index(lambda store: store.ids_by_content(keys)) if keys else []
        return same_content(named, self._records({*found, *changed}).values())

    def unforget(self, memory_id: str, *, now: float) -> None:
        """Brings back what is forgotten, with its copies that went along. Raises UnknownMemory, and
        WordsErased from when its words begin to be erased.
        """
        with self._lock:
            entry = self.get_record(memory_id)
            self.erasure.refuse_erased(entry)
            self.write_all(unforget_events(forgotten_together(entry, self.forgotten()), now))

    def forgotten(self) -> list[MemoryRecord]:
        """Returns what unforget() can bring back: forgotten, and not being erased."""
        found = self.query(lambda store: store.forgotten())
        return [entry for entry in found if self.erasure.can_unforget(entry)]

    def erase_forgotten(self, *, now: float, kept_s: float) -> int:
        """Takes the words of what was forgotten so long ago off the disk; returns how many."""
        if not any_due(self.erasure.forgotten_time_range(), now=now, kept_s=kept_s):
            return 0
        with self.erasure.lock:
            with self._lock:
                self._begin_writing()
                self.sync_index()
                going = due_for_erasure(
                    self.query(lambda store: store.forgotten()), now=now, kept_s=kept_s
                )
                self.erasure.erase_from_logs(going)
            self.erasure.erase_from_index()
            self._invalidate_caches()
            return len(going)

    def close(self) -> None:
        with self._lock, suppress(StorageError):  # it follows when it is opened again
            self._apply_buffered(-1)
        self.close_without_sync()

    def close_without_sync(self) -> None:
        """The same without bringing the store into step: not to be waited for by somebody else."""
        with self._lock, self._sync_lock:
            self.store.close()
            self.event_log.close()
