"""Holds the chat that the host shows against what is written, by content: the result is a Diff."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from ..records import Exchange, side_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """An exchange of this conversation as written, by its hashes (records.content_key).

    `key` is that of both sides, or the seal of a forgotten one.
    """

    id: str
    key: str
    place: float
    user_key: str = ""
    assistant_key: str = ""
    forgotten: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    exchange: Exchange
    place: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    id: str
    exchange: Exchange


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What has to be written so that the transcript says what the chat shows."""

    added: tuple[Added, ...] = ()
    changed: tuple[Changed, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    @property
    def stale(self) -> frozenset[str]:
        """Ids whose written text is not what the chat shows: not to be recalled."""
        return frozenset(self.removed) | {change.id for change in self.changed}


def reconcile(
    known: Sequence[Known], shown: Sequence[tuple[str, Exchange]], *, whole: bool = True
) -> Diff:
    """Compares `known` with `shown`, pairs of (key, exchange); both oldest first.

    With `whole` false the chat may be a part (an API client that sends its last messages only,
    or one that begins another chat with the same words): then nothing counts as removed.
    """
    start = _common_prefix(known, shown)
    end = _common_suffix(known[start:], shown[start:])
    old = known[start : len(known) - end]
    new = shown[start : len(shown) - end]
    left = known[start - 1].place if start else None
    right = known[len(known) - end].place if end else None
    diff = _differences(old, new, left, right)
    return diff if whole else replace(diff, removed=())


def _common_prefix(known: Sequence[Known], shown: Sequence[tuple[str, Exchange]]) -> int:
    count = 0
    for entry, (key, _) in zip(known, shown, strict=False):
        if entry.key != key:
            break
        count += 1
    return count


def _common_suffix(known: Sequence[Known], shown: Sequence[tuple[str, Exchange]]) -> int:
    return _common_prefix(known[::-1], shown[::-1])


def _differences(
    old: Sequence[Known],
    new: Sequence[tuple[str, Exchange]],
    left: float | None,
    right: float | None,
) -> Diff:
    added: list[Added] = []
    changed: list[Changed] = []
    removed: list[str] = []
    matcher = SequenceMatcher(
        None, [entry.key for entry in old], [key for key, _ in new], autojunk=False
    )
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        gone, come = _pair_changes(old[i1:i2], [exchange for _, exchange in new[j1:j2]], changed)
        removed += gone
        before = old[i1 - 1].place if i1 else left
        after = old[i2].place if i2 < len(old) else right
        added += _placed(come, before, after)
    return Diff(added=tuple(added), changed=tuple(changed), removed=tuple(removed))


def _pair_changes(
    old: Sequence[Known], new: Sequence[Exchange], changed: list[Changed]
) -> tuple[list[str], list[Exchange]]:
    """An exchange that kept one of its sides is the same one, said differently."""
    rest = list(new)
    gone: list[str] = []
    for entry in old:
        twin = None if entry.forgotten else _twin(entry, rest)
        if twin is None:
            gone.append(entry.id)
        else:
            changed.append(Changed(id=entry.id, exchange=rest.pop(twin)))
    return gone, rest


def _twin(entry: Known, new: Sequence[Exchange]) -> int | None:
    for at, exchange in enumerate(new):
        if exchange.user and side_key(exchange.user) == entry.user_key:
            return at
        if exchange.assistant and side_key(exchange.assistant) == entry.assistant_key:
            return at
    return None


def _placed(
    exchanges: Sequence[Exchange], before: float | None, after: float | None
) -> list[Added]:
    """Gives each a place between its neighbours; at the end, whole numbers upward."""
    if after is None:
        first = 1.0 if before is None else float(int(before) + 1)
        return [Added(exchange=it, place=first + n) for n, it in enumerate(exchanges)]
    low = after - len(exchanges) - 1 if before is None else before
    step = (after - low) / (len(exchanges) + 1)
    return [Added(exchange=it, place=low + step * (n + 1)) for n, it in enumerate(exchanges)]
