"""Lists memories from columns of the catalog, which stay in memory until something changes."""

import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing

import numpy as np

from ...domain.records import Memory, MemoryKind
from ..contract import Column, Side
from .catalog.database import LIST, Database, as_json_list, translate_errors
from .catalog.rows import decode_record
from .fulltext.fulltext_search import FullTextSearch
from .listing_columns import KINDS, ListingColumns, live_indices

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


class LocalListing:
    """Lists of one store. Safe for many threads; sees what others write to the catalog."""

    def __init__(self, database: Database, fulltext: FullTextSearch) -> None:
        self._db = database
        self._fulltext = fulltext
        self._lock = threading.Lock()
        self._known: tuple[tuple[int, int], ListingColumns] | None = None

    def rows_with_each(self, words: Sequence[Sequence[str]], side: Side | None) -> Column:
        return self._fulltext.rows_with_each(words, side)

    def rows_of_channel(self, channel: str) -> list[int]:
        return [row for (row,) in self._db.rows(_OF_CHANNEL, channel)]

    def best_among(self, words: Sequence[str], rows: Column, limit: int) -> Column:
        return self._fulltext.best_among(words, np.sort(rows), limit)

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
        chats={
            name: live_indices(index, np.array(shown.split(","), dtype=np.int64))
            for name, shown in db.execute(_SHOWN)
        },
    )
