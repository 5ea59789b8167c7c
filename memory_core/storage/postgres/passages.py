"""Columns of the memories that recall scores, and their neighbours, by one query."""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..contract import PassageColumns
from .names import original_name, stored_name
from .reads import Reads

_SHOWN = 2  # neighbours of neighbours are returned,
_AROUND = 3  # and these name their own neighbours
# Names the namespace, not own.namespace: partitions are then left out once, not for each row.
_SAME_SESSION = """SELECT m.row FROM memories AS m WHERE m.namespace = %s
    AND m.state = 'live' AND m.session = own.session AND (m.position, m.row)"""
# The columns of each memory that was asked for and of those around it. The former have arrays of
# those behind them and of those before them, backwards; the latter have nulls.
_PASSAGES = f"""WITH runs AS MATERIALIZED (SELECT own.row,
        ARRAY({_SAME_SESSION} > (own.position, own.row)
            ORDER BY m.position, m.row LIMIT {_AROUND}) AS behind,
        ARRAY({_SAME_SESSION} < (own.position, own.row)
            ORDER BY m.position DESC, m.row DESC LIMIT {_AROUND}) AS before
        FROM memories AS own
        WHERE own.namespace = %s AND own.state = 'live' AND own.id = ANY(%s::text[]))
    SELECT p.row, p.id, p.length, p.ts, p.session, p.user_vector, p.assistant_vector,
        runs.behind, runs.before
    FROM memories AS p LEFT JOIN runs ON runs.row = p.row
    WHERE p.namespace = %s AND p.state = 'live' AND p.row = ANY(ARRAY(
        SELECT unnest(runs.row || runs.behind[1:{_SHOWN}] || runs.before[1:{_SHOWN}]) FROM runs))"""  # noqa: S608


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
        self.before: dict[int, int] = {}  # the number of a memory → of the one before it
        self.after: dict[int, int] = {}

    def add_run(self, rows: Sequence[int]) -> None:
        """Adds memories that follow each other in one session."""
        for first, second in pairwise(rows):
            self.before[second], self.after[first] = first, second


def passage_columns(reads: Reads, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
    """Returns the live ones of `found` and `others`, and their neighbours (contract.passages)."""
    asked = list(dict.fromkeys([*found, *others]))
    around, passages = _read(reads, asked) if asked else (_Surroundings(), {})
    known = around.rows
    hits = list(dict.fromkeys(known[name] for name in found if name in known))
    weighed = dict.fromkeys([*hits, *(known[name] for name in asked if name in known)])
    weighed |= dict.fromkeys(_neighbours(around, hits))
    rows = weighed | dict.fromkeys(_neighbours(around, weighed))
    return _columns(
        around,
        [passages[row] for row in rows if row in passages],
        found_count=sum(row in passages for row in hits),
        weighed_count=sum(row in passages for row in weighed),
    )


def _read(reads: Reads, ids: Sequence[str]) -> tuple[_Surroundings, dict[int, _Passage]]:
    """Returns the surroundings of these memories, and the passages there by their numbers."""
    around, passages = _Surroundings(), dict[int, _Passage]()
    names = [stored_name(name) for name in ids]
    own = reads.namespace
    for *columns, behind, before in reads.run(_PASSAGES, own, own, own, names, own):
        passage = _Passage(*columns)
        passages[passage.row] = passage
        if behind is not None:
            around.rows[original_name(passage.id)] = passage.row
            around.add_run([*reversed(before), passage.row, *behind])
    return around, passages


def _neighbours(around: _Surroundings, rows: Iterable[int]) -> list[int]:
    before, after = around.before.get, around.after.get
    return [near for row in rows for near in (before(row), after(row)) if near]


def _columns(
    around: _Surroundings, passages: Sequence[_Passage], *, found_count: int, weighed_count: int
) -> PassageColumns:
    rows = [passage.row for passage in passages]
    index = {row: number for number, row in enumerate(rows)}
    before, after = (
        [index.get(near.get(row, 0), -1) for row in rows] for near in (around.before, around.after)
    )
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
        before=np.array(before, dtype=int),
        after=np.array(after, dtype=int),
        vectors=np.array(vectors, dtype=np.int64).reshape(-1, 2),
    )
