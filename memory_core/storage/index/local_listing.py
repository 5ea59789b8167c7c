"""Lists memories out of columns of the catalogue that stay in memory until something changes."""

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce

import numpy as np

from ...domain.records import Memory, MemoryKind, Role
from ..contract import Column, Side
from ..listing import MAX_CHATS, NO_MONTH, ListedMemories, ListQuery, Order
from .catalog.database import LIST, Database, as_json_list, translate_errors
from .catalog.rows import decode_record
from .fulltext.fulltext_search import FullTextSearch

_KINDS = tuple(MemoryKind)
_EXCHANGE = _KINDS.index(MemoryKind.EXCHANGE)
_SIDES = {Role.USER: Side.USER, Role.ASSISTANT: Side.ASSISTANT}
_LIVE = "SELECT row, ts FROM entries WHERE state = 'live' ORDER BY ts, row"
_OTHER_KINDS = "SELECT row, kind FROM entries WHERE kind != 'exchange' AND +state = 'live'"
_ALWAYS = "SELECT row, data FROM entries WHERE always_in_prompt = 1 AND state = 'live'"
_SHOWN = "SELECT conversation, group_concat(row) FROM positions GROUP BY conversation"
_OF_CHANNEL = (
    "SELECT row FROM entries WHERE kind = 'exchange' AND state = 'live' "
    "AND json_extract(data, '$.exchange.channel') = ?"
)
_DATA = f"SELECT row, data FROM entries WHERE row IN {LIST} AND +state = 'live'"  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Columns:
    """The live memories, one row each, the oldest first; those without a time come before all.

    `chats` has the indices of the rows that a conversation shows.
    """

    rows: Column
    times: Column
    kinds: Column
    pinned: Column
    chats: Mapping[str, Column]


class LocalListing:
    """Safe for many threads. Notices by itself what others write to the catalogue."""

    def __init__(self, database: Database, fulltext: FullTextSearch) -> None:
        self._db = database
        self._fulltext = fulltext
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, int], _Columns] | None = None

    def list_memories(self, query: ListQuery) -> ListedMemories:
        columns = self._columns()
        masks = self._masks(columns, query)
        found = np.flatnonzero(_all(masks, columns, without=""))
        ordered = self._ordered(columns, found, query)[query.offset : query.offset + query.limit]
        return ListedMemories(
            memories=self._memories(columns.rows[ordered].tolist()),
            total=len(found),
            months=_count_months(columns.times[_all(masks, columns, without="time")]),
            kinds=_count_kinds(columns.kinds[_all(masks, columns, without="kinds")]),
            pinned=int(columns.pinned[_all(masks, columns, without="pinned")].sum()),
            conversations=_count_chats(columns, _all(masks, columns, without="conversation")),
        )

    def _masks(self, columns: _Columns, query: ListQuery) -> dict[str, Column]:
        """Returns a boolean array over the columns for each field that restricts something."""
        found: dict[str, Column] = {}
        if query.words:
            rows = self._fulltext.rows_with_each(query.words, _side(query))
            found["words"] = np.isin(columns.rows, rows)
        if query.kinds:
            found["kinds"] = np.isin(columns.kinds, [_KINDS.index(kind) for kind in query.kinds])
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
        if query.channel:
            came = [row for (row,) in self._db.rows(_OF_CHANNEL, query.channel)]
            found["channel"] = np.isin(columns.rows, came)
        return found

    def _ordered(self, columns: _Columns, found: Column, query: ListQuery) -> Column:
        if query.order is Order.OLDEST:
            return found
        if query.order is Order.NEWEST or not query.words:
            return found[::-1]
        words = [word for group in query.words for word in group]
        best = self._fulltext.best_among(
            words, np.sort(columns.rows[found]), query.offset + query.limit
        )
        index = dict(zip(columns.rows[found].tolist(), found.tolist(), strict=True))
        return np.array([index[row] for row in best.tolist() if row in index], dtype=np.int64)

    def _memories(self, rows: Sequence[int]) -> list[Memory]:
        found = {row: data for row, data in self._db.rows(_DATA, as_json_list(rows))}
        return [decode_record(found[row]).memory for row in rows if row in found]

    def _columns(self) -> _Columns:
        """Returns the columns, read anew if the catalogue has changed."""
        with self._lock:
            version = self._db.version()
            if self._known is None or self._known[0] != version:
                # A connection of its own: nobody who recalls something waits for this one.
                with translate_errors(), closing(self._db.open_second_connection()) as db:
                    self._known = version, _read(db)
            return self._known[1]


def _read(db: sqlite3.Connection) -> _Columns:
    db.execute("BEGIN")
    live = db.execute(_LIVE).fetchall()
    rows = np.array([row for row, _ in live], dtype=np.int64)
    index = np.zeros(int(rows.max(initial=0)) + 1, dtype=np.int64) - 1
    index[rows] = np.arange(len(rows))
    kinds = np.full(len(rows), _EXCHANGE, dtype=np.int8)
    for row, kind in db.execute(_OTHER_KINDS):
        kinds[index[row]] = _KINDS.index(MemoryKind(kind))
    pinned = np.zeros(len(rows), dtype=bool)
    for row, data in db.execute(_ALWAYS):
        pinned[index[row]] = decode_record(data).memory.pinned
    return _Columns(
        rows=rows,
        times=np.array([np.nan if ts is None else ts for _, ts in live], dtype=np.float64),
        kinds=kinds,
        pinned=pinned,
        chats={name: _indices(index, shown) for name, shown in db.execute(_SHOWN)},
    )


def _indices(index: Column, shown: str) -> Column:
    """Returns the indices of those of these rows that are live."""
    rows = np.array(shown.split(","), dtype=np.int64)
    found = index[rows[rows < len(index)]]
    return found[found >= 0]


def _side(query: ListQuery) -> Side | None:
    return None if query.said_by is None else _SIDES[query.said_by]


def _all(masks: Mapping[str, Column], columns: _Columns, *, without: str) -> Column:
    """Returns which rows pass all masks but this one."""
    kept = (mask for name, mask in masks.items() if name != without)
    both: Callable[[Column, Column], Column] = np.logical_and
    return reduce(both, kept, np.ones(len(columns.rows), dtype=bool))


def _count_kinds(kinds: Column) -> dict[MemoryKind, int]:
    counts = np.bincount(kinds, minlength=len(_KINDS)).tolist()
    return {kind: count for kind, count in zip(_KINDS, counts, strict=True) if count}


def _count_chats(columns: _Columns, kept: Column) -> dict[str, int]:
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
