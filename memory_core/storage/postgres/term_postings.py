"""Postings and lengths as arrays, and BM25 over them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...text import bm25
from ..contract import Column, Side
from .postings import POSTING, first_rows


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
