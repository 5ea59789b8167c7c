"""Merges the postings of full blocks, so that a search of many memories reads fewer rows.

A block is small, since a change rewrites its postings of a term. Old memories change seldom: of
each term, the postings of 16 full blocks become one row. A term in a single block stays as it is.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from .connection import Connection
from .database import Database, repeat_rolled_back
from .postings import BLOCK, GROUP, POSTING, add_to_blocks, group_of
from .writes import lock_namespace

_ROWS_AT_ONCE = 5000  # others cannot write to the namespace meanwhile
_GROUPS = "SELECT next_row, merged_groups FROM namespaces WHERE namespace = %s"
_READ = """SELECT term, block, data FROM postings
    WHERE namespace = %s AND (term, block) > (%s::text COLLATE "C", %s::int)
    AND block BETWEEN %s AND %s ORDER BY term, block LIMIT %s"""
_DELETE = """DELETE FROM postings AS p USING unnest(%s::text[], %s::int[]) AS a (term, block)
    WHERE p.namespace = %s AND p.term = a.term AND p.block = a.block"""
_DONE = """UPDATE namespaces SET merged_groups = greatest(merged_groups, %s)
    WHERE namespace = %s"""
_BEFORE_ALL = ("", -1)


class _Row(NamedTuple):
    term: str
    block: int
    data: bytes


class PostingGroups:
    """The groups of one namespace. Another program may do the same: each step is a transaction."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._db = database
        self._namespace = namespace
        self._group = 0
        self._last: tuple[str, int] = _BEFORE_ALL

    def merge(self) -> bool:
        """Does one step; returns whether there was one to do."""
        own = self._namespace
        found = self._db.rows(own, _GROUPS, own)
        next_row, merged = found[0] if found else (0, 0)
        if merged >= next_row // (GROUP * BLOCK):
            return False
        if merged != self._group:
            self._group, self._last = merged, _BEFORE_ALL
        self._merge_some(merged)
        return True

    @repeat_rolled_back
    def _merge_some(self, group: int) -> None:
        own, first = self._namespace, group * GROUP
        with self._db.transaction(own) as connection:
            lock_namespace(connection, own)
            asked = (own, *self._last, first, first + GROUP - 1, _ROWS_AT_ONCE)
            found = connection.execute(_READ, asked, binary=True).fetchall()
            rows = [_Row(*columns) for columns in found]
            if len(rows) < _ROWS_AT_ONCE:
                connection.execute(_DONE, (group + 1, own))
            else:  # further blocks of the last term may follow
                rows = [row for row in rows if row.term != rows[-1].term]
            _merge(connection, own, rows)
        self._last = rows[-1][:2] if rows else _BEFORE_ALL


def _merge(connection: Connection, namespace: str, rows: Sequence[_Row]) -> None:
    merged: dict[tuple[str, int], bytes] = {}
    gone: list[_Row] = []
    for term, same in groupby(rows, key=lambda row: row.term):
        parts = list(same)
        if len(parts) > 1:
            gone += parts
            merged[term, group_of(parts[0].block)] = b"".join(map(_within_group, parts))
    if gone:
        terms, blocks = [row.term for row in gone], [row.block for row in gone]
        connection.execute(_DELETE, (terms, blocks, namespace))
        add_to_blocks(connection, namespace, merged)


def _within_group(row: _Row) -> bytes:
    """Returns the postings of a block with their offsets in its group."""
    entries = np.frombuffer(row.data, POSTING).copy()
    entries["offset"] += (row.block % GROUP) * BLOCK
    return entries.tobytes()
