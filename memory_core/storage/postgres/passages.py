"""Columns of the memories that recall scores, and their neighbours, by one query."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..contract import PassageColumns
from .names import original_name, stored_name
from .reads import Reads

_AROUND = 3  # neighbours of neighbours are returned, and these name their own neighbours
_COLUMNS = "m.row, m.id, m.length, m.ts, m.session, m.user_vector, m.assistant_vector"
_SAME_SESSION = """FROM memories AS m WHERE m.namespace = own.namespace AND m.state = 'live'
    AND m.session = own.session AND (m.position, m.row)"""
# For each memory that was asked for: itself and those behind it, then those before it, backwards.
_RUNS = f"""SELECT own.row, near.* FROM memories AS own CROSS JOIN LATERAL (
    (SELECT 0 AS way, {_COLUMNS} {_SAME_SESSION} >= (own.position, own.row)
        ORDER BY m.position, m.row LIMIT {_AROUND + 1})
    UNION ALL
    (SELECT 1 AS way, {_COLUMNS} {_SAME_SESSION} < (own.position, own.row)
        ORDER BY m.position DESC, m.row DESC LIMIT {_AROUND})) AS near
    WHERE own.namespace = %s AND own.state = 'live' AND own.id = ANY(%s::text[])"""  # noqa: S608


class _Passage(NamedTuple):
    row: int
    id: str
    length: int
    ts: float | None
    session: int
    user_vector: int
    assistant_vector: int


class _Surroundings:
    """Memories by their number, with the live ones before and after each."""

    def __init__(self) -> None:
        self.known: dict[int, _Passage] = {}
        self.rows: dict[str, int] = {}
        self.before: dict[int, int] = {}
        self.after: dict[int, int] = {}

    def add_run(self, passages: Sequence[_Passage]) -> None:
        """Adds memories that follow each other in one session."""
        for passage in passages:
            self.known[passage.row] = passage
            self.rows[original_name(passage.id)] = passage.row
        for first, second in pairwise(passages):
            self.before[second.row], self.after[first.row] = first.row, second.row

    def beside(self, row: int) -> list[int]:
        return [near[row] for near in (self.before, self.after) if row in near]


def passage_columns(reads: Reads, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
    """Returns the live ones of `found` and `others`, and their neighbours (contract.passages)."""
    asked = list(dict.fromkeys([*found, *others]))
    around = _surroundings(reads, asked) if asked else _Surroundings()
    known = around.rows
    hits = list(dict.fromkeys(known[name] for name in found if name in known))
    weighed = dict.fromkeys([*hits, *(known[name] for name in asked if name in known)])
    weighed |= dict.fromkeys(_neighbours(around, hits))
    rows = weighed | dict.fromkeys(_neighbours(around, weighed))
    return _columns(around, list(rows), found_count=len(hits), weighed_count=len(weighed))


def _surroundings(reads: Reads, ids: Sequence[str]) -> _Surroundings:
    runs: dict[int, tuple[list[_Passage], list[_Passage]]] = {}
    for row, way, *columns in reads.rows(_RUNS, [stored_name(name) for name in ids]):
        runs.setdefault(row, ([], []))[way].append(_Passage(*columns))
    around = _Surroundings()
    for behind, before in runs.values():
        around.add_run([*reversed(before), *behind])
    return around


def _neighbours(around: _Surroundings, rows: Iterable[int]) -> list[int]:
    return [near for row in rows for near in around.beside(row)]


def _columns(
    around: _Surroundings, rows: Sequence[int], *, found_count: int, weighed_count: int
) -> PassageColumns:
    passages = [around.known[row] for row in rows]
    index = {row: number for number, row in enumerate(rows)} | {0: -1}
    times = [math.nan if passage.ts is None else passage.ts for passage in passages]
    vectors = [(passage.user_vector, passage.assistant_vector) for passage in passages]
    return PassageColumns(
        ids=[original_name(passage.id) for passage in passages],
        row_numbers=np.array(rows, dtype=np.int64),
        found_count=found_count,
        weighed_count=weighed_count,
        lengths=np.array([passage.length for passage in passages], dtype=np.int64),
        said_at=np.array(times, dtype=np.float64),
        sessions=np.array([passage.session for passage in passages], dtype=np.int64),
        before=np.array([index.get(around.before.get(row, 0), -1) for row in rows], dtype=int),
        after=np.array([index.get(around.after.get(row, 0), -1) for row in rows], dtype=int),
        vectors=np.array(vectors, dtype=np.int64).reshape(-1, 2),
    )
