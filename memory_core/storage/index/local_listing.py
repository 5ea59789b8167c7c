"""Lists memories from columns of the live ones: one page, its order, and the counts.

LocalListing keeps the catalog's columns in memory until something changes.
"""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Protocol

import numpy as np

from ...domain.records import Memory, MemoryKind, Role
from ..contract import Column, Side
from ..listing import MAX_CHATS, NO_MONTH, ListedMemories, ListQuery, Order
from .catalog.database import LIST, Database, as_json_list, translate_errors
from .catalog.rows import decode_record

KINDS = tuple(MemoryKind)
_SIDES = {Role.USER: Side.USER, Role.ASSISTANT: Side.ASSISTANT}
Masks = Mapping[str, Column]
_EXCHANGE = KINDS.index(MemoryKind.EXCHANGE)
_LIVE = "SELECT row, ts FROM entries WHERE state = 'live' ORDER BY ts, row"
_OTHERKINDS = "SELECT row, kind FROM entries WHERE kind != 'exchange' AND +state = 'live'"
_ALWAYS = "SELECT row, data FROM entries WHERE always_in_prompt = 1 AND state = 'live'"
_SHOWN = "SELECT conversation, group_concat(row) FROM positions GROUP BY conversation"
_OF_CHANNEL = (
    "SELECT row FROM entries WHERE kind = 'exchange' AND state = 'live' "
    "AND json_extract(data, '$.exchange.channel') = ?"
)
_ROWS_OF_IDS = f"SELECT id, row FROM entries WHERE id IN {LIST}"  # noqa: S608
_DATA = f"SELECT row, data FROM entries WHERE row IN {LIST} AND +state = 'live'"  # noqa: S608


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


