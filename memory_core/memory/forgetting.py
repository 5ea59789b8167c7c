"""Rules of forgetting: the memories to erase by now, and those to forget or restore together.

A derived memory is withdrawn when its sources change: it is forgotten, with a mark, so it is hidden
at once and its text is erased like that of any forgotten memory. Only restoring its sources brings
it back. Its tombstone comes first in the log, so that a crash in between never leaves a derived
memory without its sources.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..domain.namespaces import Namespace
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus, apply_events
from .event_factory import withdraw_event

if TYPE_CHECKING:
    from .namespace_memory import NamespaceMemory

Times = tuple[float, ...]
_CHANGING_EVENTS = frozenset((EventType.EDIT, EventType.REVISE, EventType.REMOVE, EventType.FORGET))
_AFTER_ALL = 1 << 62  # a seq after those of all stored events


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Notifies every keeper of derived data that memories were forgotten.

    `messages` are the user's sides of these memories, and the texts of notes, which commands make.
    """

    namespace: Namespace
    ids: frozenset[str]
    messages: frozenset[str]

    @classmethod
    def of(
        cls, namespace: Namespace, ids: Iterable[str], entries: Iterable[MemoryRecord]
    ) -> "Forgotten":
        memories = [entry.memory for entry in entries]
        said = (one.exchange.user if one.exchange else one.text for one in memories)
        messages = frozenset(text.strip() for text in said if text.strip())
        return cls(namespace=namespace, ids=frozenset(ids), messages=messages)


def forgotten_time_range(forgotten: Iterable[MemoryRecord]) -> Times:
    """Returns the earliest and the latest time these were forgotten; empty if there are none."""
    times = [record.forgotten_at or 0.0 for record in forgotten]
    return (min(times), max(times)) if times else ()


def any_due(times: Times, *, now: float, kept_s: float) -> bool:
    """Returns whether one of these is older than `kept_s`, or as far in the future.

    A time in the future comes from a wrong clock and might never be reached.
    """
    return any(abs(now - time) >= kept_s for time in times)


def due_for_erasure(
    forgotten: Iterable[MemoryRecord], *, now: float, kept_s: float
) -> list[MemoryRecord]:
    """Returns the memories that were forgotten `kept_s` seconds ago or earlier."""
    return [
        record
        for record in forgotten
        if any_due((record.forgotten_at or 0.0,), now=now, kept_s=kept_s)
    ]


def forgotten_together(
    entries: Sequence[MemoryRecord], forgotten: Sequence[MemoryRecord]
) -> list[MemoryRecord]:
    """Returns these memories and their copies of the same scope that were forgotten with them."""
    keys = {_forgetting_key(entry) for entry in entries}
    copies = (hidden for hidden in forgotten if _forgetting_key(hidden) in keys)
    return list({entry.memory.id: entry for entry in (*entries, *copies)}.values())


def _forgetting_key(entry: MemoryRecord) -> tuple[str, str, float | None]:
    return entry.memory.key, entry.memory.only_in_conversation, entry.forgotten_at


def not_forgotten(records: Iterable[MemoryRecord]) -> list[MemoryRecord]:
    return [record for record in records if record.status is not MemoryStatus.FORGOTTEN]


def same_content(
    named: Sequence[MemoryRecord], found: Iterable[MemoryRecord]
) -> list[MemoryRecord]:
    """Returns other memories with the same text and scope: each chat has its own notes."""
    ids = {record.memory.id for record in named}
    memories = [record.memory for record in not_forgotten(named)]
    same = {(memory.key, memory.only_in_conversation) for memory in memories}
    others = (record for record in not_forgotten(found) if record.memory.id not in ids)
    return [
        record
        for record in others
        if (record.memory.key, record.memory.only_in_conversation) in same
    ]


def withdrawals(
    opened: "NamespaceMemory", events: Sequence[NewEvent], secret: Callable[[], str]
) -> list[NewEvent]:
    """Returns the events that withdraw the memories derived from those that `events` change."""
    changing = frozenset(event.id for event in events if event.op in _CHANGING_EVENTS)
    if not changing or not opened.derived_records(changing):
        return []
    gone = _changed_ids(opened.records(changing), events)
    own = {event.id for event in events if event.op is EventType.FORGET}
    doomed = [entry for entry in all_derived_from(opened, gone) if entry.memory.id not in own]
    now = max((event.ts for event in events if event.ts is not None), default=0.0)
    return [withdraw_event(entry, secret(), now) for entry in doomed]


def all_derived_from(opened: "NamespaceMemory", sources: Collection[str]) -> list[MemoryRecord]:
    """Returns all live memories derived from these, directly or indirectly."""
    found: dict[str, MemoryRecord] = {}
    front = frozenset(sources)
    while front:
        made = opened.derived_records(front)
        new = {entry.memory.id: entry for entry in made if entry.memory.id not in found}
        found |= new
        front = frozenset(new)
    return list(found.values())


def _changed_ids(before: Mapping[str, MemoryRecord], events: Sequence[NewEvent]) -> frozenset[str]:
    """Returns the ids of the memories that these events hide or give another text.

    Sources of a merge are already hidden and may leave their chats; the note stays.
    """
    after = apply_events(
        (event.with_seq(_AFTER_ALL) for event in events if event.id in before), before
    )
    return frozenset(
        memory_id
        for memory_id, entry in before.items()
        if after[memory_id].memory.text != entry.memory.text
        or (entry.status is MemoryStatus.LIVE and after[memory_id].status is not MemoryStatus.LIVE)
    )


def restored_by(
    opened: "NamespaceMemory",
    named: Sequence[MemoryRecord],
    restorable: Sequence[MemoryRecord],
) -> list[MemoryRecord]:
    """Returns the memories that come back when the named ones are restored.

    These are the named ones that were not withdrawn, their copies, and memories derived from these.
    """
    own = [entry for entry in named if not entry.is_withdrawn]
    withdrawn = [entry for entry in restorable if entry.is_withdrawn]
    copies = [entry for entry in restorable if not entry.is_withdrawn]
    back = forgotten_together(own, copies)
    return [*back, *restored_with(opened, back, withdrawn)]


def restored_with(
    opened: "NamespaceMemory",
    restored: Sequence[MemoryRecord],
    withdrawn: Sequence[MemoryRecord],
) -> list[MemoryRecord]:
    """Returns those of the withdrawn memories that come back together with the restored ones.

    They were withdrawn at the same moment, and all of their sources are back.
    """
    times = {entry.forgotten_at for entry in restored}
    back = {entry.memory.id for entry in restored}
    found: list[MemoryRecord] = []
    waiting = [entry for entry in withdrawn if entry.forgotten_at in times]
    while ready := [entry for entry in waiting if _has_sources(opened, entry, back)]:
        found += ready
        back |= {entry.memory.id for entry in ready}
        waiting = [entry for entry in waiting if entry.memory.id not in back]
    return found


def _has_sources(opened: "NamespaceMemory", entry: MemoryRecord, back: Collection[str]) -> bool:
    others = [source for source in entry.memory.sources if source not in back]
    known = opened.records(others)
    return len(known) == len(set(others)) and all(
        source.status is MemoryStatus.LIVE for source in known.values()
    )
