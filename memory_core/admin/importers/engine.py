"""Imports the chats of a reader one by one, with progress, and can be stopped and repeated.

Compares each chat with its memories. A second run adds nothing, and a run after a stop continues.
Forgotten memories stay forgotten.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domain.errors import StorageError, StorageFailed
from ...domain.namespaces import Namespace
from ...domain.private_parts import GuardAction, PrivatePart
from ...domain.records import Exchange
from ...host.chat_sync.withheld import StoredChat
from ...memory.imported_notes import with_names
from ...memory.journal import GUARD_OUTCOMES
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.diff import Diff
from ...storage.log.erasure import ForgottenWordings
from ...storage.pauses import ChatPauses
from .base import ImportChat
from .conversation_names import ConversationNames
from .own_exports import without_edited
from .source import ImportFailure, ImportSource

_SLICE_EXCHANGES = 2000  # exchanges of a huge chat written between two checks for a stop
# Later slices are a quarter of the written part, because each is compared with all of it. The
# longest is written well within the time that a server leaves its requests when it stops.
_SLICE_GROWTH_DIVISOR = 4
_LONGEST_SLICE = 10_000
_CLOCKS_DIFFER_S = 60.0
_MIN_ELAPSED_S = 0.5  # too short to estimate a speed
_MAX_TRIES = 3  # with a chat that changes while it is read

_NEVER_REMEMBERED_REASON = (
    "{who} is never to be remembered: its chats are left out. Say /remember again to the "
    "character, or take the mark away under “Pause a chat” in the tab, and import once more"
)

_FileStamp = tuple[int, int]  # a file's time in ns, and its size
ShouldStop = Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """Counts so far, and the totals of the survey, or 0 without one."""

    chats: int = 0
    exchanges: int = 0
    total_chats: int = 0
    total_exchanges: int = 0
    elapsed_s: float = 0.0

    @property
    def remaining_s(self) -> float | None:
        """The estimated remaining time in seconds; None while it is unknown."""
        left = self.total_exchanges - self.exchanges
        if not self.exchanges or left < 0 or self.elapsed_s < _MIN_ELAPSED_S:
            return None
        return self.elapsed_s * left / self.exchanges


ProgressListener = Callable[[ImportProgress], None]


@dataclass(slots=True, kw_only=True)
class ImportCounts:
    """Counts of an import, or of a survey. `namespaces` maps each to its number of exchanges."""

    chats: int = 0
    exchanges: int = 0
    notes: int = 0
    failures: list[ImportFailure] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    namespaces: dict[Namespace, int] = field(default_factory=dict)
    cancelled: bool = False
    elapsed_s: float = 0.0

    def add_warnings(self, chat: ImportChat) -> None:
        """Adds the warnings about a chat, each sentence once."""
        self.warnings += [one for one in chat.warnings if one not in self.warnings]


@dataclass(slots=True, kw_only=True)
class ImportResult(ImportCounts):
    """The outcome of an import. Exchanges neither added nor changed were known already.

    `notes` counts added notes. `new_ids` are the memories that the import made, `origins` their
    numbers by `ImportSource.origin`.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    new_ids: dict[Namespace, list[str]] = field(default_factory=dict)
    origins: dict[str, int] = field(default_factory=dict)

    @property
    def new_count(self) -> int:
        return sum(map(len, self.new_ids.values()))

    def count(self, namespace: Namespace, diff: Diff) -> None:
        self.new_ids.setdefault(namespace, []).extend(diff.new_ids)
        self.added += len(diff.new_ids)
        self.changed += len(diff.changed)
        self.removed += len(diff.removed)


