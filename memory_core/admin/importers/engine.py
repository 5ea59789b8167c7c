"""Runs a reader over a memory: chat by chat, so that it can be told, stopped and gone on with.

A chat that is known already is held against what is written of it, so running twice adds nothing
and running again after a stop goes on. What was forgotten stays forgotten.
"""

import gc
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from ...domain.errors import ImportFailed, StorageError, StorageFailed
from ...domain.namespaces import Namespace, Scope
from ...domain.records import Exchange
from ...host.chat_sync.withheld import keep_apart
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.diff import Diff
from ...storage.pauses import Switches
from .base import Chat, Owner, Reader

_SELDOM = 50_000
_lock = threading.Lock()
_usual: list[tuple[int, int, int]] = []  # what held before each of the imports under way


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """For as long as anybody is within; what the process had set holds again behind."""
    with _lock:
        _usual.append(gc.get_threshold())
        first, *others = _usual[0]
        gc.set_threshold(first and max(_SELDOM, first), *others)  # 0: never
    try:
        yield
    finally:
        with _lock:
            usual = _usual.pop()
            if not _usual:
                gc.set_threshold(*usual)


_SLICE = 2000  # of a huge chat so many are written before anybody can say stop again
_GROWTH = 4  # later slices are a quarter of what is written: each is held against all of that
_CLOCKS_DIFFER_S = 60.0
_SETTLED_S = 0.5  # before that a speed is no speed yet
_TRIES = 3  # with a chat that changes while it is read

_NEVER = (
    "{who} is never to be remembered: its chats are left out. Say /remember again to the "
    "character, or take the mark away under Pause in the tab, and import once more"
)

_Stamp = tuple[int, int]  # a file's time in ns, and its size
Stop = Callable[[], bool]


