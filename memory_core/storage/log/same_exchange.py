"""Matches a chat's new exchanges with memories of other chats, such as a branch's origin."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ...domain.records import Exchange, is_date_guessed
from .projection import MemoryRecord

_MIN_MOVED = 2  # exchanges that prove that all times of a chat moved
_ZONE_STEP_S = 900.0
_MAX_ZONES_S = 23.75 * 3600.0  # a day later it is the same greeting again
_SUMMER_TIME_S = 3600.0


def match_known(
    log: str, said: Sequence[Exchange], known: Sequence[tuple[str, MemoryRecord]]
) -> Mapping[int, str]:
    """Returns index → id of the known memory, for `said`, new in this conversation, oldest first.

    `known` are pairs (content key, record). Equal words alone do not make two exchanges one: people
    say "good morning" every day. Their times must be equal, too. If a time is not certain, all
    exchanges from the first up to this one must match. A chat whose times all moved by the
    difference of two time zones is the same chat.
    """
    by_key: dict[str, list[MemoryRecord]] = defaultdict(list)
    for key, entry in known:
        if log not in entry.positions:
            by_key[key].append(entry)
    if not by_key:
        return {}
    shift = _zone_shift(said, by_key)
    found: dict[int, str] = {}
    used: set[str] = set()
    for index, exchange in enumerate(said):
        follows = len(found) == index
        for entry in sorted(by_key[exchange.key], key=_match_preference):
            if entry.memory.id not in used and (
                _is_same(entry, exchange, follows=follows) or _has_moved(entry, exchange, shift)
            ):
                found[index] = entry.memory.id
                used.add(entry.memory.id)
                break
    return found


def _is_same(entry: MemoryRecord, exchange: Exchange, *, follows: bool) -> bool:
    said = entry.chat
    if said is None or said.ts is None or exchange.ts is None:
        return follows
    if is_date_guessed(exchange.metadata) or is_date_guessed(said.metadata):
        return follows or exchange.ts == said.ts
    return exchange.ts == said.ts


def _zone_shift(said: Sequence[Exchange], by_key: Mapping[str, Sequence[MemoryRecord]]) -> float:
    """Returns by how many seconds both of the first two exchanges are dated later than known ones.

    Returns 0 unless two time zones can differ by as much: the host writes local times.
    """
    if len(said) < _MIN_MOVED:
        return 0.0
    first, second = (_shifts(exchange, by_key) for exchange in said[:_MIN_MOVED])
    return min((shift for shift in first & second if _is_of_zones(shift)), key=abs, default=0.0)


def _shifts(exchange: Exchange, by_key: Mapping[str, Sequence[MemoryRecord]]) -> frozenset[float]:
    known = (entry.chat for entry in by_key.get(exchange.key, ()))
    times = (said.ts for said in known if said is not None and said.ts is not None)
    return frozenset() if exchange.ts is None else frozenset(exchange.ts - ts for ts in times)


def _is_of_zones(shift: float) -> bool:
    return bool(shift) and shift % _ZONE_STEP_S == 0 and abs(shift) <= _MAX_ZONES_S


def _has_moved(entry: MemoryRecord, exchange: Exchange, shift: float) -> bool:
    """Returns whether the times differ by `shift`, or by an hour more or less: summer time."""
    said = entry.chat
    if not shift or said is None or said.ts is None or exchange.ts is None:
        return False
    return abs(exchange.ts - said.ts - shift) in (0.0, _SUMMER_TIME_S)


def _match_preference(entry: MemoryRecord) -> tuple[bool, bool]:
    """Sorts memories that a chat shows first and forgotten ones last."""
    return entry.forgotten_at is not None, entry.is_in_no_chat
