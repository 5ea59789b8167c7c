"""Holds the chat that the host shows against what is written, by content: the result is a Diff."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from ...domain.records import Exchange, side_key

Keyed = tuple[str, Exchange]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownExchange:
    """An exchange of this conversation as written, by its hashes (records.content_key).

    `key` is that of both sides, or the seal of a forgotten one. `shared`: other conversations
    show it too.
    """

    id: str
    key: str
    position: float
    user_key: str = ""
    assistant_key: str = ""
    is_forgotten: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    exchange: Exchange
    position: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    id: str
    exchange: Exchange
    position: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What has to be written so that the transcript says what the chat shows."""

    added: tuple[Added, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    @property
    def stale_ids(self) -> frozenset[str]:
        """Ids whose written text is not what the chat shows: not to be recalled."""
        return frozenset(self.removed) | {change.id for change in self.changed}


def reconcile(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], *, whole: bool = True
) -> Diff:
    """Compares `known` with `shown`, pairs of (key, exchange); both oldest first.

    With `whole` false the chat may be a part (an API client that sends its last messages only,
    or one that begins another chat with the same words): then nothing counts as removed.
    What is forgotten keeps its place, shown or not, and counts neither as removed nor as changed.
    What another conversation shows too is not changed there: it leaves, and its new form is added.
    """
    met = dict(_match_pairs(known, shown, whole=whole))
    twins = {new: old for new, old in met.items() if not _parts(known[old], shown[new][0])}
    left = set(met.values()) - set(twins.values())
    same = set(twins.values())
    stays = [
        at not in left and (not whole or entry.is_forgotten or at in same)
        for at, entry in enumerate(known)
    ]
    return Diff(
        added=tuple(_added(known, shown, twins, stays)),
        changed=tuple(
            Changed(id=known[old].id, exchange=shown[new][1], position=known[old].position)
            for new, old in twins.items()
            if known[old].key != shown[new][0]
        ),
        removed=tuple(entry.id for entry, stay in zip(known, stays, strict=True) if not stay),
    )


def _parts(entry: KnownExchange, key: str) -> bool:
    return entry.shared and not entry.is_forgotten and entry.key != key


def _match_pairs(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], *, whole: bool
) -> Iterator[tuple[int, int]]:
    """Which of `shown` is which of `known`, as indices, both rising.

    Equal content first; between those, an exchange that kept one of its sides is the same one,
    said differently. In a whole chat so is one without a message where as many stand as stood.
    """
    start = _common_prefix(known, shown)
    end = _common_prefix(known[start:][::-1], shown[start:][::-1])
    old, new = range(start, len(known) - end), range(start, len(shown) - end)
    yield from zip(range(start), range(start), strict=True)
    blocks = SequenceMatcher(
        None, [known[at].key for at in old], [shown[at][0] for at in new], autojunk=False
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
    for at in old:
        found = next((it for it in new if _shares_a_side(known[at], shown[it][1])), None)
        if found is not None:
            yield found, at
            new = range(found + 1, new.stop)


def _are_replacements(
    known: Sequence[KnownExchange], shown: Sequence[Keyed], old: range, new: range
) -> bool:
    """Whether each is the one that stood in its place, by a side or because neither asks."""
    if len(old) != len(new):
        return False
    pairs = ((known[a], shown[b][1]) for a, b in zip(old, new, strict=True))
    return all(_shares_a_side(it, now) or _are_silent(it, now) for it, now in pairs)


def _are_silent(entry: KnownExchange, exchange: Exchange) -> bool:
    is_silent = entry.user_key == side_key("") and not entry.is_forgotten
    return is_silent and not exchange.user


def _shares_a_side(entry: KnownExchange, exchange: Exchange) -> bool:
    if entry.is_forgotten:
        return False
    if exchange.user and side_key(exchange.user) == entry.user_key:
        return True
    return bool(exchange.assistant) and side_key(exchange.assistant) == entry.assistant_key


def _added(
    known: Sequence[KnownExchange],
    shown: Sequence[Keyed],
    twins: dict[int, int],
    stays: Sequence[bool],
) -> Iterator[Added]:
    """Runs of new exchanges, each with places between what stays before and after it."""
    places = [entry.position for entry, stay in zip(known, stays, strict=True) if stay]
    for is_new, run in groupby(range(len(shown)), key=lambda at: at not in twins):
        if is_new:
            found = list(run)
            twin = twins.get(found[-1] + 1)
            after = None if twin is None else known[twin].position
            yield from _with_positions([shown[at][1] for at in found], places, after)


def _with_positions(
    exchanges: Sequence[Exchange], places: Sequence[float], after: float | None
) -> list[Added]:
    """Places next before `after`; at the end, whole numbers upward."""
    before = places[: len(places) if after is None else bisect_left(places, after)][-1:]
    if after is None:
        first = float(int(before[0]) + 1) if before else 1.0
        return [Added(exchange=it, position=first + n) for n, it in enumerate(exchanges)]
    low = before[0] if before else after - len(exchanges) - 1
    step = (after - low) / (len(exchanges) + 1)
    return [Added(exchange=it, position=low + step * (n + 1)) for n, it in enumerate(exchanges)]