class ImportRun:
    """One import of some sources. `total` holds a survey's counts, to estimate the time left.

    `pauses` are those of the running program, if there is one.
    """

    def __init__(
        self,
        memory: LongTermMemory,
        sources: Sequence[ImportSource],
        *,
        pauses: ChatPauses | None,
        total: ImportProgress,
        on_progress: ProgressListener,
        stop: ShouldStop,
    ) -> None:
        self._memory = memory
        self._sources = sources
        self._source = sources[0]
        self._total = total
        self._pauses = pauses or ChatPauses(memory.root, memory.shared.files)
        self._report = on_progress
        self._should_stop = stop
        self._result = ImportResult()
        self._seen_conversations: set[tuple[Namespace, str]] = set()
        self._reported_excluded: set[Namespace] = set()
        self._stored_keys: dict[str, str] = {}  # of the exchanges that the guard redacted
        self._names = ConversationNames(memory)
        self._wordings: dict[Namespace, ForgottenWordings] = {}
        self._started_at = 0.0

    def run(self) -> ImportResult:
        """Writes every chat; skips broken files and lists them in the result.

        Raises ImportFailed if there is nothing to read. Raises StorageFailed if the disk is full;
        chats written before stay.
        """
        self._started_at, before = time.monotonic(), Counter(self._memory.guard.counts())
        for source in self._sources:
            self._source, known = source, self._result.new_count
            for file in source.files():
                if not self._result.cancelled:
                    self._import_file(file)
            before_it = self._result.origins.get(source.origin, 0)
            self._result.origins[source.origin] = before_it + self._result.new_count - known
        self._sync_stores()
        found = Counter(self._memory.guard.counts()) - before
        self._result.warnings += [_guarded(*kind, count) for kind, count in sorted(found.items())]
        self._result.elapsed_s = time.monotonic() - self._started_at
        return self._result

    def _import_file(self, file: Path) -> None:
        """Imports a file, again if its chat continued meanwhile.

        The live chat may have written the new messages already; older ones must not follow them.
        """
        for _ in range(_MAX_TRIES):
            before, seen = _file_stamp(file), set(self._seen_conversations)
            if self._import_chats(file, before) and self._is_unchanged(file, before):
                return
            self._seen_conversations = seen
        reason = f"{file} kept changing and was not read to its end: import it again later"
        self._result.failures.append(ImportFailure(source=file, reason=reason))

    def _is_unchanged(self, file: Path, before: _FileStamp | None) -> bool:
        is_live = self._source.reader.is_host and not self._result.cancelled
        return not is_live or _file_stamp(file) in (before, None)

    def _import_chats(self, file: Path, before: _FileStamp | None) -> bool:
        """Imports a file's chats; returns False if the file changed while it was read."""
        for found in self._source.read_file(file):
            if isinstance(found, ImportFailure):
                self._result.failures.append(found)
            elif not self._should_stop():
                if self._source.reader.is_host and _file_stamp(file) != before:
                    return False
                self._import_chat(found)
            if self._should_stop():
                self._result.cancelled = True
                break
            time.sleep(0)  # yields to a waiting message
        return True

    def _sync_stores(self) -> None:
        """Brings the indexes up to date, so that the next recall need not wait for it."""
        for space in self._result.namespaces:
            with suppress(StorageError), self._memory.open_namespace(space) as opened:
                opened.sync_index()  # a failure is reported when it is tried again

    def _import_chat(self, chat: ImportChat) -> None:
        self._result.add_warnings(chat)
        try:
            chat = self._named(chat)
            self._result.chats += self._write(chat)
        except StorageFailed:
            raise
        except StorageError as exc:  # another program uses this namespace: the others continue
            self._result.failures.append(ImportFailure(source=chat.source, reason=str(exc)))
        self._report_progress()

    def _named(self, chat: ImportChat) -> ImportChat:
        """Returns the chat and its notes with the names of conversations here."""
        name = self._names.name_of(chat)
        notes = [
            replace(note, conversation=self._names.name_for(note, chat)) for note in chat.notes
        ]
        return replace(chat, conversation=name, notes=notes)

    def _write(self, chat: ImportChat) -> bool:
        """Writes a chat; returns False if it is left out or the import was stopped."""
        space = chat.namespace
        if self._is_never_remembered(chat):
            return False
        if not (chat.exchanges or chat.notes or self._memory.has_namespace(space)):
            return True
        chat = self._without_edited(chat)
        said = self._without_excluded(chat)
        self._add_notes(chat)
        if not said and (not chat.conversation or not self._memory.has_namespace(space)):
            return True
        whole, before = self._is_complete_state(chat, said), 0
        for end in _slice_ends(len(said)):
            is_whole = whole and end == len(said)
            diff = self._memory.reconcile(space, chat.conversation, said[:end], whole=is_whole)
            self._result.count(space, diff)
            self._pin(chat, diff.new_ids)
            self._result.exchanges += end - before
            counted = self._result.namespaces.get(space, 0)
            self._result.namespaces[space] = counted + end - before
            before = end
            if end < len(said):
                self._report_progress()
                if self._should_stop():
                    return False
        return True

    def _without_edited(self, chat: ImportChat) -> ImportChat:
        """Returns the chat without what an own export shows as it was before an edit."""
        ids = [name for name in (*chat.exchange_ids, *chat.note_ids) if name]
        if not ids or not self._memory.has_namespace(chat.namespace):
            return chat
        with self._memory.open_namespace(chat.namespace) as opened:
            left = without_edited(chat, opened.records(ids))
        self._result.exchanges += len(chat.exchanges) - len(left.exchanges)
        return left

    def _without_excluded(self, chat: ImportChat) -> Sequence[Exchange]:
        name = self._memory.resolve(chat.namespace), chat.conversation
        stored = StoredChat(self._memory, self._pauses, *name)
        is_host = self._source.reader.is_host
        if is_host and self._source.executes_commands:
            stored.exclude_unstored_requests(chat.exchanges)
        if self._memory.guard.skipped:
            stored.exclude_private_messages(chat.exchanges)
        said = stored.without_excluded(chat.exchanges)
        if not is_host and self._memory.has_namespace(chat.namespace):
            said = self._forgotten_wordings(name[0]).without(said)
        self._stored_keys |= self._memory.guarded_chat(*name, said).keys_of(said)
        return said

    def _forgotten_wordings(self, space: Namespace) -> ForgottenWordings:
        if space not in self._wordings:
            with self._memory.open_namespace(space) as opened:
                self._wordings[space] = ForgottenWordings.of(opened.event_log.read("").events)
        return self._wordings[space]

    def _is_never_remembered(self, chat: ImportChat) -> bool:
        """Returns True for a character never to be remembered, and reports each one once."""
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
        """Adds the notes that are new and were not forgotten."""
        if not chat.notes:
            return
        notes = [with_names(note, self._stored_keys) for note in chat.notes]
        new_ids = self._memory.add_notes(chat.namespace, notes)
        self._result.new_ids.setdefault(chat.namespace, []).extend(new_ids)
        self._result.notes += len(new_ids)
        self._result.namespaces.setdefault(chat.namespace, 0)

    def _pin(self, chat: ImportChat, new_ids: Sequence[str]) -> None:
        """Pins the new memories of the exchanges that are pinned in the file."""
        wanted = {self._stored_keys.get(key, key) for key in chat.pinned}
        records = self._memory.get_records(chat.namespace, new_ids) if wanted else {}
        for memory_id, record in records.items():
            if record.memory.key in wanted:
                self._memory.pin(chat.namespace, memory_id)

    def _is_complete_state(self, chat: ImportChat, said: Sequence[Exchange]) -> bool:
        """Returns True if memories that the file lacks are to be removed.

        They stay if the file is older than its memories, or if it shares none with them, because
        another chat had its name.
        """
        name = (chat.namespace, chat.conversation)
        if name in self._seen_conversations or not self._source.reader.has_complete_chats:
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
    pauses: ChatPauses | None = None,
    total: ImportProgress | None = None,
    on_progress: ProgressListener = lambda _: None,
    stop: ShouldStop = lambda: False,
) -> ImportResult:
    """Imports a source in the caller's thread; see ImportRun."""
    total = total or ImportProgress()
    return ImportRun(
        memory, [source], pauses=pauses, total=total, on_progress=on_progress, stop=stop
    ).run()


def _guarded(action: GuardAction, part: PrivatePart, count: int) -> str:
    return f"{count} {GUARD_OUTCOMES[action]} by the guard, as guard.{part}s is set to {action}"


def _file_stamp(file: Path) -> _FileStamp | None:
    """Returns a file's time and size, or None if it does not exist."""
    with suppress(OSError, ValueError):  # the reader reports them
        found = file.stat()
        return found.st_mtime_ns, found.st_size
    return None


def _slice_ends(count: int) -> Iterator[int]:
    """Yields the end of each slice of a chat; the last is `count`, even if that is 0."""
    end = min(count, _SLICE_EXCHANGES)
    yield end
    while end < count:
        grown = min(end // _SLICE_GROWTH_DIVISOR, _LONGEST_SLICE)
        end = min(count, end + max(_SLICE_EXCHANGES, grown))
        yield end
