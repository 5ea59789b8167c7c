"""One namespace: its event log, and the index derived from it.

A write is done when it is on disk. The index is updated before it is read next, or in idle time.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from ..domain.errors import SourcesChanged, StorageError, StorageLocked, UnknownMemory
from ..domain.records import Exchange, Memory
from ..infra.lru_cache import LRUCache
from ..storage.contract import DerivedFilter
from ..storage.engine import OpenStore, engine_of
from ..storage.held import HeldFile
from ..storage.holder import Announcer, announced_address, is_announced
from ..storage.log.diff import Diff, KnownExchange, reconcile
from ..storage.log.erasure import resolve_tombstones
from ..storage.log.event_log import AppendedEvents
from ..storage.log.events import CREATING_EVENTS, Event, EventType, NewEvent, new_secret
from ..storage.log.projection import MemoryRecord, MemoryStatus, apply_events
from ..storage.store import MemoryStore, require_complete
from .active_embedding_model import ActiveEmbeddingModel
from .erasure import Erasure
from .event_factory import add_events, events_for_diff, forget_events, unforget_events
from .forgetting import all_derived_from, not_forgotten, restored_by, same_content, withdrawals
from .holder_client import Holder, ask_holder, write_via_holder
from .index_sync import IndexSync, Problems
from .known_exchanges import match_known_exchanges
from .write_buffer import WriteBuffer

INDEX = "index"
_BATCH = 1000
_MAX_BUFFERED = 800
_MAX_CACHED_POSITIONS = 64
_MAX_CACHED_CONVERSATIONS = 8  # each is compared with its chat at every message


class NamespaceMemory:
    """Writes to the log first, then to the index. Safe for many threads.

    `problems` are shown to people; `active_model` is the model of the vectors in use.
    """

    def __init__(
        self, folder: Path, *, open_store: OpenStore, announcer: Announcer | None = None
    ) -> None:
        engine = engine_of(open_store, folder)
        self.folder, self.held = folder, HeldFile(folder, engine.shared.files)
        self._announcer = announcer or Announcer()
        self.event_log = engine.open_log(folder)
        self.problems = Problems()
        self.active_model = ActiveEmbeddingModel(self)
        self.erasure = Erasure(self)
        self._write_count = 0
        self._known_exchanges_cache: LRUCache[str, Sequence[KnownExchange]] = LRUCache(
            _MAX_CACHED_CONVERSATIONS
        )
        self._last_positions: LRUCache[str, float] = LRUCache(_MAX_CACHED_POSITIONS)
        self._write_buffer = WriteBuffer()
        self.hidden_ids = self._write_buffer.hidden_ids
        self._lock = threading.RLock()
        self.store = require_complete(engine.open_store(folder / INDEX))
        self._index = IndexSync(
            self.store,
            self.event_log,
            self._write_buffer,
            lock=self._lock,
            owner=self,
            problems=self.problems,
        )
        # Methods of the index, which callers reach without a detour.
        self.query, self.sync_index = self._index.read, self._index.sync
        self.rebuild = self._index.rebuild
        self._index.reload()
        for name in self.event_log.foreign_files():
            self.problems.report(
                f"{name} among the conversations is not a log of this program and is ignored"
            )

    def write(self, new_event: NewEvent) -> Event:
        """Appends one event; on return it is on disk. Raises StorageFailed, StorageLocked."""
        return self.write_all([new_event])[0]

    def write_all(self, new_events: Sequence[NewEvent]) -> list[Event]:
        """Appends many events, here or through the program that holds the namespace.

        On return they are on disk. Raises StorageFailed, StorageLocked.
        """
        with self._exclusive():
            if not new_events:
                return []
            if self.begin_writing() is not None:
                written = write_via_holder(self, new_events)
                self.invalidate_caches()
                return written
            self._append_all(withdrawals(self, new_events, self.secret))
            return self._append_all(new_events)

    def begin_writing(self) -> Holder | None:
        """Keeps other programs from writing; returns the one that writes here already, if it takes
        writes of others. Raises StorageFailed, and StorageLocked if it does not.
        """
        try:
            self._index.lock_for_writing()
        except StorageLocked:
            address = announced_address(self.folder / INDEX)
            if address is None:
                raise
            return Holder(self.folder, address)
        return None

    def on_locked(self) -> None:
        self._announcer.announce(self.folder / INDEX)

    def is_shared(self) -> bool:
        """Returns whether another program may write here; asked before this one does."""
        return is_announced(self.folder / INDEX)

    def _append_all(self, new_events: Sequence[NewEvent]) -> list[Event]:
        written: list[Event] = []
        for start in range(0, len(new_events), _BATCH):
            for appended in self.event_log.append_all(new_events[start : start + _BATCH]):
                self._buffer(appended)
                written += appended.events
        return written

    def write_if_unchanged(
        self, new_events: Sequence[NewEvent], seqs: Mapping[str, int]
    ) -> list[Event]:
        """Appends these events, unless check_unchanged() raises SourcesChanged for these seqs."""
        with self._exclusive():
            self.check_unchanged(seqs)
            return self.write_all(new_events)

    def check_unchanged(self, seqs: Mapping[str, int]) -> None:
        """Raises SourcesChanged unless these memories are live and have these last seqs."""
        current = self.last_seqs(list(seqs))
        if changed := [name for name, seq in seqs.items() if current.get(name) != seq]:
            raise SourcesChanged(changed)

    def _buffer(self, appended: AppendedEvents) -> None:
        """Buffers events on disk for the index. They count as written even if the index fails."""
        self._write_buffer.add(appended)
        self.invalidate_caches(appended.events)
        if appended.log:
            self._last_positions.pop(appended.log)
        elif any(event.op is EventType.REMOVE for event in appended.events):
            self._last_positions.drop_where(lambda _: True)
        if len(self._write_buffer) > _MAX_BUFFERED:
            self._index.try_sync()

    def query_without_forgotten(self, use: Callable[[MemoryStore], list[Memory]]) -> list[Memory]:
        """Returns the memories that `use` finds, without those forgotten since the last sync."""
        # First: an event applied meanwhile needs no hiding.
        hidden = self.query(lambda _: self.hidden_ids())
        return [memory for memory in self._index.query(use) if memory.id not in hidden]

    def always_in_prompt(self) -> list[Memory]:
        """Returns the memories that are always in prompts. Events that only add need no sync."""
        is_known = not self._index.is_stale and self._write_buffer.has_only_additions()
        return (self._index.query if is_known else self.query_without_forgotten)(
            lambda store: store.catalog.always_in_prompt()
        )

    def last_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return self.query(lambda store: store.catalog.live_seqs(set(ids) - self.hidden_ids()))

    def maintain(self) -> bool:
        """Does one step of upkeep, if this program may write. Returns whether more is due."""
        with suppress(StorageError), self._lock:
            self._index.lock_for_writing()
        return self._index.holds_write_lock and self.query(lambda store: store.maintain())

    def use_model(self, fingerprint: str, dim: int) -> None:
        """Makes the index search the vectors of this model from now on."""
        with self._lock:
            self._index.lock_for_writing()  # two programs must not write the same vectors
        self.active_model.activate(fingerprint, dim)

    def on_cleared(self) -> None:
        """Drops all caches of the index and of erasures, because it is being rebuilt."""
        self.erasure.mark_done()
        self.invalidate_caches()

    def invalidate_caches(self, events: Sequence[Event] = ()) -> None:
        """Drops the caches of these events' logs if they only add, otherwise all caches."""
        self._write_count += 1
        if events and all(event.op in CREATING_EVENTS for event in events):
            logs = {event.log for event in events}
            self._known_exchanges_cache.drop_where(lambda log: log in logs)
        else:
            self.erasure.invalidate()
            self._known_exchanges_cache.drop_where(lambda _: True)

    def mark_index_stale(self) -> None:
        """Makes the next read compare the index with the log first."""
        self._index.is_stale = True

    def get_record(self, memory_id: str) -> MemoryRecord:
        """Returns the memory with its state. Raises UnknownMemory."""
        return self._known_records([memory_id])[0]

    def _known_records(self, ids: Collection[str]) -> list[MemoryRecord]:
        found = self.records(ids)
        if unknown := [memory_id for memory_id in ids if memory_id not in found]:
            raise UnknownMemory(unknown[0])
        return [found[memory_id] for memory_id in ids]

    def records(self, ids: Collection[str]) -> dict[str, MemoryRecord]:
        """Returns the records with buffered events applied, so that no sync is needed first."""
        if not ids:
            return {}
        if self._index.is_stale:
            self._index.try_sync()
        waiting = self._write_buffer.events_about(ids)
        return apply_events(waiting, self._index.query(lambda store: store.catalog.get(list(ids))))

    def compare(self, log: str, shown: Sequence[Exchange], *, whole: bool) -> Diff:
        """Returns how the chat differs from the stored conversation; writes nothing."""
        known = self.known_exchanges(log)
        if any(entry.is_forgotten for entry in known):
            known = resolve_tombstones(known, shown, self.event_log.secrets())
        return reconcile(known, [(exchange.key, exchange) for exchange in shown], whole=whole)

    def known_exchanges(self, log: str) -> Sequence[KnownExchange]:
        """Returns a conversation's stored exchanges, cached until it is written to."""
        if self.event_log.has_many_writers:
            self._index.notice_changes()
        cached = self._known_exchanges_cache.get(log)
        if cached is not None:
            return cached
        if not self.event_log.has_log(log):
            return ()
        self._index.try_sync()
        write_count = self._write_count
        known = self._index.query(lambda store: store.catalog.known_exchanges(log))
        if write_count == self._write_count:
            self._known_exchanges_cache.put(log, known)
        return known

    def remember(self, log: str, exchange: Exchange) -> Event:
        """Appends one exchange to a conversation."""
        return self.remember_all(log, [exchange])[0]

    def remember_all(self, log: str, exchanges: Sequence[Exchange]) -> list[Event]:
        """Appends these exchanges to a conversation, in one write."""
        with self._exclusive():
            is_own = self.begin_writing() is None and not self.event_log.has_many_writers
            position = self._last_positions.get(log) if is_own else None
            if position is None:
                position = self.query(lambda store: store.catalog.last_position(log))
            events = self.write_all(add_events(log, exchanges, after=int(position)))
            self._last_positions.put(log, float(int(position) + len(exchanges)))
            return events

    def reconcile(self, log: str, shown: Sequence[Exchange], *, whole: bool, now: float) -> Diff:
        """Writes each difference between the chat and the stored conversation as one event."""
        with self._exclusive():
            is_in_use = self._known_exchanges_cache.get(log) is not None
            if not self._index.can_sync_later(log, max_waiting=_MAX_BUFFERED):
                self.sync_index()
            diff = self.compare(log, shown, whole=whole)
            if diff and not self._index.holds_write_lock:
                self.begin_writing()
                diff = self.compare(log, shown, whole=whole)
            known = self.match_known_exchanges(log, diff.new_exchanges, now) if diff else {}
            written = self.write_all(list(events_for_diff(log, diff, known, now)))
            if is_in_use:
                self.known_exchanges(log)  # fills the cache while no prompt waits
            new_ids = tuple(event.id for event in written if event.op is EventType.ADD)
            return replace(diff, new_ids=new_ids)

    def match_known_exchanges(
        self, log: str, new: Sequence[Exchange], now: float = 0.0
    ) -> Mapping[int, str]:
        """Returns index → id of known exchanges. The index may lack additions, but nothing else."""
        match = partial(match_known_exchanges, log=log, said=new, now=now)
        known = self._write_buffer, self.event_log
        return self._index.query(lambda store: match(store.catalog, *known))

    def forget(self, ids: Collection[str], *, now: float) -> list[str]:
        """Hides these memories at once, with their copies in other conversations; returns all ids.

        Raises UnknownMemory before anything is written.
        """
        with self._exclusive():
            named = self._known_records(ids)
            self.begin_writing()
            keys = {record.memory.key for record in not_forgotten(named)}
            likely = self._write_buffer.changed_ids()  # first: they may be applied meanwhile
            if keys:
                likely |= self._index.query(lambda store: set(store.catalog.ids_by_content(keys)))
            found = self.records(likely).values()
            return self._write_tombstones([*named, *same_content(named, found)], now)

    def forget_exactly(self, ids: Collection[str], *, now: float) -> list[str]:
        """Hides these memories and those made of them, but no duplicates; returns all ids."""
        with self._exclusive():
            return self._write_tombstones(self._known_records(ids), now)

    def _write_tombstones(self, entries: Sequence[MemoryRecord], now: float) -> list[str]:
        """Hides these memories and those made of them; returns the ids of all."""
        is_own = self.begin_writing() is None
        ids = dict.fromkeys(entry.memory.id for entry in entries)
        derived = all_derived_from(self, ids.keys())
        ids |= dict.fromkeys(entry.memory.id for entry in derived)
        secret = (None if is_own else ask_holder(self, Holder.make_secret)) or self.secret()
        self.active_model.drop_similarity_baseline()
        # A memory that is already forgotten may have no text left for a tombstone hash.
        new = [entry for entry in entries if entry.status is not MemoryStatus.FORGOTTEN]
        events = forget_events(new, self.event_log, secret, now)
        if is_own and not derived:
            self._append_all(events)  # write_all() would look again for memories to withdraw
        else:
            self.write_all(events)
        return list(ids)

    def secret(self) -> str:
        """Returns the key for tombstone hashes; makes it on first use, as a buffered event."""
        with self._exclusive():
            if known := self.event_log.secrets():
                return known[0]
            secret = new_secret()
            self._append_all([NewEvent(op=EventType.INIT, ts=None, fields={"secret": secret})])
            return secret

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        return self.query_without_forgotten(lambda store: store.catalog.find_derived(only))

    def derived_records(self, sources: Collection[str]) -> list[MemoryRecord]:
        """Returns the live memories that were made of one of these."""
        wanted, changed = frozenset(sources), self._write_buffer.changed_note_ids()
        only = DerivedFilter(sources=wanted)
        found = self._index.query(lambda store: store.catalog.find_derived(only))
        return [
            entry
            for entry in self.records({*(one.id for one in found), *changed}).values()
            if entry.status is MemoryStatus.LIVE and not wanted.isdisjoint(entry.memory.sources)
        ]

    def unforget(self, ids: Sequence[str], *, now: float) -> list[str]:
        """Restores forgotten memories, and the copies forgotten with them; returns all ids.

        Before anything is written it raises UnknownMemory, WordsErased, and MemoryWithdrawn for
        one that only its sources bring back, unless they are among these.
        """
        with self._exclusive():
            named = self._known_records(ids)
            back = restored_by(self, named, self.erasure.restorable())
            for entry in named:
                if not (entry.is_withdrawn and entry in back):
                    self.erasure.refuse_erased(entry)
            self.write_all(unforget_events(back, now))
            return [entry.memory.id for entry in back]

    def revise(self, memory_id: str, fields: Mapping[str, str], *, now: float) -> None:
        """Changes the texts of a memory. An erased one stays erased.

        Raises UnknownMemory, WordsErased.
        """
        with self._exclusive():
            entry = self.get_record(memory_id)
            if entry.status is MemoryStatus.FORGOTTEN:
                self.erasure.refuse_erased(entry)
            self.write(NewEvent(op=EventType.REVISE, id=memory_id, ts=now, fields=fields))

    def forgotten(self) -> list[MemoryRecord]:
        """Returns the memories that unforget() can restore: forgotten, and not being erased."""
        return [entry for entry in self.erasure.restorable() if not entry.is_withdrawn]

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Holds the write lock in the block, with the index up to date."""
        with self._exclusive():
            self._index.lock_for_writing()
            self.sync_index()
            yield

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Keeps other threads from writing in the block, and other programs if many may write."""
        with self._lock, self.event_log.exclusive():
            yield

    def close(self) -> None:
        with self._lock, suppress(StorageError):  # the next opening applies the rest
            self._index.apply_buffered()
        self.close_without_sync()

    def close_without_sync(self) -> None:
        """Closes the files at once. The next opening applies the buffered events."""
        with self._lock, self._index.lock:
            if self._index.holds_write_lock:
                self._announcer.withdraw(self.folder / INDEX)
            self.store.close()
            self.event_log.close()
