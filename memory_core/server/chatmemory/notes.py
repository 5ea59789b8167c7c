"""Stores knowledge and diaries as notes; a diary's day and metadata are in its log line."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Memory, MemoryKind
from ...memory.derived_memories import DerivedMemories
from ...memory.diary import BY_USER, day_of_page, page_of_day
from ...memory.runtime import Runtime
from ...storage.contract import DerivedFilter
from ...storage.log.events import EventType, NewEvent

_ID_DIGITS = 13  # as many hex digits as JavaScript's numbers hold
_NOON = time(12)
_METADATA = "metadata"  # this field is erased with the text


@dataclass(frozen=True, slots=True, kw_only=True)
class DiaryPage:
    """A diary's text of one day. `created_at` is in seconds since the epoch."""

    memory: Memory
    day: date
    metadata: Mapping[str, Any]
    created_at: float | None

    @property
    def id(self) -> str:
        return self.memory.id

    @property
    def text(self) -> str:
        return self.memory.text


class Notes:
    """Writes and reads the notes of one user at a time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime

    def of_kind(self, namespace: Namespace, kind: MemoryKind) -> list[Memory]:
        """Returns the live notes of a kind, newest first."""
        found = DerivedMemories(self._runtime.memory).find(
            namespace, DerivedFilter(kinds=frozenset({kind}))
        )
        return sorted(reversed(found), key=lambda note: -(note.ts or 0.0))

    def diaries(self, namespace: Namespace) -> list[DiaryPage]:
        """Returns the diary, the latest day first."""
        live = {note.id: note for note in self.of_kind(namespace, MemoryKind.DIARY)}
        lines = self._latest_metadata(namespace) if live else {}
        pages = [_page(note, lines.get(note.id, {})) for note in live.values()]
        return sorted(pages, key=lambda page: page.day, reverse=True)

    def upsert_diary(
        self,
        namespace: Namespace,
        day: date,
        text: str,
        metadata: Mapping[str, Any],
        created_at: float,
    ) -> None:
        """Writes the diary of a day, in place of an earlier text."""
        text = self._runtime.memory.guard.admit_text(namespace, text)
        details = {"diary_date": day.isoformat(), "created_at": created_at, _METADATA: metadata}
        earlier = [page.id for page in self.diaries(namespace) if page.day == day]
        derived = {} if earlier else page_of_day(day, made_by=BY_USER).to_fields()
        fields = {**derived, "kind": MemoryKind.DIARY, "text": text, _METADATA: details}
        noon = datetime.combine(day, _NOON, UTC).timestamp()
        op = EventType.REVISE if earlier else EventType.NOTE
        new = NewEvent(
            op=op,
            ts=self._runtime.clock() if earlier else noon,
            id=earlier[0] if earlier else "",
            fields=fields,
        )
        with self._runtime.memory.open_namespace(namespace) as opened:
            opened.write(new)
        self._runtime.schedule(namespace)

    def forget(self, namespace: Namespace, ids: list[str]) -> None:
        if ids:
            self._runtime.forget_exactly(namespace, list(dict.fromkeys(ids)))

    def _latest_metadata(self, namespace: Namespace) -> Mapping[str, Mapping[str, Any]]:
        with self._runtime.memory.open_namespace(namespace) as opened:
            events = opened.event_log.read("").events
        found: dict[str, Mapping[str, Any]] = {}
        for event in events:
            details = event.fields.get(_METADATA)
            if isinstance(details, dict):
                found[event.id] = details
        return found


def numeric_id(memory_id: str) -> int:
    """Returns the number by which ChatMemory's clients know a memory."""
    return int(hashlib.sha256(memory_id.encode()).hexdigest()[:_ID_DIGITS], 16)


def _page(note: Memory, details: Mapping[str, Any]) -> DiaryPage:
    return DiaryPage(
        memory=note,
        day=_day(note, details.get("diary_date")),
        metadata=details.get(_METADATA) or {},
        created_at=details.get("created_at", note.ts),
    )


def _day(note: Memory, written: object) -> date:
    """Returns the day that the page names, else the day of its time."""
    if isinstance(written, str):
        return date.fromisoformat(written)
    return day_of_page(note) or datetime.fromtimestamp(0, UTC).date()
