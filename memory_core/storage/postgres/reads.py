"""Queries of a search. Inside consistent_read(), they share one snapshot and read nothing twice.

The lengths of the memories are cached between searches.
"""

import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..contract import Column
from .connection import Connection
from .database import Database
from .half_vectors import HalfVector
from .names import array_of, literal, stored_name, text_array
from .postings import BLOCK, LENGTH, NO_POSTINGS, Corpus, TermPostings

# Reads only the data of blocks that are not known yet.
_CORPUS = """SELECT n.live, n.length, l.block, l.version,
    CASE WHEN l.version = ANY(%s::bigint[]) THEN NULL ELSE l.data END FROM namespaces AS n
    LEFT JOIN lengths AS l ON l.namespace = n.namespace WHERE n.namespace = %s"""
_POSTINGS = """SELECT term, array_agg(block), array_agg(length(data)), string_agg(data, ''::bytea)
    FROM postings WHERE namespace = %s AND term = ANY(%s::text[]) GROUP BY term"""


_FREQUENCIES = """SELECT term, sum(length(data))::bigint / 4 FROM postings
    WHERE namespace = %s AND term = ANY(%s::text[]) GROUP BY term"""
Block = tuple[int, int, bytes | None]  # its number, its version, and its data unless known


class KnownLengths:
    """The blocks of lengths as they were read last. Immutable."""

    def __init__(self, blocks: Mapping[int, tuple[int, Column]]) -> None:
        """`blocks`: number → version and lengths."""
        self._blocks = blocks
        self._corpus = Corpus.of(0, 0, np.zeros(0))

    @property
    def versions(self) -> list[int]:
        return [version for version, _ in self._blocks.values()]

    def updated(self, rows: Iterable[Block]) -> "KnownLengths":
        """Returns the lengths of these blocks; those without data have a known version."""
        known = dict(self._blocks.values())
        blocks = {
            block: (version, known[version] if data is None else np.frombuffer(data, LENGTH))
            for block, version, data in rows
        }
        is_unchanged = blocks.keys() == self._blocks.keys() and all(
            version in known for version, _ in blocks.values()
        )
        return self if is_unchanged else KnownLengths(blocks)

    def corpus(self, live: int, length: int) -> Corpus:
        """Returns the corpus of `live` memories whose lengths add up to `length`."""
        corpus = self._corpus
        if (corpus.size, corpus.length) != (live, length):
            corpus = self._corpus = Corpus.of(live, length, self._by_row())
        return corpus

    def _by_row(self) -> Column:
        """Returns the length of each memory by its number; 0 for those that are not live."""
        found: Column = np.zeros((max(self._blocks, default=-1) + 1) * BLOCK, np.float64)
        for block, (_, lengths) in self._blocks.items():
            found[block * BLOCK : block * BLOCK + len(lengths)] = lengths
        return found


NO_LENGTHS = KnownLengths({})


class _Snapshot:
    """One state of the namespace, with the results read so far."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.postings: dict[str, TermPostings] = {}
        self.rows: dict[str, int] = {}
        self.cosines: dict[HalfVector, Mapping[int, float]] = {}
        self.corpus: Corpus | None = None


class Reads:
    """Queries of one namespace. Each thread has its own snapshot. Safe for many threads."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._db = database
        self.namespace = namespace
        self.own = literal(namespace)  # a plan for it alone skips all other partitions
        self._own = threading.local()
        self._lengths = NO_LENGTHS

    @contextmanager
    def consistent_read(self) -> Iterator[None]:
        """Gives all queries of this thread inside the block one snapshot."""
        if self._current() is not None:
            yield
            return
        with self._db.snapshot(self.namespace) as connection:
            self._own.snapshot = _Snapshot(connection)
            try:
                yield
            finally:
                self._own.snapshot = None

    def rows(self, sql: str, *values: object) -> list[Any]:
        """Returns the rows of a query whose first value is the namespace."""
        return self.run(sql, self.namespace, *values)

    def run(self, sql: str, *values: object) -> list[Any]:
        """Returns the rows of a query with these values."""
        current = self._current()
        if current is None:
            return self._db.rows(self.namespace, sql, *values)
        return list(current.connection.execute(sql, values, binary=True).fetchall())

    def postings(self, words: Collection[str]) -> dict[str, TermPostings]:
        """Returns term → its postings, for all of these words; empty ones for unknown words."""
        known = {} if (current := self._current()) is None else current.postings
        missing = [word for word in dict.fromkeys(words) if word not in known]
        if missing:
            known.update(self._read_postings(missing))
        return {word: known[word] for word in words}

    def frequencies(self, words: Collection[str]) -> dict[str, int]:
        """Returns term → the number of memories that hold it; reads no postings."""
        current = self._current()
        known = {} if current is None else current.postings
        found = {word: len(known[word].rows) for word in words if word in known}
        names = {stored_name(word): word for word in words if word not in found}
        counted = self.rows(_FREQUENCIES, text_array(names)) if names else []
        return {**dict.fromkeys(words, 0), **found, **{names[name]: n for name, n in counted}}

    @property
    def has_postings(self) -> bool:
        """Returns whether this snapshot has read any postings yet."""
        current = self._current()
        return current is not None and bool(current.postings)

    def _read_postings(self, words: Collection[str]) -> dict[str, TermPostings]:
        names = {stored_name(word): word for word in words}
        found = {
            names[term]: TermPostings.of(blocks, sizes, data)
            for term, blocks, sizes, data in self.rows(_POSTINGS, text_array(names))
        }
        return {word: found.get(word, NO_POSTINGS) for word in words}

    def note_rows(self, rows: Mapping[str, int]) -> None:
        """Keeps the numbers of live memories, by their ids, for the rest of this snapshot."""
        if (current := self._current()) is not None:
            current.rows |= rows

    def known_rows(self) -> Mapping[str, int]:
        """Returns id → number of the live memories that this snapshot has found so far."""
        current = self._current()
        return {} if current is None else current.rows

    def note_cosines(self, query: HalfVector, cosines: Mapping[int, float]) -> None:
        """Keeps the cosines of stored vectors with a query for the rest of this snapshot."""
        if (current := self._current()) is not None:
            current.cosines[query] = cosines

    def known_cosines(self, query: HalfVector) -> Mapping[int, float]:
        current = self._current()
        return {} if current is None else current.cosines.get(query, {})

    def corpus(self) -> Corpus:
        """Returns the number and the lengths of all live memories."""
        current = self._current()
        if current is not None and current.corpus is not None:
            return current.corpus
        corpus = self._read_corpus()
        if current is not None:
            current.corpus = corpus
        return corpus

    def _read_corpus(self) -> Corpus:
        known = self._lengths
        found = self.run(_CORPUS, array_of(known.versions), self.namespace)
        live, length = found[0][:2] if found else (0, 0)
        self._lengths = lengths = known.updated(row[2:] for row in found if row[2] is not None)
        return lengths.corpus(live, length)

    def _current(self) -> _Snapshot | None:
        return getattr(self._own, "snapshot", None)
