"""The truth of one namespace: append-only files under one lock and one rising sequence."""

import secrets
import threading
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from filelock import FileLock, Timeout

from .. import durable
from ..errors import StorageFailed, StorageLocked
from .lines import Draft, Line, Op
from .log import LogWriter, Read, last_seq, read

NOTES = "notes.jsonl"
CONVERSATIONS = "conversations"
_LOCK = ".lock"
_ID_BYTES = 8


class Transcript:
    """Appends operations and reads them back. Safe for many threads of one process.

    Reading needs no lock. The first append takes the folder's lock and keeps it until close():
    raises StorageLocked where another process has it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mutex = threading.RLock()
        self._lock = FileLock(
            folder / _LOCK, thread_local=False, mode=0o600, fallback_to_soft=False
        )
        self._seq: int | None = None
        self._writers: dict[str, LogWriter] = {}

    def append(self, draft: Draft) -> Line:
        """Writes one operation and returns it once it is on disk.

        Raises StorageFailed (nothing was written) or StorageLocked.
        """
        return self.append_all([draft])[0]

    def append_all(self, drafts: Sequence[Draft]) -> list[Line]:
        """The same for several operations, with one sync for each run of one conversation's.

        Where it fails, whole runs before are on disk. A crash may leave the beginning of a run.
        """
        with self._mutex:
            lines: list[Line] = []
            for log, run in groupby(drafts, key=lambda draft: draft.log):
                seq = self._open_for_writing()
                fresh = [_line(draft, seq + at) for at, draft in enumerate(run, start=1)]
                self._writer(log).append(*fresh)
                self._seq = seq + len(fresh)
                lines += fresh
            return lines

    def secret(self) -> str:
        """The namespace's own key for hashes of forgotten texts, 32 hex digits; made once."""
        with self._mutex:
            found = self._find_secret()
            if found is None:
                found = secrets.token_hex(16)
                self.append(Draft(op=Op.INIT, ts=None, fields={"secret": found}))
            return found

    def secrets(self) -> list[str]:
        """This one, and those of namespaces whose memories were moved here."""
        own = self.secret()
        return list(dict.fromkeys([own, *self._found_secrets()]))

    def _find_secret(self) -> str | None:
        return next(iter(self._found_secrets()), None)

    def _found_secrets(self) -> list[str]:
        path = self.folder / NOTES
        lines = read(path, "").lines if path.exists() else []
        return [str(it.fields["secret"]) for it in lines if it.op is Op.INIT]

    def read(self, log: str, start: int = 0) -> Read:
        """Lines of one conversation (or, with "", of the notes) from byte `start` on."""
        path = self.path(log)
        return read(path, log, start) if path.exists() else Read(end=0)

    def logs(self) -> dict[str, int]:
        """Every log with its size in bytes; the notes are named ""."""
        # The notes' size first: whatever a note names is then within the other sizes.
        notes = self.folder / NOTES
        found = {"": notes.stat().st_size} if notes.exists() else {}
        for path in sorted((self.folder / CONVERSATIONS).glob("*.jsonl")):
            found[path.stem] = path.stat().st_size
        return found

    def path(self, log: str) -> Path:
        return self.folder / CONVERSATIONS / f"{log}.jsonl" if log else self.folder / NOTES

    def rewrite(self, log: str, content: bytes) -> None:
        """Replaces a whole log, all or nothing. Raises StorageFailed, StorageLocked."""
        with self._mutex:
            self._open_for_writing()
            self._writers.pop(log, None)
            durable.replace(self.path(log), content)

    def close(self) -> None:
        with self._mutex:
            self._writers.clear()
            self._seq = None
            self._lock.release(force=True)

    def exclusively(self) -> "Transcript":
        """Takes the folder's lock now, if this process has it not yet. Raises StorageLocked."""
        with self._mutex:
            self._open_for_writing()
        return self

    def _open_for_writing(self) -> int:
        if self._seq is not None:
            return self._seq
        durable.make_folder(self.folder / CONVERSATIONS)
        self._take_lock()
        self._seq = max((last_seq(self.path(log)) for log in self.logs()), default=0)
        return self._seq

    def _take_lock(self) -> None:
        try:
            self._lock.acquire(timeout=0)
        except Timeout as exc:
            raise StorageLocked(
                f"another program writes {self.folder}; nothing is remembered here until it ends"
            ) from exc
        except OSError as exc:
            raise StorageFailed(f"{self.folder / _LOCK}: {exc.strerror or exc}") from exc

    def _writer(self, log: str) -> LogWriter:
        return self._writers.setdefault(log, LogWriter(self.path(log)))


def _line(draft: Draft, seq: int) -> Line:
    return Line(
        seq=seq,
        op=draft.op,
        id=draft.id or secrets.token_hex(_ID_BYTES),
        ts=draft.ts,
        fields=draft.fields,
        log=draft.log,
    )


def used_at(folder: Path) -> float:
    """When this namespace's folder was written to last, in seconds since the epoch; 0: never."""
    logs = [*(folder / CONVERSATIONS).glob("*.jsonl"), folder / NOTES]
    return max((log.stat().st_mtime for log in logs if log.exists()), default=0.0)
