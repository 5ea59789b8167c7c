"""Compares the chat that the host shows with the event log, by content, and returns a Diff.

New exchanges are matched with memories of other chats, such as a branch's origin.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import groupby

from ...domain.records import Exchange, is_date_guessed, side_key
from .projection import MemoryRecord

_MIN_MOVED = 2  # exchanges that prove that all times of a chat moved
_ZONE_STEP_S = 900.0
_MAX_ZONES_S = 23.75 * 3600.0  # a day later it is the same greeting again
_SUMMER_TIME_S = 3600.0
Keyed = tuple[str, Exchange]


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
    possible = (
        shift
        for shift in first & second
        if shift and shift % _ZONE_STEP_S == 0 and abs(shift) <= _MAX_ZONES_S
    )
    return min(possible, key=abs, default=0.0)


def _shifts(exchange: Exchange, by_key: Mapping[str, Sequence[MemoryRecord]]) -> frozenset[float]:
    known = (entry.chat for entry in by_key.get(exchange.key, ()))
    times = (said.ts for said in known if said is not None and said.ts is not None)
    return frozenset() if exchange.ts is None else frozenset(exchange.ts - ts for ts in times)


def _has_moved(entry: MemoryRecord, exchange: Exchange, shift: float) -> bool:
    """Returns whether the times differ by `shift`, or by an hour more or less: summer time."""
    said = entry.chat
    if not shift or said is None or said.ts is None or exchange.ts is None:
        return False
    return abs(exchange.ts - said.ts - shift) in (0.0, _SUMMER_TIME_S)


def _match_preference(entry: MemoryRecord) -> tuple[bool, bool]:
    """Sorts memories that a chat shows first and forgotten ones last."""
    return entry.forgotten_at is not None, entry.is_in_no_chat


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownExchange:
    """An exchange of this conversation as logged, by its hashes (records.content_key).

    `key` is the content key of both sides, or the tombstone hash of a forgotten exchange, whose
    `user_key` is a tombstone hash, too. `ts` is when it was said, in seconds since the epoch.
    `shared` means that other conversations show the exchange, too.
    """

    id: str
    key: str
    position: float
    user_key: str = ""
    assistant_key: str = ""
    is_forgotten: bool = False
    shared: bool = False
    ts: float | None = None

    def is_message_of(self, exchange: Exchange) -> bool:
        """Returns whether the exchange has the message of this one, perhaps with another answer.

        The same words said again, at another time, are another message.
        """
        is_same_time = None in (self.ts, exchange.ts) or self.ts == exchange.ts
        is_same_text = bool(exchange.user) and side_key(exchange.user) == self.user_key
        return is_same_text and is_same_time


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A new exchange and its position in the conversation."""

    exchange: Exchange
    position: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """The new form and position of the logged exchange `id`."""

    id: str
    exchange: Exchange
    position: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Changes to write so that the event log matches the chat.

    `forgotten_left` are forgotten exchanges that left the chat. `new_ids` are the ids of the
    memories made from the changes, once they are written.
    """

    added: tuple[Added, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[str, ...] = ()
    forgotten_left: tuple[str, ...] = ()
    new_ids: tuple[str, ...] = field(default=(), compare=False)

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed or self.forgotten_left)

    @property
    def new_exchanges(self) -> list[Exchange]:
        """The added exchanges, then the changed ones in their new form."""
        added = (addition.exchange for addition in self.added)
        return [*added, *(change.exchange for change in self.changed)]

    @property
    def stale_ids(self) -> frozenset[str]:
        """Ids whose logged text differs from the chat; these must not be recalled."""
        return frozenset(self.removed) | {change.id for change in self.changed}


def reconcile(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], *, whole: bool = True
) -> Diff:
    """Compares `known` with `shown`, pairs of (key, exchange); both oldest first.

    With `whole` false the chat may be incomplete, and nothing counts as removed: an API client may
    send only its last messages, or begin another chat with equal words.
    A forgotten exchange is never changed, and stays forgotten with another answer to its message.
    When it leaves a whole chat it gives up its position, so that its message can be said again.
    A change to a shared exchange must not reach the other conversations: the exchange is removed
    from this one, and its new form is added.
    """
    if len(known) == len(shown) and all(map(_holds, known, shown)):
        return Diff()  # the usual case
    pairs = dict(_match_pairs(known, shown, whole=whole))
    pairs |= _moved_forgotten(known, shown, pairs)
    twins = {
        new: old
        for new, old in pairs.items()
        if known[old].key == shown[new][0] or known[old].is_forgotten or not known[old].shared
    }
    same = set(twins.values())
    left = set(pairs.values()) - same
    stays = [index not in left and (not whole or index in same) for index in range(len(known))]
    gone = [entry for entry, stay in zip(known, stays, strict=True) if not stay]
    return Diff(
        added=tuple(_added(known, shown, twins, stays)),
        changed=tuple(
            Changed(id=known[old].id, exchange=shown[new][1], position=known[old].position)
            for new, old in twins.items()
            if known[old].key != shown[new][0] and not known[old].is_forgotten
        ),
        removed=tuple(entry.id for entry in gone if not entry.is_forgotten),
        forgotten_left=tuple(entry.id for entry in gone if entry.is_forgotten),
    )


def _holds(entry: KnownExchange, now: Keyed) -> bool:
    """Returns whether the chat shows this exchange, or the message of a forgotten one."""
    key, exchange = now
    return entry.key == key or (entry.is_forgotten and entry.is_message_of(exchange))


def _moved_forgotten(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], pairs: Mapping[int, int]
) -> dict[int, int]:
    """Returns further pairs: forgotten exchanges that stand elsewhere in the chat by now."""
    paired = frozenset(pairs.values())
    left = [n for n, entry in enumerate(known) if entry.is_forgotten and n not in paired]
    by_time = defaultdict[float | None, list[int]](list)
    for new, (_, exchange) in enumerate(shown) if left else ():
        if new not in pairs and exchange.ts is not None:
            by_time[exchange.ts].append(new)
    moved = dict[int, int]()
    for old in left:
        entry, same_time = known[old], by_time[known[old].ts]
        for new in same_time:
            key, exchange = shown[new]
            if entry.key == key or entry.is_message_of(exchange):
                moved[new] = old
                same_time.remove(new)
                break
    return moved


def _match_pairs(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], *, whole: bool
) -> Iterator[tuple[int, int]]:
    """Yields matching pairs (index in `shown`, index in `known`), both rising.

    Equal content is matched first. Between those matches, an exchange that kept one of its sides
    is a changed one. In a whole chat, exchanges without a user message also match by position if
    their number did not change.
    """
    start = _common_prefix(known, shown)
    end = _common_prefix(known[start:][::-1], shown[start:][::-1])
    old, new = range(start, len(known) - end), range(start, len(shown) - end)
    yield from zip(range(start), range(start), strict=True)
    blocks = SequenceMatcher(
        None, [known[i].key for i in old], [shown[i][0] for i in new], autojunk=False
    ).get_matching_blocks()
    a = b = 0
    for block in blocks:
        before, now = old[a : block.a], new[b : block.b]
        if whole and _are_replacements(known, shown, before, now):
            yield from zip(now, before, strict=True)
        else:
            yield from _pair_by_side(known, shown, before, now)
        a, b = block.a + block.size, block.b + block.size
        yield from zip(new[block.b : b], old[block.a : a], strict=True)
    yield from zip(range(new.stop, len(shown)), range(old.stop, len(known)), strict=True)


def _common_prefix(known: Sequence[KnownExchange], shown: Sequence[Keyed]) -> int:
    count = 0
    for entry, (key, _) in zip(known, shown, strict=False):
        if entry.key != key:
            break
        count += 1
    return count


def _pair_by_side(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], old: range, new: range
) -> Iterator[tuple[int, int]]:
    for index in old:
        twin = next((i for i in new if _shares_a_side(known[index], shown[i][1])), None)
        if twin is not None:
            yield twin, index
            new = range(twin + 1, new.stop)


def _are_replacements(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], old: range, new: range
) -> bool:
    """Returns whether all pairs match in order: by a side, or since neither has a user message."""
    if len(old) != len(new):
        return False
    pairs = ((known[a], shown[b][1]) for a, b in zip(old, new, strict=True))
    return all(
        _shares_a_side(entry, now) or _lack_user_messages(entry, now) for entry, now in pairs
    )


def _lack_user_messages(entry: KnownExchange, exchange: Exchange) -> bool:
    is_silent = entry.user_key == side_key("") and not entry.is_forgotten
    return is_silent and not exchange.user


def _shares_a_side(entry: KnownExchange, exchange: Exchange) -> bool:
    if entry.is_forgotten:
        return entry.is_message_of(exchange)
    if exchange.user and side_key(exchange.user) == entry.user_key:
        return True
    return bool(exchange.assistant) and side_key(exchange.assistant) == entry.assistant_key


def _added(
    known: Sequence[KnownExchange],
    shown: Sequence[Keyed],
    twins: dict[int, int],
    stays: Sequence[bool],
) -> Iterator[Added]:
    """Yields the new exchanges, each run with positions between its remaining neighbours."""
    positions = [entry.position for entry, stay in zip(known, stays, strict=True) if stay]
    for is_new, run in groupby(range(len(shown)), key=lambda index: index not in twins):
        if is_new:
            indices = list(run)
            twin = twins.get(indices[-1] + 1)
            after = None if twin is None else known[twin].position
            yield from _with_positions([shown[i][1] for i in indices], positions, after)


def _with_positions(
    exchanges: Sequence[Exchange], positions: Sequence[float], after: float | None
) -> list[Added]:
    """Assigns evenly spaced positions just before `after`; at the end, rising whole numbers."""
    before = positions[: len(positions) if after is None else bisect_left(positions, after)][-1:]
    if after is None:
        first = float(int(before[0]) + 1) if before else 1.0
        return [Added(exchange=new, position=first + n) for n, new in enumerate(exchanges)]
    low = before[0] if before else after - len(exchanges) - 1
    step = (after - low) / (len(exchanges) + 1)
    return [Added(exchange=new, position=low + step * (n + 1)) for n, new in enumerate(exchanges)]
