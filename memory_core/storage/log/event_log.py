"""The truth of one namespace: append-only files under one lock and one rising sequence."""

import errno
import os
import re
import secrets
import stat
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count, groupby
from pathlib import Path

from filelock import FileLock, Timeout

from ...domain.errors import StorageError, StorageFailed, StorageLocked
from ...domain.records import empty_mapping
from ...infra import durable_files, regular_files
from ...infra.lru_cache import LRUCache
from ..exchange_marks import refuse_during_swap
from .events import Event, EventType, NewEvent, after_round_trip, pack
from .log_file import LogSlice, LogWriter, last_seq_after_repair, read, read_again

NOTES = "notes.jsonl"
CONVERSATIONS = "conversations"
_LOG_NAME = "[a-z0-9_%~-]{1,100}"  # what namespaces.encode() makes of a conversation's name
LOCK = ".lock"
_SUFFIX = ".jsonl"
_LOG = re.compile(_LOG_NAME + re.escape(_SUFFIX))
_RELATIVE = re.compile(f"{NOTES}|{CONVERSATIONS}/({_LOG_NAME}){re.escape(_SUFFIX)}")
_ID_BYTES = 8
_MAX_WRITERS = 64  # of the many conversations a few are written to


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendedEvents:
    """Lines that were written to one log together, the offset at which the first begins, and the
    one behind the last.
    """

    log: str
    events: Sequence[Event]
    end: int
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPosition:
    """How far the logs have been read, in bytes, and the highest seq up to there."""

    seq: int = 0
    ends: Mapping[str, int] = field(default_factory=empty_mapping)


