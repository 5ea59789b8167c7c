"""Finds the summaries of consecutive exchanges of one chat that still match it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..domain.records import Memory, MemoryKind
from ..storage.contract import DerivedFilter

WINDOW_KEY = "window"  # as Derivation.key: the memory summarises a part of a long chat
_MAX_LEVELS = 8

FindDerived = Callable[[DerivedFilter], list[Memory]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowPart:
    """A summary of the exchanges from index `start` up to `end` of a chat, half-open.

    `level` is 0 if it was made of exchanges, and rises each time summaries are condensed.
    """

    memory: Memory
    start: int
    end: int
    level: int = 0


def find_window_parts(find: FindDerived, chat: Sequence[str]) -> list[WindowPart]:
    """Returns the summaries of parts of this chat; `chat` has its exchanges' ids in order."""
    parts: list[WindowPart] = []
    places = {memory_id: (index, index + 1) for index, memory_id in enumerate(chat)}
    for level in range(_MAX_LEVELS):
        made = find(_window_filter(places)) if places else []
        found = list(_consecutive(made, places, level))
        parts += found
        places = {part.memory.id: (part.start, part.end) for part in found}
    return parts


def uncondensed(parts: Iterable[WindowPart]) -> list[WindowPart]:
    """Returns the parts that no other one condenses, in the chat's order."""
    known = list(parts)
    condensed = {source for part in known for source in part.memory.sources}
    return sorted(
        (part for part in known if part.memory.id not in condensed), key=lambda part: part.start
    )


def _window_filter(sources: Iterable[str]) -> DerivedFilter:
    kinds = frozenset({MemoryKind.SUMMARY})
    return DerivedFilter(kinds=kinds, key=WINDOW_KEY, sources=frozenset(sources))


def _consecutive(
    made: Iterable[Memory], places: Mapping[str, tuple[int, int]], level: int
) -> Iterable[WindowPart]:
    """Yields the summaries whose sources all have places, one right after the other."""
    for memory in made:
        own = sorted(places[source] for source in memory.sources if source in places)
        is_whole = len(own) == len(memory.sources)
        if is_whole and all(before[1] == after[0] for before, after in pairwise(own)):
            yield WindowPart(memory=memory, start=own[0][0], end=own[-1][1], level=level)
