"""Lists the memories of one namespace, out of columns that stay in memory until it changes."""

import threading
from collections.abc import Sequence

import numpy as np

from ...domain.records import Memory, MemoryKind
from ..contract import Column
from ..index.catalog.rows import decode_record
from ..index.listing_columns import (
    KINDS,
    ListingColumns,
    found_among,
    listed,
    masks_of,
    order_by_recalls,
    order_by_rows,
    side_of,
)
from ..listing import ListedMemories, ListQuery, Order
from .connection import Connection
from .database import Database
from .fulltext import PostgresFullText
from .names import original_name, stored_name

_VERSION = "SELECT version FROM namespaces WHERE namespace = %s"
_LIVE = """SELECT row, ts, kind, pinned FROM memories WHERE namespace = %s AND state = 'live'
    ORDER BY ts NULLS FIRST, row"""
_SHOWN = "SELECT conversation, array_agg(row) FROM places WHERE namespace = %s GROUP BY 1"
_OF_CHANNEL = """SELECT row FROM memories
    WHERE namespace = %s AND kind = 'exchange' AND state = 'live' AND channel = %s"""
_ROWS_OF_IDS = "SELECT row, id FROM memories WHERE namespace = %s AND id = ANY(%s::text[])"
_DATA = """SELECT row, data FROM memories
    WHERE namespace = %s AND state = 'live' AND row = ANY(%s::int[])"""


class PostgresListing:
    """Safe for many threads. Notices by itself what others write."""

    def __init__(self, database: Database, namespace: str, fulltext: PostgresFullText) -> None:
        self._db = database
        self._namespace = namespace
        self._fulltext = fulltext
        self._lock = threading.Lock()
        self._known: tuple[int, ListingColumns] | None = None

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

    def _ordered(self, columns: ListingColumns, found: Column, query: ListQuery) -> Column:
        if query.order is Order.OLDEST:
            return found
        if query.order is Order.RECALLED:
            return order_by_recalls(columns, found, self._recalls(query))
        if query.order is Order.NEWEST or not query.words:
            return found[::-1]
        scored = self._fulltext.scores([word for group in query.words for word in group])
        best = self._fulltext.best_among(scored, columns.rows[found], query.offset + query.limit)
        return order_by_rows(columns, found, best)

    def _rows_of_channel(self, channel: str) -> list[int]:
        found = self._db.rows(self._namespace, _OF_CHANNEL, self._namespace, stored_name(channel))
        return [row for (row,) in found]

    def _recalls(self, query: ListQuery) -> dict[int, int]:
        """Returns row → number of recalls of the memories that the query counts."""
        counts = {stored_name(memory_id): count for memory_id, count in query.recalls.items()}
        found = self._db.rows(self._namespace, _ROWS_OF_IDS, self._namespace, list(counts))
        return {row: counts[memory_id] for row, memory_id in found}

    def _memories(self, rows: Sequence[int]) -> list[Memory]:
        found = dict(self._db.rows(self._namespace, _DATA, self._namespace, list(rows)))
        return [decode_record(found[row]).memory for row in rows if row in found]

    def _columns(self) -> ListingColumns:
        """Returns the columns, read anew if the namespace has changed."""
        with self._lock, self._db.snapshot(self._namespace) as connection:
            found = connection.execute(_VERSION, (self._namespace,)).fetchone()
            version = found[0] if found else 0
            if self._known is None or self._known[0] != version:
                self._known = version, _read(connection, self._namespace)
            return self._known[1]


def _read(connection: Connection, namespace: str) -> ListingColumns:
    live = connection.execute(_LIVE, (namespace,), binary=True).fetchall()
    rows = np.array([row for row, *_ in live], dtype=np.int64)
    index = np.zeros(int(rows.max(initial=0)) + 1, dtype=np.int64) - 1
    index[rows] = np.arange(len(rows))
    shown = connection.execute(_SHOWN, (namespace,), binary=True).fetchall()
    return ListingColumns(
        rows=rows,
        times=np.array([np.nan if ts is None else ts for _, ts, _, _ in live], dtype=np.float64),
        kinds=np.array([KINDS.index(MemoryKind(kind)) for _, _, kind, _ in live], dtype=np.int8),
        pinned=np.array([pinned for *_, pinned in live], dtype=bool),
        chats={original_name(name): _indices(index, np.array(held)) for name, held in shown},
    )


def _indices(index: Column, rows: Column) -> Column:
    """Returns the indices of those of these rows that are live."""
    found: Column = index[rows[rows < len(index)]]
    return found[found >= 0]