class EventLog:
    """Appends operations and reads them back. Safe for many threads of one process.

    Reading needs no lock. The first append takes the folder's lock and keeps it until close():
    raises StorageLocked where another process has it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mutex = threading.RLock()
        self._lock = FileLock(folder / LOCK, thread_local=False, mode=0o600, fallback_to_soft=False)
        self._seq: int | None = None
        self._writers: LRUCache[str, LogWriter] = LRUCache(_MAX_WRITERS)
        self._secrets: list[str] = []

    def append(self, draft: NewEvent) -> AppendedEvents:
        """Writes one operation and returns it once it is on disk.

        Raises StorageFailed (nothing was written) or StorageLocked.
        """
        return self._append(draft.log, [draft])

    def append_all(self, drafts: Sequence[NewEvent]) -> Iterator[AppendedEvents]:
        """The same for several operations, with one sync for each run of one conversation's; each
        run is on disk when it is given.

        Where it fails, the runs before are on disk. A crash may leave the beginning of a run.
        """
        for log, run in groupby(drafts, key=lambda draft: draft.log):
            yield self._append(log, list(run))

    def _append(self, log: str, drafts: Sequence[NewEvent]) -> AppendedEvents:
        with self._mutex:
            seq = self._open_for_writing()
            lines = list(map(_line, drafts, count(seq + 1), _new_ids(len(drafts))))
            packed = [pack(it) for it in lines]
            end = self._writer(log).write(b"".join(packed))
            self._seq = seq + len(packed)
            if any(draft.op is EventType.INIT for draft in drafts):
                self._secrets = []
            # As they will be read one day: JSON knows fewer types, and no lone surrogates.
            start = end - sum(map(len, packed))
            return AppendedEvents(
                log=log, events=list(map(after_round_trip, lines, packed)), start=start, end=end
            )

    def secret(self) -> str:
        """The namespace's own key for hashes of forgotten texts, 32 hex digits; made once."""
        with self._mutex:
            found = self._find_secret()
            if found is None:
                found = secrets.token_hex(16)
                self.append(NewEvent(op=EventType.INIT, ts=None, fields={"secret": found}))
            return found

    def secrets(self) -> list[str]:
        """This one, and those of namespaces whose memories were moved here."""
        own = self.secret()
        return list(dict.fromkeys([own, *self._read_secrets()]))

    def _find_secret(self) -> str | None:
        return next(iter(self._read_secrets()), None)

    def _read_secrets(self) -> list[str]:
        """Kept while nobody else can write another."""
        if self._secrets:
            return self._secrets
        lines = self.read("").events
        found = [str(it.fields["secret"]) for it in lines if it.op is EventType.INIT]
        self._secrets = found if self.is_writer else []
        return found

    def read(self, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
        """Lines of one conversation (or, with "", of the notes) from byte `start` on, up to the
        seq `last`.
        """
        return read(self.path(log), log, start, last=last) if self.has_log(log) else LogSlice(end=0)

    def read_again(self, log: str, offsets: Sequence[int]) -> dict[tuple[int, int], Event]:
        """The lines that begin at these bytes, by offset and seq, as far as they stand there."""
        return read_again(self.path(log), log, offsets) if self.has_log(log) else {}

    def logs(self) -> dict[str, int]:
        """Every log with its size in bytes; the notes are named "". Raises StorageFailed."""
        # The notes' size first: whatever a note names is then within the other sizes.
        notes = durable_files.stat_or_none(self.folder / NOTES)
        found = {"": notes.st_size} if notes else {}
        return found | dict(sorted(self._conversations()))

    def _conversations(self) -> Iterator[tuple[str, int]]:
        """There may be thousands, and a namespace is not open before they were looked at."""
        folder = self.folder / CONVERSATIONS
        for name in self._list_conversations():
            if is_log(name):
                found = durable_files.stat_or_none(f"{folder}{os.sep}{name}")
                if found and stat.S_ISREG(found.st_mode):  # else it can hold no lines
                    yield name.removesuffix(_SUFFIX), found.st_size

    def has_log(self, log: str) -> bool:
        """Returns whether anything was ever written to it. Raises StorageFailed."""
        return durable_files.stat_or_none(self.path(log)) is not None

    def foreign_files(self) -> list[str]:
        """What lies among the logs as if it were one: a system's or a sync program's."""
        found = (it for it in self._list_conversations() if it.endswith(_SUFFIX))
        return sorted(it for it in found if not is_log(it) or not self._is_file(it))

    def _is_file(self, name: str) -> bool:
        """A link to a disk that is not there now counts as a file; one to itself does not."""
        path = self.folder / CONVERSATIONS / name
        found = durable_files.stat_or_none(path)
        return stat.S_ISREG(found.st_mode) if found else not _is_link_loop(path)

    def _list_conversations(self) -> list[str]:
        folder = self.folder / CONVERSATIONS
        with durable_files.naming_errors(folder):
            return os.listdir(folder) if durable_files.is_folder(folder) else []

    def path(self, log: str) -> Path:
        return self.folder / self.relative_path(log)

    @staticmethod
    def relative_path(log: str) -> str:
        """Where a log lies below a namespace's folder, and in a backup of it, with slashes."""
        return f"{CONVERSATIONS}/{log}{_SUFFIX}" if log else NOTES

    @staticmethod
    def log_at(relative_path: str) -> str | None:
        """The log that lies there; None if none does."""
        found = _RELATIVE.fullmatch(relative_path)
        return (found[1] or "") if found else None

    def rewrite(self, log: str, content: bytes) -> None:
        """Replaces a whole log, all or nothing. Raises StorageFailed, StorageLocked."""
        with self._mutex:
            self._open_for_writing()
            self._writers.pop(log)
            durable_files.replace(self.path(log), content)

    def close(self) -> None:
        with self._mutex:
            self._writers.drop_where(lambda _: True)
            self._seq = None
            self._secrets = []
            self._lock.release(force=True)

    def lock_for_writing(self, read: LogPosition | None = None) -> "EventLog":
        """Takes the folder's lock now, if this process has it not yet. Raises StorageLocked.

        Logs that were read to their ends need not be looked at again.
        """
        with self._mutex:
            self._open_for_writing(read)
        return self

    def acquire_lock(self) -> None:
        """Keeps other programs from writing until close(), without touching a log.

        Raises StorageFailed, StorageLocked.
        """
        with self._mutex:
            self._take_lock()

    @contextmanager
    def try_locked(self) -> Iterator[bool]:
        """Whether no other program writes here, and none begins to meanwhile."""
        try:
            self.acquire_lock()
        except StorageLocked:
            yield False
        except StorageFailed:  # where nobody can write, nobody does
            yield True
        else:
            try:
                yield True
            finally:
                self._lock.release()

    def is_line_end(self, log: str, end: int) -> bool:
        """Whether this is where a line ends and the next begins."""
        with (
            durable_files.naming_errors(self.path(log)),
            regular_files.open_regular_file(self.path(log)) as file,
        ):
            file.seek(max(0, end - 1))
            return end == 0 or file.read(1) == b"\n"

    @property
    def is_writer(self) -> bool:
        """Whether this process is the one that writes here."""
        return self._seq is not None

    @property
    def holds_lock(self) -> bool:
        """Whether this process keeps others from writing here."""
        return bool(self._lock.is_locked)

    def _open_for_writing(self, known: LogPosition | None = None) -> int:
        if self._seq is not None:
            return self._seq
        refuse_during_swap(self.folder)  # else an empty folder would be begun in its place
        durable_files.make_folder(self.folder / CONVERSATIONS)
        self._take_lock()
        self._refuse_during_swap()
        durable_files.remove_temporaries(self.folder)
        known = known or LogPosition()
        grown = [log for log, size in self.logs().items() if size != known.ends.get(log)]
        self._seq = max([known.seq, *map(last_seq_after_repair, map(self.path, grown))])
        return self._seq

    def _refuse_during_swap(self) -> None:
        """Asked again under the lock, which whoever exchanges folders takes before it begins."""
        try:
            refuse_during_swap(self.folder)
        except StorageError:
            self._lock.release(force=True)
            raise

    def _take_lock(self) -> None:
        try:
            self._lock.acquire(timeout=0)
        except Timeout as exc:
            raise StorageLocked(
                f"another program writes {self.folder}; nothing is remembered here until it ends"
            ) from exc
        except OSError as exc:
            raise StorageFailed(f"{self.folder / LOCK}: {exc.strerror or exc}") from exc

    def _writer(self, log: str) -> LogWriter:
        writer = self._writers.get(log)
        if writer is None:
            writer = LogWriter(self.path(log))
            self._writers.put(log, writer)
        return writer


def is_log(name: str) -> bool:
    """Whether a file of this name among the conversations is one of ours."""
    return _LOG.fullmatch(name) is not None


def _is_link_loop(path: Path) -> bool:
    try:
        os.stat(path)
    except OSError as exc:
        return exc.errno == errno.ELOOP
    return False


def _new_ids(number: int) -> Iterator[str]:
    """Numbers in a row, from one that is drawn by lot: what is written together stands together in
    an index of them, too.
    """
    first = secrets.randbits(8 * _ID_BYTES)
    return (f"{(first + at) % (1 << 8 * _ID_BYTES):016x}" for at in range(number))


def _line(draft: NewEvent, seq: int, new_id: str) -> Event:
    return Event(
        seq=seq,
        op=draft.op,
        id=draft.id or new_id,
        ts=draft.ts,
        fields=dict(draft.fields),
        log=draft.log,
    )


def last_written_at(folder: Path) -> float:
    """When this namespace's folder was written to last, in seconds since the epoch; 0: never.

    Raises StorageFailed.
    """
    transcript = EventLog(folder)
    found = [durable_files.stat_or_none(transcript.path(log)) for log in transcript.logs()]
    return max((it.st_mtime for it in found if it), default=0.0)
