"""The journal of activity: entries for the tab, which are not saved, and lines for the console.

Neither shows any text of a chat, unless the setting console_texts is on.
"""

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ..config.loader import describe, display_value
from ..config.schema import Settings
from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction
from ..domain.unicode import visible_name
from ..recall.results import Form
from ..storage.log.diff import Diff
from ..text.excerpts import excerpt
from ..version import VERSION
from .guard import GuardReport
from .traces import Trace

_KEPT = 300
_log = logging.getLogger("long_term_memory")
_LONGEST_NAME = 60
_LONGEST_TEXT = 160
_SETTINGS_A_LINE = 4
GUARD_OUTCOMES = {
    GuardAction.REDACT: "stored with a mark",
    GuardAction.SKIP: "left out",
    GuardAction.ASK: "held back for a review",
}


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


_VERBS = {
    EntryKind.REMEMBERED: "remembered",
    EntryKind.CHANGED: "changed",
    EntryKind.TAKEN_OUT: "taken out",
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
    """Keeps the newest entries. Safe for many threads. `shows_texts`: the console may quote."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.shows_texts = False
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: deque[JournalEntry] = deque(maxlen=_KEPT)

    def add(self, namespace: Namespace, kind: EntryKind, count: int, *, ms: float = 0.0) -> None:
        """Adds an entry without a line."""
        entry = JournalEntry(ts=self._clock(), namespace=namespace, kind=kind, count=count, ms=ms)
        with self._lock:
            self._entries.append(entry)

    def add_recall(self, namespace: Namespace, trace: Trace) -> None:
        """Adds how much was recalled, or why nothing was."""
        recalled = [part for part in trace.injected if part.form in (Form.REPLAY, Form.LINE)]
        self.add(namespace, EntryKind.RECALLED, len(recalled), ms=trace.added_ms)
        if trace.skipped:
            _note(f"no recall for {_name(namespace)}: {visible_name(trace.skipped)}")
            return
        candidates = len(trace.recall.kept) + len(trace.recall.dropped)
        forms = Counter(part.form for part in recalled)
        by_form = f" ({forms[Form.REPLAY]} replayed, {_with_count(forms[Form.LINE], 'line')})"
        _note(
            f"recalled {len(recalled)} of {_with_count(candidates, 'candidate')} "
            f"for {_name(namespace)} "
            f"in {trace.added_ms:.0f} ms{by_form if recalled else ''}"
        )
        if self.shows_texts:
            self._note_texts("recalled", (part.text for part in recalled))

    def add_write(self, namespace: Namespace, diff: Diff) -> None:
        """Adds how many memories of a chat changed; nothing if none did."""
        counts = {
            EntryKind.REMEMBERED: len(diff.added),
            EntryKind.CHANGED: len(diff.changed),
            EntryKind.TAKEN_OUT: len(diff.removed),
        }
        changed = {kind: count for kind, count in counts.items() if count}
        if not changed:
            return
        for kind, count in changed.items():
            self.add(namespace, kind, count)
        changes = ", ".join(f"{count} {_VERBS[kind]}" for kind, count in changed.items())
        repeats = sum(added.exchange.is_repeat for added in diff.added)
        repeated = f" ({_with_count(repeats, 'repeat')} of what the chat said before)"
        _note(f"{_name(namespace)}: {changes}{repeated if repeats else ''}")
        said = (f"{exchange.user} / {exchange.assistant}" for exchange in diff.new_exchanges)
        if self.shows_texts:
            self._note_texts("remembered", said)

    def add_import(self, namespace: Namespace, new: int, *, exchanges: int) -> None:
        """Adds the number of new memories, of the exchanges that were gone through."""
        self.add(namespace, EntryKind.IMPORTED, new)
        gone_through = f"{_with_count(exchanges, 'exchange')} of past chats gone through"
        _note(f"{_name(namespace)}: {gone_through}")

    def add_note(self, namespace: Namespace, text: str) -> None:
        self.add(namespace, EntryKind.NOTED, 1)
        _note(f"{_name(namespace)}: a note kept")
        if self.shows_texts:
            self._note_texts("kept", [text])

    def add_guarded(self, report: GuardReport) -> None:
        """Adds the number of memories that the guard changed or skipped; no words of them."""
        self.add(report.namespace, _ENTRY_KINDS[report.action], report.count)
        done = GUARD_OUTCOMES[report.action]
        parts = ", ".join(sorted(report.parts))
        _note(f"{_name(report.namespace)}: {report.count} {done} by the guard ({parts})")

    def _note_texts(self, verb: str, texts: Iterable[str]) -> None:
        for text in texts:
            _note(f"{verb}: {visible_name(excerpt(' '.join(text.split()), _LONGEST_TEXT))}")

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


def log_start(settings: Settings, root: Path) -> None:
    _note(f"version {VERSION}, memories in {visible_name(str(root))}")
    log_settings(settings)


def log_settings(settings: Settings) -> None:
    """Notes the settings that differ from their defaults; secrets are masked."""
    changed = list(_changed(settings))
    if not changed:
        _note("all settings have their defaults")
    for start in range(0, len(changed), _SETTINGS_A_LINE):
        _note(f"settings that differ: {', '.join(changed[start : start + _SETTINGS_A_LINE])}")


def log_forgotten(namespace: Namespace, count: int) -> None:
    _note(f"{_name(namespace)}: {count} forgotten")


def _changed(settings: Settings) -> Iterator[str]:
    values = settings.model_dump(mode="json")
    for setting in describe():
        value: object = values
        for part in setting.key.split("."):
            value = value[part] if isinstance(value, dict) else None
        if value != setting.default:
            yield f"{setting.key} = {visible_name(display_value(setting.key, value))}"


def _note(text: str) -> None:
    _log.info("Long-term memory: %s", text)


def _name(namespace: Namespace) -> str:
    return visible_name(namespace.character or namespace.scope)[:_LONGEST_NAME]


def _with_count(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
