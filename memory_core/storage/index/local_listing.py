"""Lists memories out of columns of the catalogue that stay in memory until something changes."""

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from ...domain.records import Memory, MemoryKind
from ..contract import Column
from ..listing import ListedMemories, ListQuery, Order
from .catalog.database import LIST, Database, as_json_list, translate_errors
from .catalog.rows import decode_record
from .fulltext.fulltext_search import FullTextSearch
from .listing_columns import (
    KINDS,
    ListingColumns,
    found_among,
    listed,
    masks_of,
    order_by_recalls,
    order_by_rows,
    side_of,
)

_EXCHANGE = KINDS.index(MemoryKind.EXCHANGE)
_LIVE = "SELECT row, ts FROM entries WHERE state = 'live' ORDER BY ts, row"
_OTHERKINDS = "SELECT row, kind FROM entries WHERE kind != 'exchange' AND +state = 'live'"
_ALWAYS = "SELECT row, data FROM entries WHERE always_in_prompt = 1 AND state = 'live'"
_SHOWN = "SELECT conversation, group_concat(row) FROM positions GROUP BY conversation"
_OF_CHANNEL = (
    "SELECT row FROM entries WHERE kind = 'exchange' AND state = 'live' "
    "AND json_extract(data, '$.exchange.channel') = ?"
)
_ROWS_OF_IDS = f"SELECT row, id FROM entries WHERE id IN {LIST}"  # noqa: S608
_DATA = f"SELECT row, data FROM entries WHERE row IN {LIST} AND +state = 'live'"  # noqa: S608


class LocalListing:
    """Safe for many threads. Notices by itself what others write to the catalogue."""

    def __init__(self, database: Database, fulltext: FullTextSearch) -> None:
        self._db = database
        self._fulltext = fulltext
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, int], ListingColumns] | None = None

    def list_memories(self, query: ListQuery) -> ListedMemories:
        columns = self._columns()
        masks = masks_of(
            columns,
            query,
            with_words=self._fulltext.rows_with_each(query.words, side_of(query))
            if query.words
            else None,
            of_channel=self._rows_of_channel(query.channel) if query.channel else None,
        )
        found = found_among(columns, masks)
        ordered = self._ordered(columns, found, query)[query.offset : query.offset + query.limit]
        memories = self._memories(columns.rows[ordered].tolist())
        return listed(columns, masks, total=len(found), memories=memories)

    def _rows_of_channel(self, channel: str) -> list[int]:
        return [row for (row,) in self._db.rows(_OF_CHANNEL, channel)]

    def _ordered(self, columns: ListingColumns, found: Column, query: ListQuery) -> Column:
        if query.order is Order.OLDEST:
            return found
        if query.order is Order.RECALLED:
            return order_by_recalls(columns, found, self._recalls(query))
        if query.order is Order.NEWEST or not query.words:
            return found[::-1]
        words = [word for group in query.words for word in group]
        best = self._fulltext.best_among(
            words, np.sort(columns.rows[found]), query.offset + query.limit
        )
        return order_by_rows(columns, found, best)

    def _recalls(self, query: ListQuery) -> dict[int, int]:
        """Returns row → number of recalls of the memories that the query counts."""
        rows = self._db.rows(_ROWS_OF_IDS, as_json_list(list(query.recalls)))
        return {row: query.recalls[memory_id] for row, memory_id in rows}

    def _memories(self, rows: Sequence[int]) -> list[Memory]:
        found = {row: data for row, data in self._db.rows(_DATA, as_json_list(rows))}
        return [decode_record(found[row]).memory for row in rows if row in found]

    def _columns(self) -> ListingColumns:
        """Returns the columns, read anew if the catalogue has changed."""
        with self._lock:
            version = self._db.version()
            if self._known is None or self._known[0] != version:
                # A connection of its own: nobody who recalls something waits for this one.
                with translate_errors(), closing(self._db.open_second_connection()) as db:
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
        chats={name: _indices(index, shown) for name, shown in db.execute(_SHOWN)},
    )


def _indices(index: Column, shown: str) -> Column:
    """Returns the indices of those of these rows that are live."""
    rows = np.array(shown.split(","), dtype=np.int64)
    found = index[rows[rows < len(index)]]
    return found[found >= 0]
