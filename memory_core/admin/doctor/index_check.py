"""Compares everything in a store with the projection of all events in the logs."""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...domain.errors import StorageError
from ...storage.consistency import find_inconsistencies
from ...storage.log.event_log import EventLog
from ...storage.log.events import Event
from ...storage.log.projection import MemoryRecord, MemoryStatus, apply_events
from ...storage.store import MemoryStore
from .scan import scan_lines

_PART_BYTES = 64 << 20  # size of the logs whose records are held in memory together
_MAX_LISTED_IDS = 3


@dataclass(slots=True)
class LogTotals:
    """Counts and positions of all records that the logs project to."""

    state_counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    positions: dict[str, set[tuple[str, float]]] = field(default_factory=lambda: defaultdict(set))
    conversations: set[str] = field(default_factory=set)

    def add(self, entry: MemoryRecord) -> None:
        self.state_counts[entry.status.value] += 1
        if entry.status is MemoryStatus.LIVE:
            self.conversations.update(entry.positions)
        for log, place in entry.positions.items():
            self.positions[log].add((entry.memory.id, place))


def fold_in_parts(
    event_log: EventLog, sizes: Mapping[str, int]
) -> Iterator[dict[str, MemoryRecord]]:
    """Yields all records that the logs project to, in parts that fit into memory."""
    parts = 1 + sum(sizes.values()) // _PART_BYTES
    for part in range(parts):
        events = [
            line.event
            for log, size in sizes.items()
            for line in scan_lines(event_log.path(log), log, size)
            if line.event is not None and _part_of(line.event, parts) == part
        ]
        events.sort(key=lambda event: event.seq)
        yield apply_events(events)


def _part_of(event: Event, parts: int) -> int:
    return zlib.crc32(event.id.encode("utf-8", "surrogatepass")) % parts


def compare_with_log(
    store: MemoryStore, event_log: EventLog, sizes: Mapping[str, int]
) -> list[str]:
    """Returns messages of all differences between the store and the logs. Raises nothing."""
    try:
        return [*store.find_damage(), *_iter_differences(store, event_log, sizes)]
    except StorageError as exc:
        return [str(exc)]


def _iter_differences(
    store: MemoryStore, event_log: EventLog, sizes: Mapping[str, int]
) -> Iterator[str]:
    totals = LogTotals()
    found: dict[str, list[str]] = defaultdict(list)
    for part in fold_in_parts(event_log, sizes):
        for entry in part.values():
            totals.add(entry)
        for difference, ids in find_inconsistencies(store, part).items():
            found[difference] += ids
    for difference, ids in found.items():
        yield f"{len(ids):,} memories {difference}: {_join_first_ids(ids)}"
    yield from _compare_counts(store, totals)
    yield from _compare_positions(store, totals)


def _join_first_ids(ids: list[str]) -> str:
    return ", ".join(ids[:_MAX_LISTED_IDS]) + (", …" if len(ids) > _MAX_LISTED_IDS else "")


def _compare_counts(store: MemoryStore, totals: LogTotals) -> Iterator[str]:
    counts = store.counts()
    wanted = {state.value: totals.state_counts[state.value] for state in MemoryStatus}
    wanted["conversations"] = len(totals.conversations)
    for name, number in wanted.items():
        if counts[name] != number:
            yield f"it counts {counts[name]:,} as {name}, the logs have {number:,}"
    size = store.fulltext.corpus(()).size
    if size != wanted[MemoryStatus.LIVE]:
        yield f"it searches {size:,} memories, the logs have {wanted[MemoryStatus.LIVE]:,}"


def _compare_positions(store: MemoryStore, totals: LogTotals) -> Iterator[str]:
    for log, places in totals.positions.items():
        known = store.catalog.known_exchanges(log)
        if {(exchange.id, exchange.position) for exchange in known} != places:
            yield f"the conversation {log} has other positions in it"
