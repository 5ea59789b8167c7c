"""Columns of the live memories for lists: what passes a query, in which order, and its counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce

import numpy as np

from ...domain.records import Memory, MemoryKind, Role
from ..contract import Column, Side
from ..listing import MAX_CHATS, NO_MONTH, ListedMemories, ListQuery

KINDS = tuple(MemoryKind)
_SIDES = {Role.USER: Side.USER, Role.ASSISTANT: Side.ASSISTANT}
Masks = Mapping[str, Column]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ListingColumns:
    """The live memories, one row each, the oldest first; those without a time come before all.

    `chats` has the indices of the rows that a conversation shows.
    """

    rows: Column
    times: Column
    kinds: Column
    pinned: Column
    chats: Mapping[str, Column]


def masks_of(
    columns: ListingColumns,
    query: ListQuery,
    *,
    with_words: Column | None,
    of_channel: Iterable[int] | None,
) -> Masks:
    """Returns a boolean array over the columns for each field that restricts something.

    `with_words`, `of_channel`: the rows that pass these two fields; None where they restrict
    nothing.
    """
    found: dict[str, Column] = {}
    if with_words is not None:
        found["words"] = np.isin(columns.rows, with_words)
    if of_channel is not None:
        found["channel"] = np.isin(columns.rows, list(of_channel))
    if query.kinds:
        found["kinds"] = np.isin(columns.kinds, [KINDS.index(kind) for kind in query.kinds])
    if query.pinned:
        found["pinned"] = columns.pinned
    if query.since is not None or query.until is not None:
        since = -np.inf if query.since is None else query.since
        until = np.inf if query.until is None else query.until
        found["time"] = (columns.times >= since) & (columns.times < until)
    if query.conversation:
        shown = np.zeros(len(columns.rows), dtype=bool)
        shown[columns.chats.get(query.conversation, np.empty(0, dtype=np.int64))] = True
        found["conversation"] = shown
    return found


def found_among(columns: ListingColumns, masks: Masks) -> Column:
    """Returns the indices of the memories that pass all masks, the oldest first."""
    return np.flatnonzero(_all(masks, columns, without=""))


def listed(
    columns: ListingColumns, masks: Masks, *, total: int, memories: Sequence[Memory]
) -> ListedMemories:
    """Returns a page of memories with the counts of the whole list."""
    return ListedMemories(
        memories=memories,
        total=total,
        months=_count_months(columns.times[_all(masks, columns, without="time")]),
        kinds=_count_kinds(columns.kinds[_all(masks, columns, without="kinds")]),
        pinned=int(columns.pinned[_all(masks, columns, without="pinned")].sum()),
        conversations=_count_chats(columns, _all(masks, columns, without="conversation")),
    )


def order_by_rows(columns: ListingColumns, found: Column, best: Column) -> Column:
    """Returns those of these indices whose rows are in `best`, in its order."""
    index = dict(zip(columns.rows[found].tolist(), found.tolist(), strict=True))
    return np.array([index[row] for row in best.tolist() if row in index], dtype=np.int64)


def order_by_recalls(columns: ListingColumns, found: Column, recalls: Mapping[int, int]) -> Column:
    """Returns these indices, the rows with the most recalls first, then the newest."""
    newest = found[::-1]
    counts = np.array(
        [recalls.get(row, 0) for row in columns.rows[newest].tolist()], dtype=np.int64
    )
    return newest[np.argsort(-counts, kind="stable")]


def side_of(query: ListQuery) -> Side | None:
    return None if query.said_by is None else _SIDES[query.said_by]


def _all(masks: Mapping[str, Column], columns: ListingColumns, *, without: str) -> Column:
    """Returns which rows pass all masks but this one."""
    kept = (mask for name, mask in masks.items() if name != without)
    both: Callable[[Column, Column], Column] = np.logical_and
    return reduce(both, kept, np.ones(len(columns.rows), dtype=bool))


def _count_kinds(kinds: Column) -> dict[MemoryKind, int]:
    counts = np.bincount(kinds, minlength=len(KINDS)).tolist()
    return {kind: count for kind, count in zip(KINDS, counts, strict=True) if count}


def _count_chats(columns: ListingColumns, kept: Column) -> dict[str, int]:
    counts = {name: int(kept[shown].sum()) for name, shown in columns.chats.items()}
    largest = sorted(counts, key=lambda name: (-counts[name], name))[:MAX_CHATS]
    return {name: counts[name] for name in largest if counts[name]}


def _count_months(times: Column) -> dict[str, int]:
    """Counts by month; `times` are ascending, those without a time first."""
    dated = times[~np.isnan(times)]
    counts = {NO_MONTH: len(times) - len(dated)}
    start = 0
    while start < len(dated):
        month, end = _month_of(float(dated[start]))
        stop = max(start + 1, int(np.searchsorted(dated, end, side="left")))
        counts[month] = counts.get(month, 0) + stop - start
        start = stop
    return {month: count for month, count in counts.items() if count}


def _month_of(ts: float) -> tuple[str, float]:
    """Returns the local month of a time, and when the next one begins."""
    try:
        day = datetime.fromtimestamp(ts, UTC).astimezone()
        year, month = divmod(day.year * 12 + day.month, 12)
        return day.strftime("%Y-%m"), datetime(year, month + 1, 1).timestamp()
    except (OverflowError, ValueError, OSError):  # imported times beyond all calendars
        return NO_MONTH, ts
