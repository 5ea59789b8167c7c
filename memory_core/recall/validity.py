"""Decides which memories a newer one has replaced.

A memory is superseded as long as any memory in the chain of its replacements is live. If the newer
one is forgotten, the older one holds again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from ..domain.records import Memory
from ..storage.log.projection import MemoryRecord, MemoryStatus

_MAX_CHAIN = 100  # records; a longer chain is damaged


class GetRecords(Protocol):
    """Returns the known records among these ids, whatever their status."""

    def __call__(self, ids: Sequence[str], /) -> Mapping[str, MemoryRecord]: ...


def outdated_ids(get: GetRecords, memories: Iterable[Memory], now: float | None) -> frozenset[str]:
    """Returns the ids of the memories that no longer hold at `now` (seconds since the epoch)."""
    return frozenset(memory.id for memory in memories if _is_outdated(get, memory, now))


def _is_outdated(get: GetRecords, memory: Memory, now: float | None) -> bool:
    if memory.derived is None:
        return False
    if memory.derived.superseded_by:
        return is_superseded(get, memory)
    return now is not None and memory.derived.has_ended(now)


def is_superseded(get: GetRecords, memory: Memory) -> bool:
    """Returns whether a newer memory that is live replaced this one."""
    chain = (record for record in superseding(get, memory))
    return any(record.status is MemoryStatus.LIVE for record in chain)


def superseding(get: GetRecords, memory: Memory) -> list[MemoryRecord]:
    """Returns the chain of records that replaced this memory, the direct successor first."""
    found: dict[str, MemoryRecord] = {}
    while (newer := _successor(memory)) and newer not in found and len(found) < _MAX_CHAIN:
        record = get([newer]).get(newer)
        if record is None:
            break
        found[newer], memory = record, record.memory
    return list(found.values())


def _successor(memory: Memory) -> str:
    return memory.derived.superseded_by if memory.derived else ""
