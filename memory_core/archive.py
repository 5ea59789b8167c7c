"""One namespace: its transcript and the store derived from it, always in step."""

import shutil
import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from . import durable
from .errors import StorageCorrupt, UnknownMemory
from .records import Exchange
from .stores.base import MemoryStore
from .transcript.entries import Entry, exchange_fields, seal
from .transcript.lines import Draft, Line, Op
from .transcript.purge import purged
from .transcript.reconcile import Diff, Known, reconcile
from .transcript.transcript import Transcript

INDEX = "index"
_BATCH = 1000

OpenStore = Callable[[Path], MemoryStore]


class Archive:
    """Writes go to the transcript first, then into the store. Safe for many threads.

    `problems` says in plain words what was found damaged. `dense_ready` is set once vectors of
    the current embedder are loaded.
    """

    def __init__(self, folder: Path, *, open_store: OpenStore) -> None:
        self.folder = folder
        self.transcript = Transcript(folder)
        self.problems: list[str] = []
        self.dense_ready = False
        self._open_store = open_store
        self._lock = threading.RLock()
        self.store = open_store(folder / INDEX)
        self._told: set[str] = set()
        self.catch_up()

    def write(self, draft: Draft) -> Line:
        """Appends one operation; on return it is on disk. Raises StorageFailed, StorageLocked."""
        with self._lock:
            line = self.transcript.append(draft)
            self.catch_up()
            return line

    def catch_up(self) -> None:
        """Brings the store to the transcript's end; a damaged or foreign store is made anew."""
        with self._lock:
            try:
                if self._is_behind_itself():
                    self.rebuild()
                else:
                    self._apply_new()
            except StorageCorrupt as exc:
                self._tell(f"{exc}; it is being made anew")
                self.rebuild()

    def rebuild(self) -> None:
        """Makes the store anew from the JSONL alone."""
        with self._lock:
            try:
                self.store.clear()
            except StorageCorrupt:
                self._replace_store()
            self._apply_new()

    def _replace_store(self) -> None:
        self.store.close()
        shutil.rmtree(self.folder / INDEX, ignore_errors=True)
        self.dense_ready = False
        self.store = self._open_store(self.folder / INDEX)

    def _is_behind_itself(self) -> bool:
        """A log that is shorter than what was read of it was rewritten."""
        logs = self.transcript.logs()
        return any(end > logs.get(log, 0) for log, end in self.store.positions().items())

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
            self.store.apply(lines[at : at + _BATCH], ends if is_last else {})
        if not lines and ends:
            self.store.apply([], ends)

    def _tell(self, problem: str) -> None:
        if problem not in self._told:
            self._told.add(problem)
            self.problems.append(problem)

    def entry(self, memory_id: str) -> Entry:
        """Raises UnknownMemory."""
        found = self.store.get([memory_id]).get(memory_id)
        if found is None:
            raise UnknownMemory(memory_id)
        return found

    def compare(self, log: str, shown: Sequence[Exchange], *, whole: bool) -> Diff:
        """What the chat shows against what is written, without writing."""
        known = self.store.known(log)
        return reconcile(known, self._keyed(shown, known), whole=whole)

    def _keyed(
        self, shown: Sequence[Exchange], known: Sequence[Known]
    ) -> list[tuple[str, Exchange]]:
        """The keys of what is shown; a forgotten text is known by its seal alone."""
        seals = {entry.key for entry in known if entry.forgotten}
        if not seals:
            return [(it.key, it) for it in shown]
        secret = self.transcript.secret()
        sealed = [seal(secret, it.user, it.assistant) for it in shown]
        return [
            (key if key in seals else it.key, it) for key, it in zip(sealed, shown, strict=True)
        ]

    def write_diff(self, log: str, diff: Diff, *, now: float) -> None:
        """Writes each difference as one operation."""
        with self._lock:
            for memory_id in diff.removed:
                self.write(Draft(op=Op.REMOVE, id=memory_id, log=log, ts=now))
            for change in diff.changed:
                fields = exchange_fields(change.exchange)
                self.write(Draft(op=Op.EDIT, id=change.id, log=log, ts=now, fields=fields))
            for added in diff.added:
                ordinal = {"turn_id": int(added.place), "place": added.place}
                fields = ordinal | exchange_fields(added.exchange)
                self.write(Draft(op=Op.ADD, log=log, ts=added.exchange.ts, fields=fields))

    def forget(self, ids: Collection[str], *, now: float) -> None:
        """Hides these memories at once. Raises UnknownMemory before anything is written."""
        entries = [self.entry(memory_id) for memory_id in ids]
        secret = self.transcript.exclusively().secret()
        for entry in entries:
            chat = entry.chat or Exchange(user=entry.memory.text, assistant="")
            fields = {"sealed": seal(secret, chat.user, chat.assistant)}
            self.write(Draft(op=Op.FORGET, id=entry.memory.id, ts=now, fields=fields))

    def erase_forgotten(self, before: float) -> int:
        """Takes the words of what was forgotten before this time off the disk; returns how many."""
        due = [it for it in self.store.forgotten() if (it.forgotten_at or 0.0) <= before]
        ids = {entry.memory.id for entry in due}
        logs = {entry.memory.conversation for entry in due} | ({""} if due else set())
        with self._lock:
            for log in logs:
                self._purge(log, ids)
            self.store.erase(list(ids))
        return len(ids)

    def _purge(self, log: str, ids: Collection[str]) -> None:
        found = self.transcript.exclusively().read(log)
        content = purged(found, ids)
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
