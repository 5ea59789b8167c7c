"""Rules of forgetting: the memories to erase by now, and those to forget or restore together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace
from ..storage.log.projection import MemoryRecord, MemoryStatus

Times = tuple[float, ...]


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
