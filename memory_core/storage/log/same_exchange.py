"""Matches a chat's new exchanges with memories of other chats, such as a branch's origin."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...domain.records import Exchange, is_date_guessed
from .projection import MemoryRecord


def match_known(
    log: str, said: Sequence[Exchange], known: Sequence[tuple[str, MemoryRecord]]
) -> Mapping[int, str]:
    """Returns index → id of the known memory, for `said`, new in this conversation, oldest first.

    `known` are pairs (content key, record). Equal words alone do not make two exchanges one: people
    say "good morning" every day. Their times must be equal, too. If a time is not certain, all
    exchanges from the first up to this one must match.
    """
    by_key: dict[str, list[MemoryRecord]] = defaultdict(list)
    for key, entry in known:
        if log not in entry.positions:
            by_key[key].append(entry)
    if not by_key:
        return {}
    found: dict[int, str] = {}
    used: set[str] = set()
    for index, exchange in enumerate(said):
        follows = len(found) == index
        for entry in sorted(by_key[exchange.key], key=_match_preference):
            if entry.memory.id not in used and _is_same(entry, exchange, follows=follows):
                found[index] = entry.memory.id
                used.add(entry.memory.id)
                break
    return found


def _is_same(entry: MemoryRecord, exchange: Exchange, *, follows: bool) -> bool:
    said = entry.chat
    if said is None or said.ts is None or exchange.ts is None:
        return follows
    if _has_guessed_time(exchange) or _has_guessed_time(said):
        return follows or exchange.ts == said.ts
    return exchange.ts == said.ts


def _match_preference(entry: MemoryRecord) -> tuple[bool, bool]:
    """Sorts memories that a chat shows first and forgotten ones last."""
    return entry.forgotten_at is not None, entry.is_in_no_chat


def _has_guessed_time(exchange: Exchange) -> bool:
    return is_date_guessed(exchange.metadata)