@runtime_checkable
class ReadsFiles(Protocol):
    """A reader of folders: one file at a time, so that a broken one costs no other."""

    def files(self, path: Path) -> Sequence[Path]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What to import: `path` as `reader` reads it, for whom where the files do not say it."""

    reader: Reader
    path: Path
    owner: Owner

    def files(self) -> Sequence[Path]:
        """Raises ImportFailed."""
        return self.reader.files(self.path) if isinstance(self.reader, ReadsFiles) else [self.path]

    def chats(self) -> Iterator["Chat | Failure"]:
        for file in self.files():
            yield from self.chats_in(file)

    def chats_in(self, file: Path) -> Iterator["Chat | Failure"]:
        try:
            yield from map(_of_somebody, self.reader.read(file, self.owner))
        except (ImportFailed, OSError, RecursionError) as exc:
            yield Failure(source=file, reason=str(exc))


def _of_somebody(chat: Chat) -> Chat:
    if not chat.namespace.character and chat.namespace.scope is Scope.CHARACTER:
        raise ImportFailed(
            f"{chat.source} does not say with which character this was said: name one "
            "(--character NAME)"
        )
    return chat


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A file, or a chat of it, that was passed over."""

    source: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far it is, out of what the survey had counted; 0 where nobody counted."""

    chats: int = 0
    exchanges: int = 0
    of_chats: int = 0
    of_exchanges: int = 0
    elapsed_s: float = 0.0

    @property
    def left_s(self) -> float | None:
        """None as long as nobody can know."""
        left = self.of_exchanges - self.exchanges
        if not self.exchanges or left < 0 or self.elapsed_s < _SETTLED_S:
            return None
        return self.elapsed_s * left / self.exchanges


Tell = Callable[[Progress], None]


@dataclass(slots=True, kw_only=True)
class Result:
    """What an import did. Exchanges neither added nor changed were known already.

    `notes` counts what was added that is no exchange.
    """

    chats: int = 0
    exchanges: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    notes: int = 0
    failures: list[Failure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    namespaces: dict[Namespace, int] = field(default_factory=dict)
    cancelled: bool = False
    elapsed_s: float = 0.0

    def count(self, diff: Diff) -> None:
        self.added += len(diff.added)
        self.changed += len(diff.changed)
        self.removed += len(diff.removed)


def never() -> bool:
    return False


def untold(_: Progress) -> None:
    return None


class Import:
    """One run over one source. `total` is what a survey counted, for the time that is left."""

    def __init__(
        self,
        memory: LongTermMemory,
        source: Source,
        *,
        switches: Switches,
        total: Progress,
        tell: Tell,
        stop: Stop,
    ) -> None:
        self._memory = memory
        self._source = source
        self._total = total
        self._switches = switches
        self._tell = tell
        self._stop = stop
        self._result = Result()
        self._met: set[tuple[Namespace, str]] = set()
        self._left_out: set[Namespace] = set()
        self._complete = bool(getattr(source.reader, "complete", False))
        self._is_live = self._complete and isinstance(source.reader, ReadsFiles)
        self._listens = bool(getattr(source.reader, "listens", False))
        self._began = 0.0

    def run(self) -> Result:
        """Writes every chat; broken files are passed over and told in the result.

        Raises ImportFailed where there is nothing to read at all, StorageFailed where the disk
        takes no more: what was written by then stays.
        """
        self._began = time.monotonic()
        for file in self._source.files():
            self._take_file(file)
            if self._result.cancelled:
                break
        self._bring_into_step()
        self._result.elapsed_s = time.monotonic() - self._began
        return self._result

    def _take_file(self, file: Path) -> None:
        """Once more where the chat went on meanwhile: the live chat may have written that already,
        and nothing older may come behind it.
        """
        for _ in range(_TRIES):
            before, met = _stamp(file), set(self._met)
            if self._take_chats(file, before) and self._is_as_read(file, before):
                return
            self._met = met
        reason = f"{file} is being talked in, and was not read to its end: import it again later"
        self._result.failures.append(Failure(source=file, reason=reason))

    def _is_as_read(self, file: Path, before: _Stamp | None) -> bool:
        return not self._is_live or self._result.cancelled or _stamp(file) in (before, None)

    def _take_chats(self, file: Path, before: _Stamp | None) -> bool:
        """False where the file was written meanwhile, and what was read of it is old."""
        for found in self._source.chats_in(file):
            if isinstance(found, Failure):
                self._result.failures.append(found)
            elif not self._stop():
                if self._is_live and _stamp(file) != before:
                    return False
                self._take(found)
            if self._stop():
                self._result.cancelled = True
                break
            time.sleep(0)  # lets a waiting message go first
        return True

    def _bring_into_step(self) -> None:
        """The stores know all of it now, so that the next recall need not wait for that."""
        for space in self._result.namespaces:
            with suppress(StorageError):  # it is told and tried again
                self._memory.standing(space)

    def _take(self, chat: Chat) -> None:
        known = self._result.warnings
        known += [it for it in chat.warnings if it not in known]
        space, aliases = chat.namespace, self._memory.aliases
        name = aliases.chat_name(space, space.character, chat.conversation)
        chat = replace(chat, conversation=name)
        try:
            self._result.chats += self._write(chat)
        except StorageFailed:
            raise
        except StorageError as exc:  # another program has this namespace: the others go on
            self._result.failures.append(Failure(source=chat.source, reason=str(exc)))
        self._told()

    def _write(self, chat: Chat) -> bool:
        """Whether all of it is written; nobody said stop in between."""
        space = chat.namespace
        if self._is_never_remembered(chat):
            return False
        said = self._writable(chat)
        self._learn(chat)
        if not said and (not chat.conversation or not self._is_known(space)):
            return True
        whole, before = self._is_whole(chat, said), 0
        for end in _slices(len(said)):
            is_whole = whole and end == len(said)
            diff = self._memory.reconcile(space, chat.conversation, said[:end], whole=is_whole)
            self._result.count(diff)
            self._result.exchanges += end - before
            counted = self._result.namespaces.get(space, 0)
            self._result.namespaces[space] = counted + end - before
            before = end
            if end < len(said):
                self._told()
                if self._stop():
                    return False
        return True

    def _writable(self, chat: Chat) -> Sequence[Exchange]:
        place = self._memory.resolve(chat.namespace), chat.conversation
        if self._listens:
            keep_apart(self._memory, self._switches, *place, chat.exchanges)
        return self._switches.writable(*place, chat.exchanges)

    def _is_never_remembered(self, chat: Chat) -> bool:
        """Tells so once for each character."""
        space = self._memory.resolve(chat.namespace)
        if not self._switches.is_never_remembered(space):
            return False
        if space not in self._left_out:
            self._left_out.add(space)
            self._result.failures.append(
                Failure(source=chat.source, reason=_NEVER.format(who=space.label))
            )
        return True

    def _learn(self, chat: Chat) -> None:
        """Keeps the notes that are not there yet, and were not forgotten."""
        if not chat.notes:
            return
        self._result.notes += self._memory.learn(chat.namespace, chat.notes)
        self._result.namespaces.setdefault(chat.namespace, 0)

    def _is_known(self, namespace: Namespace) -> bool:
        return self._memory.resolve(namespace).folder(self._memory.root).is_dir()

    def _is_whole(self, chat: Chat, said: Sequence[Exchange]) -> bool:
        """Whether what the file lacks is gone; not if it is older than what is written of it, or
        says nothing of that: then another chat had its name.
        """
        name = (chat.namespace, chat.conversation)
        if name in self._met or not self._complete:
            return False
        self._met.add(name)
        if not self._memory.compare(*name, (), whole=True):
            return True
        written = self._memory.conversation(*name, 1)
        latest, stamp = written[0].ts if written else None, _stamp(chat.source)
        if stamp is None or (latest is not None and latest > stamp[0] / 1e9 + _CLOCKS_DIFFER_S):
            return False
        diff = self._memory.compare(*name, said, whole=True)
        return not (said and diff.removed and len(diff.added) == len(said))

    def _told(self) -> None:
        self._tell(
            Progress(
                chats=self._result.chats,
                exchanges=self._result.exchanges,
                of_chats=self._total.chats,
                of_exchanges=self._total.exchanges,
                elapsed_s=time.monotonic() - self._began,
            )
        )


def import_chats(
    memory: LongTermMemory,
    source: Source,
    *,
    switches: Switches | None = None,
    total: Progress | None = None,
    tell: Tell = untold,
    stop: Stop = never,
) -> Result:
    """Imports all of it in the caller's thread; see Import.run(). `switches` are those of the live
    chat, where there is one.
    """
    own = switches or Switches(memory.root)
    total = total or Progress()
    with collecting_seldom():
        return Import(memory, source, switches=own, total=total, tell=tell, stop=stop).run()


def _stamp(file: Path) -> _Stamp | None:
    """None where there is no such file (any more)."""
    with suppress(OSError):
        found = file.stat()
        return found.st_mtime_ns, found.st_size
    return None


def _slices(count: int) -> Iterator[int]:
    """Where each slice of so many exchanges ends; the last at `count`, also if that is 0."""
    end = min(count, _SLICE)
    yield end
    while end < count:
        end = min(count, end + max(_SLICE, end // _GROWTH))
        yield end
