"""Postings: the memories that hold a term and how often, in blocks of memory numbers; and BM25.

A posting has four bytes: the memory's number within its block (2), and its counts on the user's
and the assistant's side (1 each). Postings of a block are in no order. Lengths of a block are an
array of four bytes each.

Postings of full blocks may be merged into groups (posting_groups.py), whose numbers are negative.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...text import bm25
from ..contract import MAX_TERM_COUNT, Column, Side
from .connection import Connection
from .names import stored_name

BLOCK = 2048  # memories; a change of one of them rewrites at most 8 KB for each term
GROUP = 16  # blocks; offsets within a group fit into two bytes, too
POSTING = np.dtype([("offset", "<u2"), ("user", "u1"), ("assistant", "u1")])
LENGTH = np.dtype("<u4")

Sides = tuple[Sequence[str], Sequence[str]]
Place = tuple[str, int]  # term and block

_FIND = """SELECT p.term, p.block, p.data
    FROM unnest(%s::text[], %s::int[]) AS asked (term, block) JOIN postings AS p
    ON p.namespace = %s AND p.term = asked.term AND p.block = asked.block"""
_ADD = """INSERT INTO postings AS p (namespace, term, block, data)
    SELECT %s, a.term, a.block, a.data
    FROM unnest(%s::text[], %s::int[], %s::bytea[]) AS a (term, block, data)
    ON CONFLICT (namespace, term, block) DO UPDATE SET data = p.data || excluded.data"""
_REPLACE = """UPDATE postings AS p SET data = a.data
    FROM unnest(%s::text[], %s::int[], %s::bytea[]) AS a (term, block, data)
    WHERE p.namespace = %s AND p.term = a.term AND p.block = a.block"""
_DELETE_EMPTY = """DELETE FROM postings AS p USING unnest(%s::text[], %s::int[]) AS a (term, block)
    WHERE p.namespace = %s AND p.term = a.term AND p.block = a.block AND length(p.data) = 0"""
_LENGTHS = "SELECT block, data FROM lengths WHERE namespace = %s AND block = ANY(%s::int[])"
_SET_LENGTHS = """INSERT INTO lengths (namespace, block, data)
    SELECT %s, a.block, a.data FROM unnest(%s::int[], %s::bytea[]) AS a (block, data)
    ON CONFLICT (namespace, block) DO UPDATE
    SET data = excluded.data, version = excluded.version"""


def add_postings(
    connection: Connection, namespace: str, texts: Iterable[tuple[int, Sides]]
) -> None:
    """Adds the terms of memories that have no postings, as pairs of number and sides."""
    entries: dict[Place, bytearray] = {}
    for row, sides in texts:
        block, offset = divmod(row, BLOCK)
        start = offset.to_bytes(2, "little")
        for term, counts in _counts(sides).items():
            entries.setdefault((term, block), bytearray()).extend(start + counts)
    if entries:
        stored = {
            (stored_name(term), block): bytes(data) for (term, block), data in entries.items()
        }
        add_to_blocks(connection, namespace, stored)


def add_to_blocks(connection: Connection, namespace: str, data: Mapping[Place, bytes]) -> None:
    """Adds postings to these places, whose terms are stored names."""
    terms, blocks = [term for term, _ in data], [block for _, block in data]
    connection.execute(_ADD, (namespace, terms, blocks, list(data.values())))


def _counts(sides: Sides) -> dict[str, bytes]:
    """Returns term → the counts of both sides."""
    found: dict[str, list[int]] = {}
    for side in Side:
        for term in sides[side]:
            found.setdefault(term, [0, 0])[side] += 1
    return {
        term: bytes((min(user, MAX_TERM_COUNT), min(assistant, MAX_TERM_COUNT)))
        for term, (user, assistant) in found.items()
    }


def remove_postings(
    connection: Connection, namespace: str, texts: Iterable[tuple[int, Sides]]
) -> None:
    """Removes the postings of memories, given as pairs of number and the sides that were added."""
    offsets: dict[Place, list[int]] = {}
    for row, sides in texts:
        for term in dict.fromkeys([*sides[0], *sides[1]]):
            for block, offset in _places_of(row):
                offsets.setdefault((term, block), []).append(offset)
    if not offsets:
        return
    names = {(stored_name(term), block): (term, block) for term, block in offsets}
    found = connection.execute(_FIND, (*_columns(offsets), namespace), binary=True).fetchall()
    left = [_without(data, offsets[names[term, block]]) for term, block, data in found]
    terms, blocks = [term for term, _, _ in found], [block for _, block, _ in found]
    connection.execute(_REPLACE, (terms, blocks, left, namespace))
    connection.execute(_DELETE_EMPTY, (terms, blocks, namespace))


def first_rows(blocks: Column) -> Column:
    """Returns the number of the first memory of each block or group."""
    return np.where(blocks < 0, (-blocks - 1) * (GROUP * BLOCK), blocks * BLOCK)


def group_of(block: int) -> int:
    """Returns the number of the group into which this block may be merged."""
    return -(block // GROUP) - 1


def _places_of(row: int) -> Iterator[tuple[int, int]]:
    """Yields the block and the group in which a memory's postings may stand, with its offsets."""
    block, offset = divmod(row, BLOCK)
    yield block, offset
    yield group_of(block), row % (GROUP * BLOCK)


