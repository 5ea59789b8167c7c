"""A journal of recent activity, without any text of a chat; it is not saved to disk."""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction
from ..storage.log.diff import Diff
from .guard import GuardReport

_KEPT = 300


class EntryKind(StrEnum):
    """An activity of memory."""

    RECALLED = "recalled"
    REMEMBERED = "remembered"
    CHANGED = "changed"
    TAKEN_OUT = "taken_out"
    NOTED = "noted"
    IMPORTED = "imported"
    FORGOT = "forgot"
    REDACTED = "redacted"
    SKIPPED = "skipped"
    HELD = "held"


_ENTRY_KINDS = {
    GuardAction.REDACT: EntryKind.REDACTED,
    GuardAction.SKIP: EntryKind.SKIPPED,
    GuardAction.ASK: EntryKind.HELD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """One entry. `ts` is in seconds since the epoch; `ms` is given for recalls."""

    ts: float
    namespace: Namespace
    kind: EntryKind
    count: int
    ms: float = 0.0


class Journal:
    """Keeps the newest entries. Safe for many threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: deque[JournalEntry] = deque(maxlen=_KEPT)

    def add(self, namespace: Namespace, kind: EntryKind, count: int, *, ms: float = 0.0) -> None:
        entry = JournalEntry(ts=self._clock(), namespace=namespace, kind=kind, count=count, ms=ms)
        with self._lock:
            self._entries.append(entry)

    def add_diff(self, namespace: Namespace, diff: Diff) -> None:
        """Adds the changes found by comparing a chat with the log."""
        counts = {
            EntryKind.REMEMBERED: len(diff.added),
            EntryKind.CHANGED: len(diff.changed),
            EntryKind.TAKEN_OUT: len(diff.removed),
        }
        for kind, count in counts.items():
            if count:
                self.add(namespace, kind, count)

    def add_guarded(self, report: GuardReport) -> None:
        self.add(report.namespace, _ENTRY_KINDS[report.action], report.count)

    def latest(self, namespace: Namespace | None = None) -> list[JournalEntry]:
        """Returns the entries of one namespace or of all, newest first."""
        with self._lock:
            entries = list(self._entries)
        return [entry for entry in reversed(entries) if namespace in (None, entry.namespace)]

    def drop_all(self, namespace: Namespace) -> None:
        """Drops the entries of a namespace whose memories were deleted."""
        with self._lock:
            kept = [entry for entry in self._entries if entry.namespace != namespace]
            self._entries = deque(kept, maxlen=_KEPT)
