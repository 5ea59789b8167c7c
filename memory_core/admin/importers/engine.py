"""Runs a reader over a memory: chat by chat, so that it can be told, stopped and gone on with.

A chat that is known already is held against what is written of it, so running twice adds nothing
and running again after a stop goes on. What was forgotten stays forgotten.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from ...domain.errors import ImportFailed, StorageError, StorageFailed
from ...domain.namespaces import Namespace, Scope
from ...domain.records import Exchange
from ...host.chat_sync.withheld import exclude_chat_only_messages
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.diff import Diff
from ...storage.pauses import ChatPauses
from .base import ImportChat, MemoryOwner, Reader

_SLICE_EXCHANGES = 2000  # of a huge chat so many are written before anybody can say stop again
_SLICE_GROWTH_DIVISOR = (
    4  # later slices are a quarter of what is written: each is held against all of that
)
_CLOCKS_DIFFER_S = 60.0
_MIN_ELAPSED_S = 0.5  # before that a speed is no speed yet
_MAX_TRIES = 3  # with a chat that changes while it is read

_NEVER_REMEMBERED_REASON = (
    "{who} is never to be remembered: its chats are left out. Say /remember again to the "
    "character, or take the mark away under Pause in the tab, and import once more"
)

_FileStamp = tuple[int, int]  # a file's time in ns, and its size
ShouldStop = Callable[[], bool]


@runtime_checkable
class FolderReader(Protocol):
    """A reader of folders: one file at a time, so that a broken one costs no other."""

    def files(self, path: Path) -> Sequence[Path]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSource:
    """What to import: `path` as `reader` reads it, for whom where the files do not say it."""

    reader: Reader
    path: Path
    owner: MemoryOwner

    def files(self) -> Sequence[Path]:
        """Raises ImportFailed."""
        return (
            self.reader.files(self.path) if isinstance(self.reader, FolderReader) else [self.path]
        )

    def chats(self) -> Iterator["ImportChat | ImportFailure"]:
        for file in self.files():
            yield from self.read_file(file)

    def read_file(self, file: Path) -> Iterator["ImportChat | ImportFailure"]:
        try:
            yield from map(_require_character, self.reader.read(file, self.owner))
        except (ImportFailed, OSError, RecursionError) as exc:
            yield ImportFailure(source=file, reason=str(exc))


def _require_character(chat: ImportChat) -> ImportChat:
    if not chat.namespace.character and chat.namespace.scope is Scope.CHARACTER:
        raise ImportFailed(
            f"{chat.source} does not say with which character this was said: name one "
            "(--character NAME)"
        )
    return chat


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFailure:
    """A file, or a chat of it, that was passed over."""

    source: Path
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """How far it is, out of what the survey had counted; 0 where nobody counted."""

    chats: int = 0
    exchanges: int = 0
    total_chats: int = 0
    total_exchanges: int = 0
    elapsed_s: float = 0.0

    @property
    def remaining_s(self) -> float | None:
        """None as long as nobody can know."""
        left = self.total_exchanges - self.exchanges
        if not self.exchanges or left < 0 or self.elapsed_s < _MIN_ELAPSED_S:
            return None
        return self.elapsed_s * left / self.exchanges


ProgressListener = Callable[[ImportProgress], None]


@dataclass(slots=True, kw_only=True)
class ImportResult:
    """What an import did. Exchanges neither added nor changed were known already.

    `notes` counts what was added that is no exchange.
    """

    chats: int = 0
    exchanges: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    notes: int = 0
    failures: list[ImportFailure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    namespaces: dict[Namespace, int] = field(default_factory=dict)
    cancelled: bool = False
    elapsed_s: float = 0.0

    def count(self, diff: Diff) -> None:
        self.added += len(diff.added)
        self.changed += len(diff.changed)
        self.removed += len(diff.removed)


def never_stop() -> bool:
    return False


def ignore_progress(_: ImportProgress) -> None:
    return None


class ImportRun:
    """One run over one source. `total` is what a survey counted, for the time that is left."""

    def __init__(
        self,
        memory: LongTermMemory,
        source: ImportSource,
        *,
        switches: ChatPauses,
        total: ImportProgress,
        tell: ProgressListener,
        stop: ShouldStop,
    ) -> None:
        self._memory = memory
        self._source = source
        self._total = total
        self._pauses = switches
        self._report = tell
        self._should_stop = stop
        self._result = ImportResult()
        self._seen_conversations: set[tuple[Namespace, str]] = set()
        self._reported_excluded: set[Namespace] = set()
        self._has_complete_chats = bool(getattr(source.reader, "complete", False))
        self._is_live = self._has_complete_chats and isinstance(source.reader, FolderReader)
        self._executes_commands = bool(getattr(source.reader, "listens", False))
        self._started_at = 0.0

    def run(self) -> ImportResult:
        """Writes every chat; broken files are passed over and told in the result.

        Raises ImportFailed where there is nothing to read at all, StorageFailed where the disk
        takes no more: what was written by then stays.
        """
        self._started_at = time.monotonic()
        for file in self._source.files():
            self._import_file(file)
            if self._result.cancelled:
                break
        self._sync_stores()
        self._result.elapsed_s = time.monotonic() - self._started_at
        return self._result

    def _import_file(self, file: Path) -> None:
        """Once more where the chat went on meanwhile: the live chat may have written that already,
        and nothing older may come behind it.
        """
        for _ in range(_MAX_TRIES):
            before, met = _file_stamp(file), set(self._seen_conversations)
            if self._import_chats(file, before) and self._is_unchanged(file, before):
                return
            self._seen_conversations = met
        reason = f"{file} is being talked in, and was not read to its end: import it again later"
        self._result.failures.append(ImportFailure(source=file, reason=reason))

    def _is_unchanged(self, file: Path, before: _FileStamp | None) -> bool:
        return not self._is_live or self._result.cancelled or _file_stamp(file) in (before, None)

    def _import_chats(self, file: Path, before: _FileStamp | None) -> bool:
        """False where the file was written meanwhile, and what was read of it is old."""
        for found in self._source.read_file(file):
            if isinstance(found, ImportFailure):
                self._result.failures.append(found)
            elif not self._should_stop():
                if self._is_live and _file_stamp(file) != before:
                    return False
                self._import_chat(found)
            if self._should_stop():
                self._result.cancelled = True
                break
            time.sleep(0)  # lets a waiting message go first
        return True

    def _sync_stores(self) -> None:
        """The stores know all of it now, so that the next recall need not wait for that."""
        for space in self._result.namespaces:
            with suppress(StorageError):  # it is told and tried again
                self._memory.always_in_prompt(space)

    def _import_chat(self, chat: ImportChat) -> None:
        known = self._result.warnings
        known += [warning for warning in chat.warnings if warning not in known]
        space, aliases = chat.namespace, self._memory.aliases
        name = aliases.chat_name(space, space.character, chat.conversation)
        chat = replace(chat, conversation=name)
        try:
            self._result.chats += self._write(chat)
        except StorageFailed:
            raise
        except StorageError as exc:  # another program has this namespace: the others go on
            self._result.failures.append(ImportFailure(source=chat.source, reason=str(exc)))
        self._report_progress()

    def _write(self, chat: ImportChat) -> bool:
        """Whether all of it is written; nobody said stop in between."""
        space = chat.namespace
        if self._is_never_remembered(chat):
            return False
        said = self._without_excluded(chat)
        self._add_notes(chat)
        if not said and (not chat.conversation or not self._has_folder(space)):
            return True
        whole, before = self._is_complete_state(chat, said), 0
        for end in _slice_ends(len(said)):
            is_whole = whole and end == len(said)
            diff = self._memory.reconcile(space, chat.conversation, said[:end], whole=is_whole)
            self._result.count(diff)
            self._result.exchanges += end - before
            counted = self._result.namespaces.get(space, 0)
            self._result.namespaces[space] = counted + end - before
            before = end
            if end < len(said):
                self._report_progress()
                if self._should_stop():
                    return False
        return True

    def _without_excluded(self, chat: ImportChat) -> Sequence[Exchange]:
        place = self._memory.resolve(chat.namespace), chat.conversation
        if self._executes_commands:
            exclude_chat_only_messages(self._memory, self._pauses, *place, chat.exchanges)
        return self._pauses.without_excluded(*place, chat.exchanges)

    def _is_never_remembered(self, chat: ImportChat) -> bool:
        """Tells so once for each character."""
        space = self._memory.resolve(chat.namespace)
        if not self._pauses.is_never_remembered(space):
            return False
        if space not in self._reported_excluded:
            self._reported_excluded.add(space)
            self._result.failures.append(
                ImportFailure(
                    source=chat.source, reason=_NEVER_REMEMBERED_REASON.format(who=space.label)
                )
            )
        return True

    def _add_notes(self, chat: ImportChat) -> None:
        """Keeps the notes that are not there yet, and were not forgotten."""
        if not chat.notes:
            return
        self._result.notes += self._memory.add_notes(chat.namespace, chat.notes)
        self._result.namespaces.setdefault(chat.namespace, 0)

    def _has_folder(self, namespace: Namespace) -> bool:
        return self._memory.resolve(namespace).folder(self._memory.root).is_dir()

    def _is_complete_state(self, chat: ImportChat, said: Sequence[Exchange]) -> bool:
        """Whether what the file lacks is gone; not if it is older than what is written of it, or
        says nothing of that: then another chat had its name.
        """
        name = (chat.namespace, chat.conversation)
        if name in self._seen_conversations or not self._has_complete_chats:
            return False
        self._seen_conversations.add(name)
        if not self._memory.compare(*name, (), whole=True):
            return True
        written = self._memory.conversation(*name, 1)
        latest, stamp = written[0].ts if written else None, _file_stamp(chat.source)
        if stamp is None or (latest is not None and latest > stamp[0] / 1e9 + _CLOCKS_DIFFER_S):
            return False
        diff = self._memory.compare(*name, said, whole=True)
        return not (said and diff.removed and len(diff.added) == len(said))

    def _report_progress(self) -> None:
        self._report(
            ImportProgress(
                chats=self._result.chats,
                exchanges=self._result.exchanges,
                total_chats=self._total.chats,
                total_exchanges=self._total.exchanges,
                elapsed_s=time.monotonic() - self._started_at,
            )
        )


def import_chats(
    memory: LongTermMemory,
    source: ImportSource,
    *,
    switches: ChatPauses | None = None,
    total: ImportProgress | None = None,
    tell: ProgressListener = ignore_progress,
    stop: ShouldStop = never_stop,
) -> ImportResult:
    """Imports all of it in the caller's thread; see Import.run(). `switches` are those of the live
    chat, where there is one.
    """
    own = switches or ChatPauses(memory.root)
    total = total or ImportProgress()
    return ImportRun(memory, source, switches=own, total=total, tell=tell, stop=stop).run()


def _file_stamp(file: Path) -> _FileStamp | None:
    """None where there is no such file (any more)."""
    with suppress(OSError):
        found = file.stat()
        return found.st_mtime_ns, found.st_size
    return None


def _slice_ends(count: int) -> Iterator[int]:
    """Where each slice of so many exchanges ends; the last at `count`, also if that is 0."""
    end = min(count, _SLICE_EXCHANGES)
    yield end
    while end < count:
        end = min(count, end + max(_SLICE_EXCHANGES, end // _SLICE_GROWTH_DIVISOR))
        yield end
