"""The event log of one namespace: append-only files under one lock and one rising sequence.

Everything else that is known about the namespace's memories is derived from it.
"""

import os
import re
import stat
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from filelock import Timeout

from ...domain.errors import StorageError, StorageFailed, StorageLocked
from ...domain.records import empty_mapping
from ...infra import durable_files, regular_files
from ...infra.file_locks import acquire, make_file_lock
from ...infra.lru_cache import LRUCache
from ..swap_markers import refuse_during_swap
from .events import Event, EventType, NewEvent, after_round_trip, numbered, pack
from .log_file import LogSlice, LogWriter, last_seq_after_repair, read, read_again

NOTES = "notes.jsonl"
CONVERSATIONS = "conversations"
_LOG_NAME = "[a-z0-9_%~-]{1,100}"  # a conversation's name after namespaces.encode()
LOCK = ".lock"
_SUFFIX = ".jsonl"
_LOG = re.compile(_LOG_NAME + re.escape(_SUFFIX))
_RELATIVE = re.compile(f"{NOTES}|{CONVERSATIONS}/({_LOG_NAME}){re.escape(_SUFFIX)}")
_MAX_WRITERS = 64  # only a few of many conversations are written to


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendedEvents:
    """Events that were written to one log together, in the bytes from `start` to `end`."""

    log: str
    events: Sequence[Event]
    end: int
    start: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPosition:
    """Byte offsets up to which the logs have been read, and the highest seq before them."""

    seq: int = 0
    ends: Mapping[str, int] = field(default_factory=empty_mapping)


