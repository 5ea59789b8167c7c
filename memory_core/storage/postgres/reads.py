"""The reads of searches: inside consistent_read(), one snapshot, and each posting only once."""

import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

from .connection import Connection
from .database import Database
from .names import stored_name
from .term_postings import NO_POSTINGS, Corpus, TermPostings, total_lengths

_CORPUS = """SELECT n.live, n.length, l.block, l.data FROM namespaces AS n
    LEFT JOIN lengths AS l ON l.namespace = n.namespace WHERE n.namespace = %s"""
_POSTINGS = """SELECT term, array_agg(block), array_agg(length(data)), string_agg(data, ''::bytea)
    FROM postings WHERE namespace = %s AND term = ANY(%s::text[]) GROUP BY term"""
_PLAN_FOR_VALUES = "SET LOCAL plan_cache_mode = force_custom_plan"
_PLAN_ONCE = "SET LOCAL plan_cache_mode = force_generic_plan"


class _Snapshot:
    """One state of the namespace, with what was read of it so far."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.postings: dict[str, TermPostings] = {}
        self.corpus: Corpus | None = None


class Reads:
    """Queries of one namespace. Each thread has its own snapshot. Safe for many threads."""

    def __init__(self, database: Database, namespace: str) -> None:
        self._db = database
        self.namespace = namespace
        self._own = threading.local()

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

    def run_once(self, sql: str, *values: object) -> list[Any]:
        """Returns the rows of a query that is planned for these values, each time anew."""
        with self.consistent_read():
            connection = self._snapshot().connection
            connection.execute(_PLAN_FOR_VALUES)
            found = connection.execute(sql, values, prepare=False, binary=True).fetchall()
            connection.execute(_PLAN_ONCE)
            return list(found)

    def postings(self, words: Collection[str]) -> dict[str, TermPostings]:
        """Returns term → its postings, for all of these words; empty ones for unknown words."""
        known = {} if (current := self._current()) is None else current.postings
        missing = [word for word in dict.fromkeys(words) if word not in known]
        if missing:
            known.update(self._read_postings(missing))
        return {word: known[word] for word in words}

    def _read_postings(self, words: Collection[str]) -> dict[str, TermPostings]:
        names = {stored_name(word): word for word in words}
        found = {
            names[term]: TermPostings.of(blocks, sizes, data)
            for term, blocks, sizes, data in self.rows(_POSTINGS, list(names))
        }
        return {word: found.get(word, NO_POSTINGS) for word in words}

    def corpus(self) -> Corpus:
        """Returns the number and the lengths of all live memories."""
        current = self._current()
        if current is not None and current.corpus is not None:
            return current.corpus
        found = self.rows(_CORPUS)
        live, length = found[0][:2] if found else (0, 0)
        blocks = [(block, data) for _, _, block, data in found if block is not None]
        corpus = Corpus.of(live, length, total_lengths(blocks))
        if current is not None:
            current.corpus = corpus
        return corpus

    def _snapshot(self) -> _Snapshot:
        """Returns the snapshot of consistent_read(), which surrounds the call."""
        current = self._current()
        if current is None:
            raise RuntimeError("this is only read inside consistent_read()")
        return current

    def _current(self) -> _Snapshot | None:
        return getattr(self._own, "snapshot", None)
