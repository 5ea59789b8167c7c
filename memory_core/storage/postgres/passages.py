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
_SAME_SESSION = """SELECT m.row FROM memories AS m WHERE m.namespace = own.namespace
    AND m.state = 'live' AND m.session = own.session AND (m.position, m.row)"""
# For each memory that was asked for: itself and those behind it, then those before it, backwards.
_RUNS = f"""SELECT own.id, own.row,
    ARRAY({_SAME_SESSION} > (own.position, own.row) ORDER BY m.position, m.row LIMIT {_AROUND}),
    ARRAY({_SAME_SESSION} < (own.position, own.row)
        ORDER BY m.position DESC, m.row DESC LIMIT {_AROUND})
    FROM memories AS own
    WHERE own.namespace = %s AND own.state = 'live' AND own.id = ANY(%s::text[])"""  # noqa: S608
_PASSAGES = """SELECT row, id, length, ts, session, user_vector, assistant_vector FROM memories
    WHERE namespace = %s AND state = 'live' AND row = ANY(%s::int[])"""


class _Passage(NamedTuple):
    row: int
    id: str
    length: int
    ts: float | None
    session: int
    user_vector: int
    assistant_vector: int


class _Surroundings:
    """Numbers of memories, with those of the live ones before and after each."""

    def __init__(self) -> None:
        self.rows: dict[str, int] = {}
        self._before: dict[int, int] = {}
        self._after: dict[int, int] = {}

    def add_run(self, rows: Sequence[int]) -> None:
        """Adds memories that follow each other in one session."""
        for first, second in pairwise(rows):
            self._before[second], self._after[first] = first, second

    def before(self, row: int) -> int:
        """Returns the number of the memory before this one, 0 for none."""
        return self._before.get(row, 0)

    def after(self, row: int) -> int:
        """Returns the number of the memory after this one, 0 for none."""
        return self._after.get(row, 0)


def passage_columns(reads: Reads, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
    """Returns the live ones of `found` and `others`, and their neighbours (contract.passages)."""
    asked = list(dict.fromkeys([*found, *others]))
    around = _surroundings(reads, asked) if asked else _Surroundings()
    known = around.rows
    hits = list(dict.fromkeys(known[name] for name in found if name in known))
    weighed = dict.fromkeys([*hits, *(known[name] for name in asked if name in known)])
    weighed |= dict.fromkeys(_neighbours(around, hits))
    rows = weighed | dict.fromkeys(_neighbours(around, weighed))
    passages = {row: _Passage(row, *rest) for row, *rest in reads.rows(_PASSAGES, list(rows))}
    return _columns(
        around,
        [passages[row] for row in rows if row in passages],
        found_count=sum(row in passages for row in hits),
        weighed_count=sum(row in passages for row in weighed),
    )


def _surroundings(reads: Reads, ids: Sequence[str]) -> _Surroundings:
    around = _Surroundings()
    for memory_id, row, behind, before in reads.rows(_RUNS, [stored_name(name) for name in ids]):
        around.rows[original_name(memory_id)] = row
        around.add_run([*reversed(before), row, *behind])
    return around


def _neighbours(around: _Surroundings, rows: Iterable[int]) -> list[int]:
    both = ((around.before(row), around.after(row)) for row in rows)
    return [near for pair in both for near in pair if near]


def _columns(
    around: _Surroundings, passages: Sequence[_Passage], *, found_count: int, weighed_count: int
) -> PassageColumns:
    rows = [passage.row for passage in passages]
    index = {row: number for number, row in enumerate(rows)}
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
        before=np.array([index.get(around.before(row), -1) for row in rows], dtype=int),
        after=np.array([index.get(around.after(row), -1) for row in rows], dtype=int),
        vectors=np.array(vectors, dtype=np.int64).reshape(-1, 2),
    )
