"""The full-text index of one namespace in PostgreSQL: exact BM25 over our own terms."""

from collections.abc import Collection, Sequence

import numpy as np

from ...text import bm25
from ..contract import (
    MAX_TERM_COUNT,
    NO_FILTER,
    Column,
    PassageColumns,
    SearchFilter,
    Side,
    StoredMemory,
)
from ..index.catalog.rows import decode_record, decode_stored_memory
from .filters import search_condition
from .names import array_of, original_name, stored_name, text_array
from .passages import passage_columns
from .postings import best_rows, scores
from .reads import Reads

_WIDER = 8  # multiple of the limit that a filtered search tries before it lists all allowed rows
_OWN = "FROM memories AS m WHERE m.namespace = %s AND m.state = 'live'"
# The keys are unique, so LIMIT 1 only makes the planner look up each row by its key. It believes
# that all namespaces have one size, and would otherwise read the whole of a large one.
_IDS = """SELECT m.row, m.id FROM unnest(%s::int[]) AS asked (row)
    CROSS JOIN LATERAL (SELECT m.row, m.id FROM memories AS m WHERE m.namespace = {own}
        AND m.row = asked.row AND m.state = 'live' AND {condition} LIMIT 1) AS m"""
_PREFIX = """SELECT term, sum(length(data))::bigint / 4 FROM postings
    WHERE namespace = %s AND term >= %s AND term < %s
    GROUP BY term ORDER BY term LIMIT %s"""
_LIVE = f"SELECT m.id, m.data, m.key, m.chat_key {_OWN} AND m.id = ANY(%s::text[])"
_DATA = f"SELECT m.data {_OWN} AND m.id = ANY(%s::text[])"
_TIMES = """SELECT m.id, t.begins, t.ends FROM mentioned_times AS t
    JOIN memories AS m ON m.namespace = t.namespace AND m.row = t.row
    WHERE t.namespace = %s AND m.id = ANY(%s::text[]) ORDER BY t.row, t.number"""
_LAST = "\U0010ffff"


class PostgresFullText:
    """A FullTextIndex of one namespace. Safe for many threads."""

    def __init__(self, reads: Reads) -> None:
        self._reads = reads

    def search(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        postings = self._reads.postings(list(dict.fromkeys(words)))
        if not any(len(found.rows) for found in postings.values()):
            return []
        scored = scores(self._reads.corpus(), postings)
        wider = limit if only == NO_FILTER else limit * _WIDER
        best = best_rows(scored, wider)
        found = self._ids(best, only)
        if len(found) < limit and len(best) == wider:
            found = self._ids(self._best_allowed(scored, limit, only), NO_FILTER)
        return found[:limit]

    def _ids(self, rows: Column, only: SearchFilter) -> list[str]:
        """Returns the ids of the live ones among these that pass the filter, in their order."""
        condition, values = search_condition(only)
        asked = rows.tolist()
        sql = _IDS.format(own=self._reads.own, condition=condition)
        known = dict(self._reads.run(sql, array_of(asked), *values))
        found = {original_name(known[row]): row for row in asked if row in known}
        self._reads.note_rows(found)
        return list(found)

    def _best_allowed(self, scored: Column, limit: int, only: SearchFilter) -> Column:
        condition, values = search_condition(only)
        sql = f"SELECT m.row {_OWN} AND {condition}"
        rows = [row for (row,) in self._reads.rows(sql, *values)]
        return _best_among(scored, np.array(rows, dtype=np.int64), limit)

    def best_among(self, words: Sequence[str], rows: Column, limit: int) -> Column:
        """Returns those of these rows with the highest scores above 0, the best first."""
        postings = self._reads.postings(list(dict.fromkeys(words)))
        return _best_among(scores(self._reads.corpus(), postings), rows, limit)

    def rows_with_each(self, groups: Sequence[Sequence[str]], side: Side | None) -> Column:
        """Returns the rows that hold a term of each group on this side; groups are not empty."""
        postings = self._reads.postings([word for group in groups for word in group])
        both: Column | None = None
        for group in groups:
            rows = np.unique(np.concatenate([postings[word].on_side(side) for word in group]))
            both = rows if both is None else np.intersect1d(both, rows, assume_unique=True)
        return np.empty(0, np.int64) if both is None else both

    def corpus(self, words: Collection[str]) -> bm25.Corpus:
        # The first words are the message's own, whose postings the search needs anyway.
        if self._reads.has_postings:
            frequencies = self._reads.frequencies(words)
        else:
            read = self._reads.postings(list(words))
            frequencies = {word: len(held.rows) for word, held in read.items()}
        return self._reads.corpus().with_frequencies(frequencies)

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        first = stored_name(letters)
        found = self._reads.rows(_PREFIX, first, first + _LAST, limit)
        return {original_name(term): count for term, count in found}

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        return passage_columns(self._reads, found, others)

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        table: Column = np.zeros((2, len(passages.ids), len(words)), dtype=np.uint8)
        rows = np.asarray(passages.row_numbers, dtype=np.int64)
        order = np.argsort(rows)
        for column, its in enumerate(map(self._reads.postings(words).get, words)):
            if its is None or not len(its.rows) or not len(rows):
                continue
            near = np.searchsorted(rows[order], its.rows)
            near[near == len(rows)] = 0
            held = np.flatnonzero(rows[order][near] == its.rows)
            which = order[near[held]]
            table[Side.USER, which, column] = its.user[held]
            table[Side.ASSISTANT, which, column] = its.assistant[held]
        return np.minimum(table, MAX_TERM_COUNT)

    def live_memories(self, ids: Sequence[str]) -> list[StoredMemory]:
        rows = self._reads.rows(_LIVE, text_array(map(stored_name, ids)))
        known = {
            original_name(name): decode_stored_memory(data, original_name(key), chat_key)
            for name, data, key, chat_key in rows
        }
        return [known[name] for name in dict.fromkeys(ids) if name in known]

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        rows = self._reads.rows(_DATA, text_array(map(stored_name, ids)))
        memories = (decode_record(data).memory for (data,) in rows)
        return {
            memory.id: (memory.exchange.user_name, memory.exchange.assistant_name)
            if memory.exchange
            else ("", "")
            for memory in memories
        }

    def mentioned_times(self, passages: PassageColumns) -> dict[str, list[tuple[float, float]]]:
        rows = self._reads.rows(_TIMES, text_array(map(stored_name, passages.ids)))
        found: dict[str, list[tuple[float, float]]] = {}
        for memory_id, begins, ends in rows:
            found.setdefault(original_name(memory_id), []).append((begins, ends))
        return found


def _best_among(scored: Column, rows: Column, limit: int) -> Column:
    allowed = np.zeros(len(scored), dtype=bool)
    allowed[rows[rows < len(scored)]] = True
    return best_rows(np.where(allowed, scored, 0.0), limit)
