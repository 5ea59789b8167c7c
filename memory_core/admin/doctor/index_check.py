"""Whether a store says what the logs say: all of it, held against a fold of all lines."""

import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ...domain.errors import StorageError
from ...storage.contract import MemoryStore
from ...storage.log.event_log import Transcript
from ...storage.log.events import Line
from ...storage.log.projection import Entry, State, folded
from .scan import pieces

_PART_BYTES = 64 << 20  # of the logs whose entries are held in memory at once
_NAMED = 3


@dataclass(slots=True)
class Totals:
    """What the fold of all lines adds up to."""

    states: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    talks: dict[str, set[tuple[str, float]]] = field(default_factory=lambda: defaultdict(set))
    conversations: set[str] = field(default_factory=set)

    def add(self, entry: Entry) -> None:
        self.states[entry.state.value] += 1
        self.conversations.update(entry.places, [entry.memory.conversation])
        for log, place in entry.places.items():
            self.talks[log].add((entry.memory.id, place))


def entries(transcript: Transcript, sizes: Mapping[str, int]) -> Iterator[dict[str, Entry]]:
    """All entries, as the lines tell them; so many at a time as can be held in memory."""
    parts = 1 + sum(sizes.values()) // _PART_BYTES
    for part in range(parts):
        lines = [
            piece.line
            for log, size in sizes.items()
            for piece in pieces(transcript.path(log), log, size)
            if piece.line is not None and _part_of(piece.line, parts) == part
        ]
        lines.sort(key=lambda line: line.seq)
        yield folded(lines)


def _part_of(line: Line, parts: int) -> int:
    return zlib.crc32(line.id.encode("utf-8", "surrogatepass")) % parts


def faults(store: MemoryStore, transcript: Transcript, sizes: Mapping[str, int]) -> list[str]:
    """In which ways the store says something else, in plain words. Raises nothing."""
    try:
        return [*store.damage(), *_differences(store, transcript, sizes)]
    except StorageError as exc:
        return [str(exc)]


def _differences(
    store: MemoryStore, transcript: Transcript, sizes: Mapping[str, int]
) -> Iterator[str]:
    totals = Totals()
    found: dict[str, list[str]] = defaultdict(list)
    for part in entries(transcript, sizes):
        for entry in part.values():
            totals.add(entry)
        for what, ids in store.faults(part).items():
            found[what] += ids
    for what, ids in found.items():
        yield f"{len(ids):,} memories {what}: {_some(ids)}"
    yield from _sums(store, totals)
    yield from _talks(store, totals)


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:_NAMED]) + (", …" if len(ids) > _NAMED else "")


def _sums(store: MemoryStore, totals: Totals) -> Iterator[str]:
    counts = store.counts()
    wanted = {state.value: totals.states[state.value] for state in State}
    wanted["conversations"] = len(totals.conversations - {""})
    for name, number in wanted.items():
        if counts[name] != number:
            yield f"it counts {counts[name]:,} as {name}, the logs say {number:,}"
    size = store.corpus(()).size
    if size != wanted[State.LIVE]:
        yield f"it searches {size:,} memories, the logs have {wanted[State.LIVE]:,}"


def _talks(store: MemoryStore, totals: Totals) -> Iterator[str]:
    for log, places in totals.talks.items():
        if {(it.id, it.place) for it in store.known(log)} != places:
            yield f"the conversation {log} stands otherwise in it"
