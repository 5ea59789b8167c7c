"""Word search over all postings, and the columns by which recall scores its results.

Words are compared as terms() returns them. Memories are identified by their catalog row.
"""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, ContextDecorator, closing
from heapq import merge
from itertools import groupby, islice

import numpy as np

from ....domain.errors import StorageCorrupt
from ....domain.records import MemoryKind
from ....text import bm25
from ...contract import NO_FILTER, Column, PassageColumns, SearchFilter, Side, StoredMemory
from ...log.projection import MemoryStatus
from ..catalog.database import LIST, Database, as_json_list
from ..catalog.rows import decode_stored_memory, sql_condition
from .maxscore import best_texts
from .neighbours import NeighbourRows
from .postings import DTYPES, Array, encoded
from .word_index import WordGroups, WordIndex, rows_with_each

_WIDER, _ROUNDS = 8, 3  # factor and number of widenings before all allowed rows are listed
_MAX_ROWS = 1_000  # ids with a cached row, in each of two generations; more would be slower
_MAX_FREQUENCIES = 20_000  # words with a cached document frequency
_MENTIONED_TIMES = f"SELECT row, start, end FROM mentioned_times WHERE row IN {LIST} ORDER BY rowid"  # noqa: S608
_FETCHED = f"SELECT data, key, chat_key FROM entries WHERE row IN {LIST} AND +state = ?"  # noqa: S608
_NAMES = f"SELECT id, user_name, assistant_name FROM entries WHERE id IN {LIST}"  # noqa: S608


class _DamageReport(AbstractContextManager["_DamageReport"], ContextDecorator):
    """Raises StorageCorrupt for errors that a flipped bit in a mapped file may cause.

    A class, because it is entered many times per search and a generator takes three times as long.
    """

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: object
    ) -> None:
        if isinstance(exc, (IndexError, UnicodeDecodeError)):
            raise StorageCorrupt(f"the posting files are damaged: {exc}") from exc


_reports_damage = _DamageReport()