def _without(data: bytes, offsets: Sequence[int]) -> bytes:
    entries = np.frombuffer(data, POSTING)
    return entries[~np.isin(entries["offset"], offsets)].tobytes()


def _columns(places: Collection[Place]) -> tuple[list[str], list[int]]:
    return [stored_name(term) for term, _ in places], [block for _, block in places]


def set_lengths(connection: Connection, namespace: str, lengths: Mapping[int, int]) -> None:
    """Writes the lengths in terms of these memories, given as number → length."""
    if not lengths:
        return
    blocks = sorted({row // BLOCK for row in lengths})
    known = dict(connection.execute(_LENGTHS, (namespace, blocks), binary=True).fetchall())
    arrays = {block: _whole_block(known.get(block, b"")) for block in blocks}
    for row, length in lengths.items():
        block, offset = divmod(row, BLOCK)
        arrays[block][offset] = length
    data = [np.trim_zeros(arrays[block], "b").tobytes() for block in blocks]
    connection.execute(_SET_LENGTHS, (namespace, blocks, data))


def _whole_block(data: bytes) -> Column:
    found: Column = np.zeros(BLOCK, LENGTH)
    known = np.frombuffer(data, LENGTH)
    found[: len(known)] = known
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TermPostings:
    """The memories that hold a term, in no order: their numbers, and its counts on both sides."""

    rows: Column
    user: Column
    assistant: Column

    @classmethod
    def of(cls, blocks: Sequence[int], sizes: Sequence[int], data: bytes) -> "TermPostings":
        """Decodes the postings of one term: its blocks, the bytes of each, and all together."""
        entries = np.frombuffer(data, POSTING)
        starts = first_rows(np.array(blocks, dtype=np.int64))
        counts = np.array(sizes, dtype=np.int64) // POSTING.itemsize
        rows = np.repeat(starts, counts) + entries["offset"]
        return cls(rows=rows, user=entries["user"], assistant=entries["assistant"])

    def on_side(self, side: Side | None) -> Column:
        """Returns the numbers of the memories that hold the term on this side, or on any."""
        if side is None:
            return self.rows
        return self.rows[(self.user if side is Side.USER else self.assistant) > 0]


NO_POSTINGS = TermPostings.of([], [], b"")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corpus:
    """All live memories: their number, their total length, and BM25's length penalty of each by its
    number.
    """

    size: int
    length: int
    penalties: Column

    @classmethod
    def of(cls, size: int, length: int, lengths: Column) -> "Corpus":
        """Takes the length of each memory by its number."""
        relative = lengths / (length / size if length else 1.0)
        penalties = bm25.K1 * (1.0 - bm25.B + bm25.B * relative)
        return cls(size=size, length=length, penalties=penalties)

    def with_frequencies(self, frequencies: Mapping[str, int]) -> bm25.Corpus:
        """Returns BM25's statistics of terms, given as term → number of memories that hold it."""
        return bm25.Corpus(
            size=self.size,
            mean_length=self.length / self.size if self.size else 0.0,
            document_frequency=frequencies,
        )


def scores(corpus: Corpus, postings: Mapping[str, TermPostings]) -> Column:
    """Returns BM25's score of each memory by its number."""
    frequencies = {word: len(its.rows) for word, its in postings.items()}
    statistics = corpus.with_frequencies(frequencies)
    found = np.zeros(len(corpus.penalties))
    for word, its in postings.items():
        counts = its.user.astype(np.float64) + its.assistant
        found[its.rows] += statistics.weight(word) * (
            counts / (counts + corpus.penalties[its.rows])
        )
    return found


def best_rows(scored: Column, limit: int) -> Column:
    """Returns the numbers of the memories with the highest scores above 0, the best first."""
    rows = np.flatnonzero(scored)
    if limit <= 0 or not len(rows):
        return rows[:0]
    if len(rows) > limit:
        least = np.partition(scored[rows], len(rows) - limit)[len(rows) - limit]
        rows = rows[scored[rows] >= least]
    return rows[np.lexsort((rows, -scored[rows]))][:limit]