class ListingSource(Protocol):
    """The rows of one store that a list is made of."""

    def columns(self) -> ListingColumns:
        """Returns the columns of all live memories, as they are now."""
        ...

    def rows_of_channel(self, channel: str) -> Sequence[int]:
        """Returns the rows of the exchanges that came through this channel."""
        ...

    def rows_of_ids(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Returns id → row of the known ones among these memories."""
        ...

    def memories(self, rows: Sequence[int]) -> list[Memory]:
        """Returns the memories of these rows, in their order, without those gone meanwhile."""
        ...


class WordRows(Protocol):
    """The full-text index of one store, by its row numbers."""

    def rows_with_each(self, groups: Sequence[Sequence[str]], side: Side | None) -> Column:
        """Returns the rows that hold a term of each group, on this side if one is given."""
        ...

    def best_among(self, words: Sequence[str], rows: Column, limit: int) -> Column:
        """Returns the best of these ascending rows by BM25 of the words, best first."""
        ...


def live_indices(index: Column, rows: Column) -> Column:
    """Returns the indices of those of these rows that are live; `index` has -1 for the others."""
    found: Column = index[rows[rows < len(index)]]
    return found[found >= 0]


def list_memories(source: ListingSource, fulltext: WordRows, query: ListQuery) -> ListedMemories:
    """Returns a page of the list, with the counts of the whole list."""
    columns = source.columns()
    masks = _masks_of(source, fulltext, columns, query)
    found = np.flatnonzero(_all(masks, columns, without=""))
    ordered = _ordered(source, fulltext, columns, found, query)[
        query.offset : query.offset + query.limit
    ]
    return ListedMemories(
        memories=source.memories(columns.rows[ordered].tolist()),
        total=len(found),
        months=_count_months(columns.times[_all(masks, columns, without="time")]),
        kinds=_count_kinds(columns.kinds[_all(masks, columns, without="kinds")]),
        pinned=int(columns.pinned[_all(masks, columns, without="pinned")].sum()),
        conversations=_count_chats(columns, _all(masks, columns, without="conversation")),
    )


def _masks_of(
    source: ListingSource, fulltext: WordRows, columns: ListingColumns, query: ListQuery
) -> Masks:
    """Returns a boolean array over the columns for each field that restricts something."""
    found: dict[str, Column] = {}
    if query.words:
        side = None if query.said_by is None else _SIDES[query.said_by]
        found["words"] = np.isin(columns.rows, fulltext.rows_with_each(query.words, side))
    if query.channel:
        found["channel"] = np.isin(columns.rows, source.rows_of_channel(query.channel))
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


def _ordered(
    source: ListingSource,
    fulltext: WordRows,
    columns: ListingColumns,
    found: Column,
    query: ListQuery,
) -> Column:
    """Returns these indices, which are the oldest first, in the order of the query."""
    if query.order is Order.OLDEST:
        return found
    if query.order is Order.RECALLED:
        rows = source.rows_of_ids(list(query.recalls))
        return _by_recalls(columns, found, {rows[name]: query.recalls[name] for name in rows})
    if query.order is Order.NEWEST or not query.words:
        return found[::-1]
    words = [word for group in query.words for word in group]
    best = fulltext.best_among(words, np.sort(columns.rows[found]), query.offset + query.limit)
    index = dict(zip(columns.rows[found].tolist(), found.tolist(), strict=True))
    return np.array([index[row] for row in best.tolist() if row in index], dtype=np.int64)


def _by_recalls(columns: ListingColumns, found: Column, recalls: Mapping[int, int]) -> Column:
    """Returns these indices, the rows with the most recalls first, then the newest."""
    newest = found[::-1]
    counts = [recalls.get(row, 0) for row in columns.rows[newest].tolist()]
    return newest[np.argsort(-np.array(counts, dtype=np.int64), kind="stable")]


def _all(masks: Mapping[str, Column], columns: ListingColumns, *, without: str) -> Column:
    """Returns a boolean array: which rows pass all masks except `without`."""
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
    """Returns the local month of a time, and the time at which the next one begins."""
    try:
        day = datetime.fromtimestamp(ts, UTC).astimezone()
        year, month = divmod(day.year * 12 + day.month, 12)
        return day.strftime("%Y-%m"), datetime(year, month + 1, 1).timestamp()
    except (OverflowError, ValueError, OSError):  # an imported time beyond all calendars
        return NO_MONTH, ts


class LocalListing:
    """Lists of one store. Safe for many threads; sees what others write to the catalog."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, int], ListingColumns] | None = None

    def rows_of_channel(self, channel: str) -> list[int]:
        return [row for (row,) in self._db.rows(_OF_CHANNEL, channel)]

    def rows_of_ids(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(self._db.rows(_ROWS_OF_IDS, as_json_list(ids)))

    def memories(self, rows: Sequence[int]) -> list[Memory]:
        found = {row: data for row, data in self._db.rows(_DATA, as_json_list(rows))}
        return [decode_record(found[row]).memory for row in rows if row in found]

    def columns(self) -> ListingColumns:
        """Returns the columns, read again if the catalog has changed."""
        with self._lock:
            version = self._db.version()
            if self._known is None or self._known[0] != version:
                # A separate connection, so that no recall waits for this long read.
                with translate_errors, closing(self._db.open_second_connection()) as db:
                    self._known = version, _read(db)
            return self._known[1]


def _read(db: sqlite3.Connection) -> ListingColumns:
    db.execute("BEGIN")
    live = db.execute(_LIVE).fetchall()
    rows = np.array([row for row, _ in live], dtype=np.int64)
    index = np.zeros(int(rows.max(initial=0)) + 1, dtype=np.int64) - 1
    index[rows] = np.arange(len(rows))
    kinds = np.full(len(rows), _EXCHANGE, dtype=np.int8)
    for row, kind in db.execute(_OTHERKINDS):
        kinds[index[row]] = KINDS.index(MemoryKind(kind))
    pinned = np.zeros(len(rows), dtype=bool)
    for row, data in db.execute(_ALWAYS):
        pinned[index[row]] = decode_record(data).memory.pinned
    return ListingColumns(
        rows=rows,
        times=np.array([np.nan if ts is None else ts for _, ts in live], dtype=np.float64),
        kinds=kinds,
        pinned=pinned,
        chats={
            name: live_indices(index, np.array(shown.split(","), dtype=np.int64))
            for name, shown in db.execute(_SHOWN)
        },
    )
