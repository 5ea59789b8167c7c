"""Lists the memories of one namespace, out of columns that stay in memory until it changes."""

import threading
from collections.abc import Sequence

import numpy as np

from ...domain.records import Memory, MemoryKind
from ..index.catalog.rows import decode_record
from ..index.local_listing import KINDS, ListingColumns, live_indices
from .connection import Connection
from .database import Database
from .names import original_name, stored_name

_VERSION = "SELECT version FROM namespaces WHERE namespace = %s"
_LIVE = """SELECT row, ts, kind, pinned FROM memories WHERE namespace = %s AND state = 'live'
    ORDER BY ts NULLS FIRST, row"""
_SHOWN = "SELECT conversation, array_agg(row) FROM places WHERE namespace = %s GROUP BY 1"
_OF_CHANNEL = """SELECT row FROM memories
    WHERE namespace = %s AND kind = 'exchange' AND state = 'live' AND channel = %s"""
_ROWS_OF_IDS = "SELECT id, row FROM memories WHERE namespace = %s AND id = ANY(%s::text[])"
_DATA = """SELECT row, data FROM memories
    WHERE namespace = %s AND state = 'live' AND row = ANY(%s::int[])"""


class PostgresListing:
    """Lists of one namespace. Safe for many threads; sees what others write."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._db = database
        self._namespace = namespace
        self._lock = threading.Lock()
        self._known: tuple[int, ListingColumns] | None = None

    def rows_of_channel(self, channel: str) -> list[int]:
        found = self._db.rows(self._namespace, _OF_CHANNEL, self._namespace, stored_name(channel))
        return [row for (row,) in found]

    def rows_of_ids(self, ids: Sequence[str]) -> dict[str, int]:
        stored = [stored_name(memory_id) for memory_id in ids]
        found = self._db.rows(self._namespace, _ROWS_OF_IDS, self._namespace, stored)
        return {original_name(name): row for name, row in found}

    def memories(self, rows: Sequence[int]) -> list[Memory]:
        found = dict(self._db.rows(self._namespace, _DATA, self._namespace, list(rows)))
        return [decode_record(found[row]).memory for row in rows if row in found]

    def columns(self) -> ListingColumns:
        """Returns the columns, read again if the namespace has changed."""
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
        chats={original_name(name): live_indices(index, np.array(held)) for name, held in shown},
    )