class FullTextSearch:
    """Searches the tables that writes.py fills. Safe for many threads.

    All methods raise StorageCorrupt where a file turns out to be damaged.
    """

    def __init__(self, database: Database, index: WordIndex) -> None:
        self._db = database
        self._index = index
        # Rows of the ids returned last, which never change, for passages() and live_memories().
        self._rows: dict[str, int] = {}
        self._older_rows: dict[str, int] = {}

    @_reports_damage
    def search(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        wanted = list(dict.fromkeys(words))
        if not wanted:
            return []
        corpus = self.corpus(wanted)
        weights = corpus.weights(word for word in wanted if corpus.document_frequency[word])
        snapshot, mean = self._index.snapshot(), corpus.mean_length or 1.0
        if only == NO_FILTER:
            return self._ids_of_live(*best_texts(snapshot.sources, weights, mean, limit))
        for wider in (limit * _WIDER**step for step in range(_ROUNDS)):
            rows, ids = best_texts(snapshot.sources, weights, mean, wider)
            kept = np.flatnonzero(self._allowed_among(rows, only))[:limit]
            if len(kept) == limit or len(rows) < wider:
                return self._ids_of_live(rows[kept], ids[kept])
        return self._ids_of_live(
            *best_texts(snapshot.sources, weights, mean, limit, self._all_allowed(only))
        )

    def _allowed_among(self, rows: Array, only: SearchFilter) -> Array:
        """Returns a boolean array: which of these rows the filter allows."""
        condition, values = sql_condition(only)
        sql = f"SELECT row FROM entries WHERE row IN {LIST} AND {condition}"  # noqa: S608
        found = self._db.rows(sql, as_json_list(rows.tolist()), *values)
        return np.isin(rows, np.array([row for (row,) in found], dtype=rows.dtype))

    def _all_allowed(self, only: SearchFilter) -> Array:
        """Returns all rows that the filter allows, ascending."""
        condition, values = sql_condition(only)
        where, ends = _rows_by_index(only)
        sql = f"SELECT row FROM entries WHERE {where} AND {condition}"  # noqa: S608
        with self._db.read_connection() as db, closing(db.execute(sql, (*ends, *values))) as found:
            return np.sort(np.fromiter((row for (row,) in found), dtype="<u4"))

    @_reports_damage
    def corpus(self, words: Collection[str]) -> bm25.Corpus:
        snapshot = self._index.snapshot()
        known, size, length = snapshot.frequencies, snapshot.live, snapshot.length
        found = {word: held for word in words if (held := known.get(word)) is not None}
        if asked := [word for word in words if word not in found]:
            found |= dict.fromkeys(asked, 0)
            for source in snapshot.sources:
                for word, term in source.terms(asked).items():
                    if term >= 0:
                        found[word] += source.document_frequency(term)
            found = {word: min(found[word], size) for word in words}
            if len(known) > _MAX_FREQUENCIES:
                known.clear()
            known.update(found)
        return bm25.Corpus(
            size=size, mean_length=length / size if size else 0.0, document_frequency=found
        )

    @_reports_damage
    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        found = merge(
            *(
                source.terms_with_prefix(encoded(letters))
                for source in self._index.snapshot().sources
            )
        )
        each = (
            (word, sum(held for _, held in its))
            for word, its in groupby(found, lambda pair: pair[0])
        )
        return {word.decode("utf-8", "surrogatepass"): held for word, held in islice(each, limit)}

    @_reports_damage
    def rows_with_each(self, groups: WordGroups, side: Side | None) -> Array:
        """Returns the rows of live memories that hold a word of each group on this side."""
        sources = self._index.snapshot().sources
        found = [rows_with_each(source, groups, side) for source in sources]
        return np.concatenate(found) if found else np.empty(0, dtype="<u4")

    @_reports_damage
    def best_among(self, words: Collection[str], rows: Array, limit: int) -> Array:
        """Returns the ascending `rows` that hold any of the words, in BM25's order."""
        corpus = self.corpus(list(dict.fromkeys(words)))
        weights = corpus.weights(word for word, held in corpus.document_frequency.items() if held)
        mean = corpus.mean_length or 1.0
        return best_texts(self._index.snapshot().sources, weights, mean, limit, rows)[0]

    @_reports_damage
    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        neighbours, rows = NeighbourRows(self._index.snapshot()), self._rows_of([*found, *others])
        first = [row for memory_id in found if (row := rows.get(memory_id))]
        rest = [row for memory_id in others if (row := rows.get(memory_id))]
        neighbours.add_rows(np.array([*first, *rest], dtype=np.int64))
        hits = neighbours.count_among(first)
        neighbours.add_neighbours(hits)
        weighed = len(neighbours.rows)
        neighbours.add_neighbours(weighed)
        columns = neighbours.columns()
        return PassageColumns(
            ids=self._ids_of_live(columns.numbers, columns.ids),
            row_numbers=columns.numbers,
            found_count=hits,
            weighed_count=weighed,
            lengths=columns.lengths.astype(np.int64),
            said_at=columns.said,
            sessions=columns.sittings,
            before=columns.before,
            after=columns.after,
            vectors=np.stack((columns.user_vectors, columns.assistant_vectors), axis=1),
        )

    @_reports_damage
    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        table = np.zeros((2, len(passages.ids), len(words)), dtype=np.uint8)
        for source in self._index.snapshot().sources:
            which, positions = source.positions(passages.row_numbers)
            if len(which):
                terms = source.terms(words)
                numbers = [terms[word] for word in words]
                rows, columns, user, assistant = source.counts(numbers, positions)
                table[0, which[rows], columns] = user
                table[1, which[rows], columns] = assistant
        return table

    def live_memories(self, ids: Sequence[str]) -> list[StoredMemory]:
        """Looks up by row, which takes half as long as by id."""
        numbers = as_json_list([*self._rows_of(ids).values()])
        found = self._db.rows(_FETCHED, numbers, MemoryStatus.LIVE.value)
        known = {(stored := decode_stored_memory(*row)).memory.id: stored for row in found}
        return [known[name] for name in dict.fromkeys(ids) if name in known]

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        found = self._db.rows(_NAMES, as_json_list(list(ids)))
        return {memory_id: (user, assistant) for memory_id, user, assistant in found}

    def mentioned_times(self, passages: PassageColumns) -> dict[str, list[tuple[float, float]]]:
        """Looks up by row, because the ids of all neighbours take several times as long."""
        rows = passages.row_numbers.tolist()
        ids = dict(zip(rows, passages.ids, strict=True))
        found: dict[str, list[tuple[float, float]]] = {}
        for row, start, end in self._db.rows(_MENTIONED_TIMES, as_json_list(rows)):
            found.setdefault(ids[row], []).append((start, end))
        return found

    def find_damage(self) -> list[str]:
        """Returns problems of the files, and of totals that do not match the live memories."""
        totals = self._db.rows("SELECT live, length FROM totals")
        counted = self._db.rows(
            "SELECT count(*), coalesce(sum(length), 0) FROM entries WHERE state = 'live'"
        )
        wrong = (
            [f"its totals are {totals[0]}, they should be {counted[0]}"]
            if totals != counted
            else []
        )
        return [*self._index.find_damage(), *wrong]

    def close(self) -> None:
        self._index.close()

    def _ids(self, rows: Array, short: Array) -> list[str]:
        """Returns the ids of these rows; `short` holds all but the long ones."""
        names: list[bytes] = short.tolist()
        try:
            found = list(map(bytes.decode, names))
        except UnicodeDecodeError:  # an id may hold a lone surrogate
            found = [name.decode("utf-8", "surrogatepass") for name in names]
        if "" in found:
            long = as_json_list(
                [row for row, memory_id in zip(rows.tolist(), found, strict=True) if not memory_id]
            )
            known = dict(self._db.rows(f"SELECT row, id FROM entries WHERE row IN {LIST}", long))  # noqa: S608
            found = [
                memory_id or known[row] for row, memory_id in zip(rows.tolist(), found, strict=True)
            ]
        return found

    @_reports_damage
    def ids_by_vector(
        self, vector_ids: Sequence[int], limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Returns the ids of the first live memories that want one of these vectors and that the
        filter allows, in the order of the vectors.
        """
        sought, rows = np.array(vector_ids, dtype=np.int64), np.zeros(len(vector_ids), "<u4")
        short = np.zeros(len(vector_ids), DTYPES["ids"])
        for source in self._index.snapshot().sources:
            which, positions = source.positions_with_vectors(sought)
            source.postings.read_ahead.request_columns(positions)
            columns = source.postings.columns
            rows[which], short[which] = columns.numbers[positions], columns.ids[positions]
        if only != NO_FILTER:
            rows[~self._allowed_among(rows, only)] = 0
        first: dict[int, int] = {}
        for index, row in enumerate(rows.tolist()):
            if row:
                first.setdefault(row, index)
        best = list(first.values())[:limit]
        return self._ids_of_live(rows[best], short[best])

    def _ids_of_live(self, rows: Array, short: Array) -> list[str]:
        found = self._ids(rows, short)
        if len(self._rows) > _MAX_ROWS:
            self._older_rows, self._rows = self._rows, {}
        self._rows.update(zip(found, rows.tolist(), strict=True))
        return found

    def _rows_of(self, ids: Sequence[str]) -> dict[str, int]:
        known, older = self._rows, self._older_rows
        found = {
            memory_id: row
            for memory_id in ids
            if (row := known.get(memory_id) or older.get(memory_id))
        }
        asked = [memory_id for memory_id in ids if memory_id not in found]
        sql = f"SELECT id, row FROM entries WHERE id IN {LIST}"  # noqa: S608
        return found | dict(self._db.rows(sql, as_json_list(asked))) if asked else found


def _rows_by_index(only: SearchFilter) -> tuple[str, tuple[object, ...]]:
    """Returns a condition on live rows that uses an index where one helps, and its values."""
    if only.conversation:
        inside = "row IN (SELECT row FROM positions WHERE conversation = ?)"
        return f"{inside} AND +state = 'live'", (only.conversation,)
    if only.kinds and MemoryKind.EXCHANGE not in only.kinds:
        return "kind != 'exchange' AND +state = 'live'", ()
    if only.since is not None:
        return "state = 'live' AND ts >= ?", (only.since,)
    return "state = 'live'", ()
