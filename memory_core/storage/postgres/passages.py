"""Columns of the memories that recall scores, and their neighbours, by one query."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..contract import Column, PassageColumns
from .names import array_of, original_names, stored_name, text_array
from .reads import Reads

# Live memories to read before and after each requested one in its session: neighbours of neighbours
# are returned, too, and these name their own neighbours.
_AROUND = 3
_COLUMNS = ("row", "id", "length", "ts", "session", "user_vector", "assistant_vector")
_OF_OWN, _OF_NEAR = (", ".join(f"{of}.{name}" for name in _COLUMNS) for of in ("own", "m"))
# Each row is looked up by its key: see fulltext._IDS.
_OWN = f"""CROSS JOIN LATERAL (SELECT {_OF_OWN}, own.position FROM memories AS own
            WHERE own.namespace = {{own}} AND own.state = 'live'"""  # noqa: S608
_NEAR = f"""FROM own CROSS JOIN LATERAL (SELECT {_OF_NEAR} FROM memories AS m
    WHERE m.namespace = {{own}} AND m.state = 'live' AND m.session = own.session
    AND (m.position, m.row)"""  # noqa: S608
_PASSAGES = f"""WITH own AS MATERIALIZED (
        SELECT own.* FROM unnest(%s::int[]) AS a (row) {_OWN} AND own.row = a.row LIMIT 1) AS own
        UNION ALL SELECT own.* FROM unnest(%s::text[]) AS a (id)
            {_OWN} AND own.id = a.id LIMIT 1) AS own)
    SELECT 0, own.row, {_OF_OWN} FROM own
    UNION ALL SELECT 1, own.row, {_OF_NEAR} {_NEAR} > (own.position, own.row)
        ORDER BY m.position, m.row LIMIT {_AROUND}) AS m
    UNION ALL SELECT -1, own.row, {_OF_NEAR} {_NEAR} < (own.position, own.row)
        ORDER BY m.position DESC, m.row DESC LIMIT {_AROUND}) AS m"""  # noqa: S608


class _Surroundings:
    """The requested memories and those around them, as indices into columns.

    `before` and `after`: index of the live neighbour in the session, -1 if it was not read.
    """

    def __init__(self, found: Sequence[tuple[Any, ...]]) -> None:
        directions, asked, rows, ids, lengths, times, sessions, user, assistant = zip(
            *found, strict=True
        )
        direction, first, row = (np.array(column, np.int64) for column in (directions, asked, rows))
        self.rows, self._places = np.unique(row, return_index=True)
        names = original_names(ids)
        self.ids = [names[place] for place in self._places.tolist()]
        own = {names[place]: rows[place] for place in np.flatnonzero(direction == 0).tolist()}
        self._asked = dict(zip(own, self._index(list(own.values())).tolist(), strict=True))
        self._link(direction, first, row)
        self.lengths, self.sessions = self._column(lengths), self._column(sessions)
        self.times = self._column(times, np.float64)  # None becomes nan
        self.vectors = np.stack((self._column(user), self._column(assistant)), axis=1)

    def _link(self, direction: Column, first: Column, row: Column) -> None:
        """Links neighbours. Rows on one side of a memory are consecutive, the nearest first."""
        is_same_run = np.zeros(len(row), bool)
        is_same_run[1:] = (direction[1:] == direction[:-1]) & (first[1:] == first[:-1])
        beside, own = self._index(np.where(is_same_run, np.roll(row, 1), first)), self._index(row)
        self.before, self.after = (np.full(len(self.rows), -1) for _ in range(2))
        behind, ahead = direction > 0, direction < 0
        self.after[beside[behind]], self.before[own[behind]] = own[behind], beside[behind]
        self.before[beside[ahead]], self.after[own[ahead]] = own[ahead], beside[ahead]

    def _index(self, rows: Any) -> Column:  # noqa: ANN401  (a sequence of numbers)
        return np.searchsorted(self.rows, np.asarray(rows, np.int64))

    def _column(self, values: Sequence[Any], kind: type = np.int64) -> Column:
        return np.array(values, kind)[self._places]

    def asked(self, names: Sequence[str]) -> Column:
        known = self._asked
        return np.array([known[name] for name in names if name in known], np.int64)

    def with_neighbours(self, which: Column, count: int) -> Column:
        """Returns these indices, then those of the neighbours of the first `count`, each once."""
        beside = np.stack((self.before[which[:count]], self.after[which[:count]]), axis=1).ravel()
        return _unique(np.concatenate((which, beside[beside >= 0])))


def _unique(values: Column) -> Column:
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]


def passage_columns(reads: Reads, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
    """Returns the live ones of `found` and `others`, and their neighbours (contract.passages)."""
    read = _read(reads, list(dict.fromkeys([*found, *others])))
    if not read:
        return _NO_PASSAGES
    around = _Surroundings(read)
    hits = _unique(around.asked(found))
    both = _unique(np.concatenate((hits, around.asked(others))))
    weighed = around.with_neighbours(both, len(hits))
    which = around.with_neighbours(weighed, len(weighed))
    index = np.full(len(around.rows) + 1, -1)  # its last entry stands for no neighbour
    index[which] = np.arange(len(which))
    return PassageColumns(
        ids=[around.ids[one] for one in which.tolist()],
        row_numbers=around.rows[which],
        found_count=len(hits),
        weighed_count=len(weighed),
        lengths=around.lengths[which],
        said_at=around.times[which],
        sessions=around.sessions[which],
        before=index[around.before[which]],
        after=index[around.after[which]],
        vectors=around.vectors[which],
    )


def _read(reads: Reads, names: Sequence[str]) -> list[Any]:
    if not names:
        return []
    known = reads.known_rows()
    by_row = array_of(known[name] for name in names if name in known)
    by_id = text_array(stored_name(name) for name in names if name not in known)
    return reads.run(_PASSAGES.format(own=reads.own), by_row, by_id)


_NO_ROWS = np.empty(0, np.int64)
_NO_PASSAGES = PassageColumns(
    ids=[],
    row_numbers=_NO_ROWS,
    found_count=0,
    weighed_count=0,
    lengths=_NO_ROWS,
    said_at=np.empty(0, np.float64),
    sessions=_NO_ROWS,
    before=_NO_ROWS,
    after=_NO_ROWS,
    vectors=_NO_ROWS.reshape(0, 2),
)
