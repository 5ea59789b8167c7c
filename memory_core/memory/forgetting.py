"""What was forgotten: what of it is to be erased by now, and what went together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace
from ..storage.log.projection import MemoryRecord, MemoryStatus

Times = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Tells whoever keeps something derived from memories that these are forgotten.

    `messages` are the user's sides of them.
    """

    namespace: Namespace
    ids: frozenset[str]
    messages: frozenset[str]

    @classmethod
    def of(
        cls, namespace: Namespace, ids: Iterable[str], entries: Iterable[MemoryRecord]
    ) -> "Forgotten":
        exchanges = (it.memory.exchange for it in entries)
        messages = frozenset(it.user for it in exchanges if it)
        return cls(namespace=namespace, ids=frozenset(ids), messages=messages)


def forgotten_time_range(forgotten: Iterable[MemoryRecord]) -> Times:
    """When these were forgotten, at the earliest and at the latest; empty where there are none."""
    times = [it.forgotten_at or 0.0 for it in forgotten]
    return (min(times), max(times)) if times else ()


def any_due(times: Times, *, now: float, kept_s: float) -> bool:
    """Also what was forgotten in a future: a clock went wrong, and may never get there."""
    return any(abs(now - it) >= kept_s for it in times)


def due_for_erasure(
    forgotten: Iterable[MemoryRecord], *, now: float, kept_s: float
) -> list[MemoryRecord]:
    """Those whose words were kept for so long."""
    return [it for it in forgotten if any_due((it.forgotten_at or 0.0,), now=now, kept_s=kept_s)]


def forgotten_together(
    entry: MemoryRecord, forgotten: Sequence[MemoryRecord]
) -> list[MemoryRecord]:
    """Itself, and what says the same, holds where it holds and was forgotten with it."""
    return [
        entry,
        *(it for it in forgotten if it != entry and _forgetting_key(it) == _forgetting_key(entry)),
    ]


def _forgetting_key(entry: MemoryRecord) -> tuple[str, str, float | None]:
    return entry.memory.key, entry.memory.only_in_conversation, entry.forgotten_at


def content_keys(named: Iterable[MemoryRecord]) -> set[str]:
    """What is to be forgotten, by its content."""
    return {it.memory.key for it in named if it.status is not MemoryStatus.FORGOTTEN}


def same_content(
    named: Sequence[MemoryRecord], found: Iterable[MemoryRecord]
) -> list[MemoryRecord]:
    """What says the same and holds where they hold: each chat's notes are its own."""
    ids = {it.memory.id for it in named}
    same = {
        (it.memory.key, it.memory.only_in_conversation)
        for it in named
        if it.status is not MemoryStatus.FORGOTTEN
    }
    others = (
        it for it in found if it.memory.id not in ids and it.status is not MemoryStatus.FORGOTTEN
    )
    return [it for it in others if (it.memory.key, it.memory.only_in_conversation) in same]