class EventLog:
    """Implements Log (contract.py) with files. Safe for many threads of one process.

    Reading needs no lock. The first append takes the folder's lock and keeps it until close();
    it raises StorageLocked if another process has the lock.
    """

    has_many_writers = False
    # The folder's lock keeps other programs away for longer than a block.
    exclusive: Callable[[], AbstractContextManager[None]] = staticmethod(nullcontext)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mutex = threading.RLock()
        self._lock = make_file_lock(folder / LOCK)
        self._seq: int | None = None
        self._writers: LRUCache[str, LogWriter] = LRUCache(_MAX_WRITERS)
        self._secrets: list[str] = []

    def append_all(self, drafts: Sequence[NewEvent]) -> Iterator[AppendedEvents]:
        """Syncs once for each run of one log. A crash may leave the beginning of a run."""
        for log, run in groupby(drafts, key=lambda draft: draft.log):
            with self._mutex:
                seq = self._open_for_writing()
                lines = numbered(list(run), seq)
                packed = [pack(line) for line in lines]
                end = self._writer(log).write(b"".join(packed))
                self._seq = seq + len(packed)
                if any(line.op is EventType.INIT for line in lines):
                    self._secrets = []
            # Yield the events as readers see them: JSON has fewer types and no lone surrogates.
            events = list(map(after_round_trip, lines, packed))
            start = end - sum(map(len, packed))
            yield AppendedEvents(log=log, events=events, start=start, end=end)

    def secrets(self) -> list[str]:
        """Caches them while this process is the only writer."""
        if self._secrets:
            return self._secrets
        with self._mutex:
            found = [
                str(line.fields["secret"])
                for line in self.read("").events
                if line.op is EventType.INIT
            ]
            self._secrets = found if self._seq is not None else []
        return list(dict.fromkeys(found))

    def read(self, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
        return read(self.path(log), log, start, last=last) if self.has_log(log) else LogSlice(end=0)

    def read_again(self, log: str, offsets: Sequence[int]) -> dict[tuple[int, int], Event]:
        return read_again(self.path(log), log, offsets) if self.has_log(log) else {}

    def content(self, log: str) -> bytes:
        if not self.has_log(log):
            return b""
        with (
            durable_files.naming_errors(self.path(log)),
            regular_files.open_regular_file(self.path(log)) as file,
        ):
            return file.read()

    def logs(self) -> dict[str, int]:
        # The notes' size first: an exchange that a note names is then within the other sizes.
        notes = durable_files.stat_or_none(self.folder / NOTES)
        found = {"": notes.st_size} if notes else {}
        return found | dict(sorted(self._conversations()))

    def _conversations(self) -> Iterator[tuple[str, int]]:
        """Yields (log, size). Must be fast: opening a namespace stats thousands of files."""
        folder = self.folder / CONVERSATIONS
        with durable_files.naming_errors(folder):
            names = os.listdir(folder) if durable_files.is_folder(folder) else []
        for name in names:
            if is_log(name):
                found = durable_files.stat_or_none(f"{folder}{os.sep}{name}")
                if found and stat.S_ISREG(found.st_mode):  # a folder or pipe holds no lines
                    yield name.removesuffix(_SUFFIX), found.st_size

    def has_log(self, log: str) -> bool:
        return durable_files.stat_or_none(self.path(log)) is not None

    def foreign_files(self) -> list[str]:
        """Returns those in the folder of the logs, such as a sync program's copies."""
        folder = self.folder / CONVERSATIONS
        with durable_files.naming_errors(folder):
            entries = list(os.scandir(folder)) if durable_files.is_folder(folder) else []
        named = (entry for entry in entries if entry.name.endswith(_SUFFIX))
        return sorted(entry.name for entry in named if not (is_log(entry.name) and _is_file(entry)))

    def path(self, log: str) -> Path:
        return self.folder / self.relative_path(log)

    @staticmethod
    def relative_path(log: str) -> str:
        """Returns a log's path in a namespace's folder and in its backups, with slashes."""
        return f"{CONVERSATIONS}/{log}{_SUFFIX}" if log else NOTES

    @staticmethod
    def log_at(relative_path: str) -> str | None:
        """Returns the log of this path; None for any other path."""
        found = _RELATIVE.fullmatch(relative_path)
        return (found[1] or "") if found else None

    def rewrite(self, log: str, content: bytes) -> None:
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
        """Takes the folder's lock, unless this process has it. Raises StorageLocked, StorageFailed.

        Logs that `read` covers to their ends are not read again.
        """
        with self._mutex:
            self._open_for_writing(read)
        return self

    def acquire_lock(self) -> None:
        """Takes the folder's lock without touching a log."""
        with self._mutex:
            self._take_lock()

    @contextmanager
    def try_locked(self) -> Iterator[bool]:
        try:
            self.acquire_lock()
        except StorageLocked:
            yield False
        except StorageFailed:  # nobody can write here
            yield True
        else:
            try:
                yield True
            finally:
                self._lock.release()

    def is_line_end(self, log: str, end: int) -> bool:
        with (
            durable_files.naming_errors(self.path(log)),
            regular_files.open_regular_file(self.path(log)) as file,
        ):
            file.seek(max(0, end - 1))
            return end == 0 or file.read(1) == b"\n"

    def is_ahead_of(self, seq: int) -> bool:
        return False  # the only writer knows its events; other programs get StorageLocked

    @property
    def holds_lock(self) -> bool:
        return bool(self._lock.is_locked)

    def _open_for_writing(self, known: LogPosition | None = None) -> int:
        if self._seq is not None:
            return self._seq
        refuse_during_swap(self.folder)  # else make_folder() would fill the gap that a swap leaves
        durable_files.make_folder(self.folder / CONVERSATIONS)
        self._take_lock()
        self._refuse_during_swap()
        durable_files.remove_temporaries(self.folder)
        known = known or LogPosition()
        grown = [log for log, size in self.logs().items() if size != known.ends.get(log)]
        self._seq = max([known.seq, *map(last_seq_after_repair, map(self.path, grown))])
        return self._seq

    def _refuse_during_swap(self) -> None:
        """Checks again under the lock, which a swap takes before it begins."""
        try:
            refuse_during_swap(self.folder)
        except StorageError:
            self._lock.release(force=True)
            raise

    def _take_lock(self) -> None:
        try:
            acquire(self._lock)
        except Timeout as exc:
            raise StorageLocked(
                f"another program writes {self.folder}; nothing else can be written there until it "
                "ends"
            ) from exc
        except OSError as exc:
            raise StorageFailed(f"{self.folder / LOCK}: {durable_files.explain(exc)}") from exc

    def _writer(self, log: str) -> LogWriter:
        writer = self._writers.get(log)
        if writer is None:
            writer = LogWriter(self.path(log))
            self._writers.put(log, writer)
        return writer


def is_log(name: str) -> bool:
    """Returns whether a file in the conversations' folder is a log, by its name."""
    return _LOG.fullmatch(name) is not None


def _is_file(entry: "os.DirEntry[str]") -> bool:
    """Returns whether it is a file, or a link to one."""
    # The folder says so of most: thousands of files need no look at each.
    return entry.is_file(follow_symlinks=False) or Path(entry.path).is_file()


def last_written_at(folder: Path) -> float:
    """Returns the time of the last write to this namespace's logs, in seconds since the epoch.

    Returns 0 if there was none. Raises StorageFailed.
    """
    log = EventLog(folder)
    stats = [durable_files.stat_or_none(log.path(name)) for name in log.logs()]
    return max((found.st_mtime for found in stats if found), default=0.0)
