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
from ..infra.deadlines import Mending, held
from ..infra.lru_cache import Recent
from ..storage.contract import MemoryStore
from ..storage.log.diff import Added, Diff, Known, reconcile
from ..storage.log.event_log import Run, Transcript
from ..storage.log.events import Draft, Line, Op
from ..storage.log.projection import Entry, State, folded
from ..storage.log.tail_reader import Unread, unread, was_rewritten
from ..storage.log.tombstones import unsealed
from .active_embedding_model import Embedded
from .erasure import Erasure
from .event_factory import addition, brought_back, differences, tombstone
from .forgetting import also_meant, due, is_any_due, keys_of, went_with
from .known_exchanges import Meeting
from .write_buffer import Pending, reached

INDEX = "index"
_BATCH = 1000
_STEP = 1000  # lines that the store takes at once
_MOST_PENDING = 800
_PATIENCE_S = 0.2  # with another thread that brings the store into step
_MOST_PLACES = 64
_MOST_KNOWN = 8  # conversations compared with what the chat shows at each message

T = TypeVar("T")
Ends = Mapping[str, int]
OpenStore = Callable[[Path], MemoryStore]


class Archive:
    """Writes go to the transcript first, then into the store. Safe for many threads.

    `problems` says in plain words what was found damaged, `embedded` whose vectors there are.
    """

    def __init__(self, folder: Path, *, open_store: OpenStore) -> None:
        self.folder = folder
        self.transcript = Transcript(folder)
        self.problems: list[str] = []
        self.embedded = Embedded(self)
        self.erasure = Erasure(self)
        self._writes = 0
        self._latest_known: Recent[str, Sequence[Known]] = Recent(_MOST_KNOWN)
        self._latest_places: Recent[str, float] = Recent(_MOST_PLACES)
        self._pending = Pending()
        self._is_sole = self._is_behind = False
        self._lock = threading.RLock()
        self._following = threading.RLock()
        self._mending = Mending(decode(folder.name) or folder.name, self._lock, self.rebuild)
        self.store = open_store(folder / INDEX)
        self._read_on()
        for name in self.transcript.strays():
            self._tell(f"{name} among the conversations is none of ours and left alone")

    def write(self, draft: Draft) -> Line:
        """Appends one operation; on return it is on disk. Raises StorageFailed, StorageLocked."""
        with self._lock:
            self._begin_writing()
            run = self.transcript.append(draft)
            self._take(run)
            return run.lines[0]

    def write_all(self, drafts: Sequence[Draft]) -> None:
        """The same for many at once."""
        with self._lock:
            if drafts:
                self._begin_writing()
            for at in range(0, len(drafts), _BATCH):
                for run in self.transcript.append_all(drafts[at : at + _BATCH]):
                    self._take(run)

    def _begin_writing(self) -> None:
        """From now on nobody else writes here; what others wrote before is read."""
        if not self._is_sole:
            self.transcript.exclusively(self._ask(reached))
            self._is_sole = self._is_behind = True
            self._follow()

    def _take(self, run: Run) -> None:
        """What is on disk counts as written, whatever befalls the store: it follows later."""
        self._pending.add(run)
        self._has_changed(run.lines)
        if run.log:
            self._latest_places.pop(run.log)
        elif any(line.op is Op.REMOVE for line in run.lines):
            self._latest_places.drop(lambda _: True)
        if len(self._pending) > _MOST_PENDING:
            self._follow()

    def catch_up(self, patience_s: float = -1) -> None:
        """Brings the store to the transcript's end; a damaged or foreign store is made anew."""
        if self._is_sole and not self._is_behind:
            self._ask(lambda _: self._apply_pending(patience_s))
        if self._is_behind or not self._is_sole:
            self._read_on()

    def read(self, use: Callable[[MemoryStore], T]) -> T:
        """What `use` makes of the store, in step with what was written."""
        self._follow()
        return self._ask(use)

    def visible(self, use: Callable[[MemoryStore], list[Memory]]) -> list[Memory]:
        """The same of memories, without what was forgotten where the store could not follow."""
        self._follow()
        hidden = self.hidden()  # first: what it knows when it is asked need not be hidden
        return [it for it in self._ask(use) if it.id not in hidden]

    def standing(self) -> list[Memory]:
        """What is always in prompts; to know that, the store need not have what was only added."""
        is_known = not self._is_behind and self._pending.only_adds()
        return (self._ask if is_known else self.visible)(lambda store: store.standing())

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return self.read(lambda store: store.seqs(sorted(set(ids) - self.hidden())))

    def _ask(self, use: Callable[[MemoryStore], T]) -> T:
        """A damaged store is made anew and asked once more. Raises StorageBusy in a hurry."""
        try:
            self._mending.see_to_it()
            return use(self.store)
        except StorageCorrupt as exc:
            self._tell(f"{exc}; it is being made anew")
            self._mending.is_due = True
            self._mending.see_to_it()
            return use(self.store)

    def _follow(self) -> None:
        """Lets the store know what was written; where it cannot, it is told and tried again."""
        try:
            if self._is_behind or self._pending:
                self.catch_up(_PATIENCE_S)
        except StorageError as exc:
            if isinstance(exc, StorageBusy):
                raise
            self._tell(f"what was written last cannot be found yet: {exc}")

    def _apply_pending(self, patience_s: float) -> None:
        """Steps aside where another thread is at it for longer: much is written at once then.

        A store that lacks what came before is behind: it must not count as read beyond.
        """
        if not self._following.acquire(timeout=patience_s):
            return
        try:
            while self._pending:
                batch = self._pending.first(_STEP)
                done = self.store.positions(batch.starts)
                if any(done.get(log, 0) != start for log, start in batch.starts.items()):
                    self._is_behind = True
                    return
                self._apply(batch.lines, batch.ends)
                self._pending.done(batch)
        finally:
            self._following.release()

    def rebuild(self) -> None:
        """Makes the store anew from the logs alone. Where a log cannot be read, it stays as it is;
        where this was cut off, the next reader tries again. Raises StorageFailed, and StorageLocked
        while another program writes here, which would go on with a file that is no more.
        """
        with self._lock, self._following, self.transcript.held() as is_alone:
            if not is_alone:
                raise StorageLocked(f"another program writes {self.folder}: it can make it anew")
            try:
                self._refill(unread(self.transcript, {}, self.transcript.logs()))
            except StorageError as exc:
                self._tell(f"the index could not be made anew: {exc}; it is tried again")
                raise

    def _refill(self, found: Unread) -> None:
        self._is_behind = True
        self._pending.clear()
        self.store.clear()
        self.erasure.is_done()
        self._has_changed()
        self._is_behind = not self._apply_all(found)
        self._mending.is_due = False

    def maintain(self) -> bool:
        """One step of the store's upkeep; whether there is more. Only who writes here may."""
        with suppress(StorageError), self._lock:
            self._begin_writing()
        return self._is_sole and self.read(lambda store: store.maintain())

    def use_model(self, fingerprint: str, dim: int) -> None:
        """Has the store search vectors of this model from now on."""
        with self._lock:
            self._begin_writing()  # two programs must not write the same vectors
        self.embedded.use(fingerprint, dim)

    def _read_on(self) -> None:
        """Brings the store to the logs' ends, whoever wrote them."""
        with held(self._lock, self._mending.name), held(self._following, self._mending.name):
            self._is_behind = not self._ask(lambda _: self._apply_new())
            if not self._is_behind:
                self._pending.clear()

    def _apply_new(self) -> bool:
        """Whether the store has all now: not where another program rewrites a log, or has changed
        the store since it was asked how far it is.
        """
        done, logs = self.store.positions(), self.transcript.logs()
        if was_rewritten(self.transcript, done, logs):
            with self.transcript.held() as is_alone:
                if is_alone:  # else who rewrites it is still at it
                    self.rebuild()
                return is_alone and not self._is_behind
        since = None if self.transcript.is_held else done
        return self._apply_all(unread(self.transcript, done, logs), since=since)

    def _apply_all(self, found: Unread, *, since: Ends | None = None) -> bool:
        is_done = all(self._apply(*step, since=since) for step in found.steps(_STEP))
        is_done = is_done and found.is_whole
        for fault in found.bad if is_done else ():
            self._tell(f"a damaged line was passed over: {fault}")
        return is_done

    def _apply(self, lines: Sequence[Line], ends: Ends, *, since: Ends | None = None) -> bool:
        try:
            return self.store.apply(lines, ends, since=since)
        finally:
            self._has_changed(lines)

    def _has_changed(self, lines: Sequence[Line] = ()) -> None:
        """What was kept of the store is out of date; of these logs alone where lines only add."""
        self._writes += 1
        if lines and all(line.op is Op.ADD for line in lines):
            logs = {line.log for line in lines}
            self._latest_known.drop(lambda log: log in logs)
        else:
            self.erasure.has_changed()
            self._latest_known.drop(lambda _: True)

    def fall_behind(self) -> None:
        self._is_behind = True

    def _tell(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    def entry(self, memory_id: str) -> Entry:
        """Raises UnknownMemory."""
        if found := self._entries([memory_id]).get(memory_id):
            return found
        raise UnknownMemory(memory_id)

    def knows(self, memory_id: str) -> bool:
        return bool(self._entries([memory_id]))

    def _entries(self, ids: Collection[str]) -> dict[str, Entry]:
        """With what waits folded in, so that the store need not follow first."""
        if self._is_behind:
            self._follow()
        waiting = self._pending.about(ids)
        return folded(waiting, self._ask(lambda store: store.get(list(ids))))

    def hidden(self) -> frozenset[str]:
        """What is forgotten or gone but may still be found, as the store could not follow."""
        return self._pending.hidden()

    def compare(self, log: str, shown: Sequence[Exchange], *, whole: bool) -> Diff:
        """What the chat shows against what is written, without writing."""
        known = unsealed(self._known(log), shown, self.transcript.secrets)
        return reconcile(known, [(it.key, it) for it in shown], whole=whole)

    def _known(self, log: str) -> Sequence[Known]:
        """What the store knows of a conversation; asked again only after it was written to."""
        found = self._latest_known.get(log)
        if found is None and not self.transcript.has(log):
            return ()
        if found is None:
            self._follow()
            writes, found = self._writes, self._ask(lambda store: store.known(log))
            if writes == self._writes:
                self._latest_known.put(log, found)
        return found

    def remember(self, log: str, exchange: Exchange) -> Line:
        """Appends one exchange to a conversation."""
        with self._lock:
            self._begin_writing()
            place = self._latest_places.get(log)
            if place is None:
                place = self.read(lambda store: store.last_place(log))
            place = float(int(place) + 1)
            line = self.write(addition(log, Added(exchange=exchange, place=place)))
            self._latest_places.put(log, place)
            return line

    def reconcile(self, log: str, shown: Sequence[Exchange], *, whole: bool, now: float) -> Diff:
        """Writes down what the chat shows, each difference as one operation."""
        with self._lock:
            is_in_use = self._latest_known.get(log) is not None
            if not self._can_wait(log):
                self.catch_up()
            diff = self.compare(log, shown, whole=whole)
            if diff and not self._is_sole:
                self._begin_writing()
                diff = self.compare(log, shown, whole=whole)
            said = [*(it.exchange for it in diff.added), *(it.exchange for it in diff.changed)]
            self.write_all(list(differences(log, diff, self._met(log, said), now)))
            if is_in_use:
                self._known(log)  # nobody waits now
            return diff

    def _met(self, log: str, said: Sequence[Exchange]) -> Mapping[int, str]:
        """Which of what is new was met before: index → id; the store lacks additions at most."""
        secrets = self.transcript.secrets
        return self._ask(lambda it: Meeting(it, self._pending, secrets).met(log, said))

    def _can_wait(self, log: str) -> bool:
        """Whether the store need not follow before a conversation is written to: nothing is written
        of it yet, and what waits, which is not much, only adds to others.
        """
        in_step = self._is_sole and not self._is_behind and len(self._pending) <= _MOST_PENDING
        return in_step and self._pending.only_adds() and not self.transcript.has(log)

    def forget(self, ids: Collection[str], *, now: float) -> list[str]:
        """Hides these memories at once, with their copies in other conversations; returns all ids.

        Raises UnknownMemory before anything is written.
        """
        with self._lock:
            named = [self.entry(memory_id) for memory_id in ids]
            self._begin_writing()
            entries = [*named, *self._copies(named)]
            self._bury(entries, now)
            return [entry.memory.id for entry in entries]

    def forget_only(self, ids: Collection[str], *, now: float) -> None:
        """The same, but their copies stay."""
        with self._lock:
            self._bury([self.entry(memory_id) for memory_id in ids], now)

    def _bury(self, entries: Sequence[Entry], now: float) -> None:
        self._begin_writing()
        secret = self.transcript.secret()
        self.embedded.drop_backdrop()
        # Once it is forgotten its seal may be all that is left of it.
        fresh = [it for it in entries if it.state is not State.FORGOTTEN]
        self.write_all([tombstone(it, secret, now) for it in fresh])

    def _copies(self, named: Sequence[Entry]) -> list[Entry]:
        keys, changed = keys_of(named), self._pending.changed()
        found = self._ask(lambda store: store.copies(keys)) if keys else []
        return also_meant(named, self._entries({*found, *changed}).values())

    def unforget(self, memory_id: str, *, now: float) -> None:
        """Brings back what is forgotten, with its copies that went along. Raises UnknownMemory, and
        WordsErased from when its words begin to be erased.
        """
        with self._lock:
            entry = self.entry(memory_id)
            self.erasure.refuse_erased(entry)
            self.write_all(brought_back(went_with(entry, self.forgotten()), now))

    def forgotten(self) -> list[Entry]:
        """Returns what unforget() can bring back: forgotten, and not being erased."""
        found = self.read(lambda store: store.forgotten())
        return [entry for entry in found if self.erasure.can_come_back(entry)]

    def erase_forgotten(self, *, now: float, kept_s: float) -> int:
        """Takes the words of what was forgotten so long ago off the disk; returns how many."""
        if not is_any_due(self.erasure.forgotten_at(), now=now, kept_s=kept_s):
            return 0
        with self.erasure.alone:
            with self._lock:
                self._begin_writing()
                self.catch_up()
                going = due(self.read(lambda store: store.forgotten()), now=now, kept_s=kept_s)
                self.erasure.purge(going)
            self.erasure.scrub()
            self._has_changed()
            return len(going)

    def close(self) -> None:
        with self._lock, suppress(StorageError):  # it follows when it is opened again
            self._apply_pending(-1)
        self.let_go()

    def let_go(self) -> None:
        """The same without bringing the store into step: not to be waited for by somebody else."""
        with self._lock, self._following:
            self.store.close()
            self.transcript.close()
