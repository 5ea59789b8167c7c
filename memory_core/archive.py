"""One namespace: its transcript and the store derived from it, always in step."""

import shutil
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from . import durable
from .embedders.base import Vectors
from .errors import StorageCorrupt, StorageError, UnknownMemory
from .recall.meaning import Backdrop, backdrop_of
from .recent import Recent
from .records import Exchange
from .stores.base import MemoryStore
from .transcript.entries import Entry, State, exchange_fields, seal
from .transcript.lines import Draft, Line, Op
from .transcript.met import met_before
from .transcript.purge import purged
from .transcript.reconcile import Added, Diff, Known, reconcile
from .transcript.transcript import Transcript

INDEX = "index"
_BATCH = 1000
_MOST_KNOWN = 8  # conversations compared with what the chat shows at each message
_MADE_ANEW = 0.5  # of the sample, in newly embedded turns
_BEING_REWRITTEN = 1 << 62  # past any log's end: where a crash leaves it, the store is made anew

T = TypeVar("T")
OpenStore = Callable[[Path], MemoryStore]


class Archive:
    """Writes go to the transcript first, then into the store. Safe for many threads.

    `problems` says in plain words what was found damaged. `vectors_of` is the fingerprint of the
    embedder whose vectors, `dim` wide, can be searched now; empty until use_model().
    """

    def __init__(self, folder: Path, *, open_store: OpenStore) -> None:
        self.folder = folder
        self.transcript = Transcript(folder)
        self.problems: list[str] = []
        self.vectors_of = ""
        self.dim = 0
        self._backdrop: Backdrop | None = None
        self._embedded_since = 0
        self._writes = 0
        self._latest_known: Recent[str, Sequence[Known]] = Recent(_MOST_KNOWN)
        self._lock = threading.RLock()
        self.store = open_store(folder / INDEX)
        self._told: set[str] = set()
        self.catch_up()

    def write(self, draft: Draft) -> Line:
        """Appends one operation; on return it is on disk. Raises StorageFailed, StorageLocked."""
        with self._lock:
            line = self.transcript.append(draft)
            self._follow()
            return line

    def write_all(self, drafts: Sequence[Draft]) -> None:
        """The same for many at once."""
        with self._lock:
            try:
                self.transcript.append_all(drafts)
            finally:
                self._follow()

    def catch_up(self) -> None:
        """Brings the store to the transcript's end; a damaged or foreign store is made anew."""
        with self._lock:
            rewritten = self.read(self._was_rewritten)
            self.read(lambda _: self.rebuild() if rewritten else self._apply_new())

    def read(self, use: Callable[[MemoryStore], T]) -> T:
        """What `use` makes of the store; a damaged one is made anew and asked once more."""
        try:
            return use(self.store)
        except StorageCorrupt as exc:
            self._tell(f"{exc}; it is being made anew")
            self.rebuild()
            return use(self.store)

    def rebuild(self) -> None:
        """Makes the store anew from the JSONL alone."""
        with self._lock:
            self._has_changed()
            self.store.clear()
            self._apply_new()

    def use_model(self, fingerprint: str, dim: int) -> None:
        """Has the store search vectors of this model from now on, and keep no others."""
        with self._lock:
            self.transcript.exclusively()  # two programs must not write the same vectors
            self.vectors_of = ""
            self.read(lambda store: store.use_model(fingerprint, dim))
            self.vectors_of, self.dim, self._backdrop = fingerprint, dim, None

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Keeps vectors of the model in use."""
        self.store.add_vectors(vector_ids, vectors)
        self._embedded_since += len(vector_ids)

    def backdrop(self) -> Backdrop:
        """The sample that a message's vector is compared with; made anew as more is embedded."""
        known = self._backdrop
        if known is None or self._embedded_since > _MADE_ANEW * len(known.user):
            self._embedded_since = 0
            known = self.read(lambda store: backdrop_of(store, self.dim))
            self._backdrop = known
        return known

    def _follow(self) -> None:
        """What is on disk counts as written, whatever befalls the store: it catches up later."""
        try:
            self.catch_up()
        except StorageError as exc:
            self._tell(f"what was written last cannot be found yet: {exc}")

    def _was_rewritten(self, store: MemoryStore) -> bool:
        """Whether a log is shorter than what was read of it."""
        logs = self.transcript.logs()
        return any(end > logs.get(log, 0) for log, end in store.positions().items())

    def _apply_new(self) -> None:
        done = self.store.positions()
        lines: list[Line] = []
        ends: dict[str, int] = {}
        for log, size in self.transcript.logs().items():
            if size > done.get(log, 0):
                found = self.transcript.read(log, done.get(log, 0))
                lines += found.lines
                ends[log] = found.end
                for fault in found.bad:
                    self._tell(f"a damaged line was passed over: {fault}")
        lines.sort(key=lambda line: line.seq)
        for at in range(0, len(lines), _BATCH):
            is_last = at + _BATCH >= len(lines)
            self._apply(lines[at : at + _BATCH], ends if is_last else {})
        if not lines and ends:
            self._apply([], ends)

    def _apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        try:
            self.store.apply(lines, positions)
        finally:
            self._has_changed()

    def _has_changed(self) -> None:
        self._writes += 1
        self._latest_known.drop(lambda _: True)

    def _tell(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            self.problems.append(problem)

    def entry(self, memory_id: str) -> Entry:
        """Raises UnknownMemory."""
        found = self.read(lambda store: store.get([memory_id])).get(memory_id)
        if found is None:
            raise UnknownMemory(memory_id)
        return found

    def compare(self, log: str, shown: Sequence[Exchange], *, whole: bool) -> Diff:
        """What the chat shows against what is written, without writing."""
        known = self._unsealed(self._known(log), shown)
        return reconcile(known, [(it.key, it) for it in shown], whole=whole)

    def _known(self, log: str) -> Sequence[Known]:
        """What the store knows of a conversation; asked again only after it was written to."""
        found = self._latest_known.get(log)
        if found is None:
            writes = self._writes
            found = self.read(lambda store: store.known(log))
            if writes == self._writes:
                self._latest_known.put(log, found)
        return found

    def _unsealed(self, known: Sequence[Known], shown: Sequence[Exchange]) -> Sequence[Known]:
        """A forgotten exchange is known by its seal alone; shown again, it is known by its key."""
        if not any(entry.forgotten for entry in known):
            return known
        keys = self._sealed(shown)
        return [
            replace(entry, key=keys.get(entry.key, entry.key)) if entry.forgotten else entry
            for entry in known
        ]

    def remember(self, log: str, exchange: Exchange) -> Line:
        """Appends one exchange to a conversation."""
        with self._lock:
            self.catch_up()
            last = self.store.known(log)[-1:]
            place = float(int(last[0].place) + 1) if last else 1.0
            return self.write(_addition(log, Added(exchange=exchange, place=place)))

    def reconcile(self, log: str, shown: Sequence[Exchange], *, whole: bool, now: float) -> Diff:
        """Writes down what the chat shows, each difference as one operation."""
        with self._lock:
            self.catch_up()
            diff = self.compare(log, shown, whole=whole)
            drafts = list(self._drafts(log, diff, now))
            try:
                for at in range(0, len(drafts), _BATCH):
                    self.transcript.append_all(drafts[at : at + _BATCH])
            finally:
                self._follow()
            self._known(log)  # nobody waits now
            return diff

    def _drafts(self, log: str, diff: Diff, now: float) -> Iterator[Draft]:
        for memory_id in diff.removed:
            yield Draft(op=Op.REMOVE, id=memory_id, log=log, ts=now)
        said = [*(it.exchange for it in diff.added), *(it.exchange for it in diff.changed)]
        met = self._met(log, said)
        for at, change in enumerate(diff.changed, start=len(diff.added)):
            if at in met:
                yield Draft(op=Op.REMOVE, id=change.id, log=log, ts=now)
                yield _placing(log, met[at], change.place, now)
            else:
                fields = exchange_fields(change.exchange)
                yield Draft(op=Op.EDIT, id=change.id, log=log, ts=now, fields=fields)
        for at, added in enumerate(diff.added):
            if at in met:
                yield _placing(log, met[at], added.place, now)
            else:
                yield _addition(log, added)

    def _met(self, log: str, said: Sequence[Exchange]) -> Mapping[int, str]:
        """Which of what is new was met before, at the same time: index → id.

        A branch, an uploaded or renamed chat and a swipe back bring what is known already.
        """
        if not said:
            return {}
        keys = self._keys(said)
        known = self.read(lambda store: store.said(keys.keys() | {it.key for it in said}))
        return met_before(log, said, [(keys.get(key, key), entry) for key, entry in known])

    def _keys(self, said: Sequence[Exchange]) -> Mapping[str, str]:
        """seal → key, where anything was ever forgotten."""
        if not self.read(lambda store: store.counts())[State.FORGOTTEN.value]:
            return {}
        return self._sealed(said)

    def _sealed(self, said: Sequence[Exchange]) -> Mapping[str, str]:
        return {
            seal(secret, it.user, it.assistant): it.key
            for secret in self.transcript.secrets()
            for it in said
        }

    def forget(self, ids: Collection[str], *, now: float) -> list[str]:
        """Hides these memories and their copies in other conversations at once; returns all ids.

        Raises UnknownMemory before anything is written.
        """
        named = [self.entry(memory_id) for memory_id in ids]
        keys = {entry.memory.key for entry in named if entry.state is not State.FORGOTTEN}
        copies = self.read(lambda store: store.copies(keys))
        others = self.read(lambda store: store.get([it for it in copies if it not in ids]))
        entries = [*named, *others.values()]
        secret = self.transcript.exclusively().secret()
        for entry in entries:
            if entry.state is State.FORGOTTEN:
                continue  # its seal may be all that is left of it
            chat = entry.chat or Exchange(user=entry.memory.text, assistant="")
            self._backdrop = None
            fields = {"sealed": seal(secret, chat.user, chat.assistant)}
            self.write(Draft(op=Op.FORGET, id=entry.memory.id, ts=now, fields=fields))
        return [entry.memory.id for entry in entries]

    def erase_forgotten(self, before: float) -> int:
        """Takes the words of what was forgotten before this time off the disk; returns how many."""
        with self._lock:
            forgotten = self.read(lambda store: store.forgotten())
            due = [it for it in forgotten if (it.forgotten_at or 0.0) <= before]
            if not due:
                return 0
            self.transcript.exclusively()
            self.catch_up()
            ids = {entry.memory.id for entry in due}
            for log in sorted(frozenset([""]).union(*(entry.logs for entry in due))):
                self._purge(log, ids)
            self.store.erase(list(ids))
            self._has_changed()
            return len(ids)

    def _purge(self, log: str, ids: Collection[str]) -> None:
        content = purged(self.transcript.read(log), ids)
        self.store.apply([], {log: _BEING_REWRITTEN})
        self.transcript.rewrite(log, content)
        self.store.apply([], {log: len(content)})

    def close(self) -> None:
        with self._lock:
            self.store.close()
            self.transcript.close()

    def destroy(self) -> None:
        """Deletes the namespace's files. Raises StorageFailed, StorageLocked."""
        with self._lock:
            self.transcript.exclusively()
            self.close()
            with durable.naming(self.folder):
                shutil.rmtree(self.folder)
            durable.sync_folder(self.folder.parent)


def _addition(log: str, added: Added) -> Draft:
    ordinal = {"turn_id": int(added.place), "place": added.place}
    fields = ordinal | exchange_fields(added.exchange)
    return Draft(op=Op.ADD, log=log, ts=added.exchange.ts, fields=fields)


def _placing(log: str, memory_id: str, place: float, now: float) -> Draft:
    return Draft(op=Op.PLACE, id=memory_id, log=log, ts=now, fields={"place": place})
