"""Whether what a chat shows now was met before: then it is the same memory in another place."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...domain.records import Exchange, is_date_guessed
from .projection import MemoryRecord


def match_known(
    log: str, said: Sequence[Exchange], known: Sequence[tuple[str, MemoryRecord]]
) -> Mapping[int, str]:
    """For what is new in this conversation, oldest first, index → id of what it is.

    `known` are (content key, entry). Equal words alone do not make two exchanges one: people say
    "good morning" every day. They have to be said at the same time; where no time is known for
    certain, they have to follow each other from the first on as they did before.
    """
    by_key: dict[str, list[MemoryRecord]] = defaultdict(list)
    for key, entry in known:
        if log not in entry.positions:
            by_key[key].append(entry)
    if not by_key:
        return {}
    found: dict[int, str] = {}
    used: set[str] = set()
    for at, exchange in enumerate(said):
        goes_on = len(found) == at
        for entry in sorted(by_key[exchange.key], key=_match_preference):
            if entry.memory.id not in used and _is_same(entry, exchange, goes_on=goes_on):
                found[at] = entry.memory.id
                used.add(entry.memory.id)
                break
    return found


def _is_same(entry: MemoryRecord, exchange: Exchange, *, goes_on: bool) -> bool:
    said = entry.chat
    if said is None or said.ts is None or exchange.ts is None:
        return goes_on
    if _has_guessed_time(exchange) or _has_guessed_time(said):
        return goes_on or exchange.ts == said.ts
    return exchange.ts == said.ts


def _match_preference(entry: MemoryRecord) -> tuple[bool, bool]:
    """What some chat shows comes first, what is forgotten last."""
    return entry.forgotten_at is not None, entry.is_in_no_chat


def _has_guessed_time(exchange: Exchange) -> bool:
    """Whether an import had to guess when it was said."""
    return is_date_guessed(exchange.metadata)
