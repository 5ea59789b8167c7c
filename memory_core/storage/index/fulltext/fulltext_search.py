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
from .postings import DTYPES, Array, Columns, encoded, intersect_sorted
from .word_index import WordGroups, WordIndex, WordSnapshot, rows_with_each

_WIDER, _ROUNDS = 8, 3  # factor and number of widenings before all allowed rows are listed
_MAX_ROWS = 1_000  # ids with a cached row, in each of two generations; more would be slower
_MAX_FREQUENCIES = 20_000  # words with a cached document frequency
_COPIED_COLUMNS = ("lengths", "said", "ids", "user_vectors", "assistant_vectors")
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


class NeighbourRows:
    """Collects rows and their neighbours in the session from one snapshot of the words.

    `rows` are live and unique, in the order in which they were added. Beside each are its session,
    and the rows before and after it, 0 for none.
    """

    def __init__(self, snapshot: WordSnapshot) -> None:
        self._stale_neighbours = snapshot.stale_neighbours
        self._sources = snapshot.sources
        numbers = (source.postings.columns.numbers for source in self._sources)
        max_row = max((int(own[-1]) for own in numbers if len(own)), default=0)
        self._ranks = np.zeros(max_row + 1, dtype=np.int32)  # of all rows, 0 for those not added
        self.rows = np.empty(0, dtype=np.int64)
        self._source, self._at = self.rows, self.rows
        self._beside = np.empty((0, 3), dtype=np.int64)

    def add_rows(self, rows: Array) -> None:
        """Adds those of these rows that are live."""
        new = self._unknown(rows)
        source, positions = np.full(len(new), -1), np.zeros(len(new), dtype=np.int64)
        beside = np.zeros((len(new), 3), dtype=np.int64)
        for number, part in enumerate(self._sources):
            which, found = part.positions(new)
            if len(which):
                columns = part.postings.columns
                part.postings.read_ahead.request_columns(found)
                source[which], positions[which] = number, found
                for place, own in enumerate((columns.sittings, columns.before, columns.after)):
                    beside[which, place] = own[found]
        if source.min(initial=0) < 0:
            lives = source >= 0
            new, source, positions, beside = (
                column[lives] for column in (new, source, positions, beside)
            )
        if len(self._stale_neighbours):
            which, found = intersect_sorted(self._stale_neighbours[:, 0], new)
            beside[which] = self._stale_neighbours[found, 1:]
        around = beside[:, 1:]
        around[around >= len(self._ranks)] = 0  # their words are lost
        self._ranks[new] = np.arange(len(self.rows) + 1, len(self.rows) + len(new) + 1)
        self.rows = np.concatenate((self.rows, new))
        self._source = np.concatenate((self._source, source))
        self._at = np.concatenate((self._at, positions))
        self._beside = np.concatenate((self._beside, beside))

    def count_among(self, rows: Sequence[int]) -> int:
        """Returns how many of these rows were added. They must have been added first."""
        known = np.array(rows, dtype=np.int64)
        return int(self._ranks[known[known < len(self._ranks)]].max(initial=0))

    def _unknown(self, rows: Array) -> Array:
        """Returns the rows that were not added yet, each once, in this order."""
        rows = rows[rows < len(self._ranks)]
        rows = rows[self._ranks[rows] == 0]
        order = np.arange(1, len(rows) + 1, dtype=np.int32)
        self._ranks[rows[::-1]] = order[::-1]  # of equal rows, the first is the last to be set
        first = self._ranks[rows] == order
        self._ranks[rows] = 0
        return np.asarray(rows[first])

    def add_neighbours(self, count: int) -> None:
        """Adds the neighbours of the first `count` rows."""
        around = self._beside[:count, 1:].ravel()
        self.add_rows(around[around != 0])

    def columns(self) -> Columns:
        """Returns all columns, with neighbours as indices into them; -1 for those not added."""
        before, after = self._ranks[self._beside[:, 1:].T].astype(np.int64) - 1
        return Columns(
            numbers=self.rows.astype("<u4"),
            sittings=self._beside[:, 0],
            before=before,
            after=after,
            **self._copied_columns(),
        )

    def _copied_columns(self) -> dict[str, Array]:
        """Returns the columns that are the same as in the postings."""
        columns = [part.postings.columns for part in self._sources]
        if len(columns) == 1:
            return {name: getattr(columns[0], name)[self._at] for name in _COPIED_COLUMNS}
        found = {name: np.zeros(len(self.rows), dtype=DTYPES[name]) for name in _COPIED_COLUMNS}
        for number, own in enumerate(columns):
            which = (self._source == number).nonzero()[0]
            if len(which):
                positions = self._at[which]
                for name in _COPIED_COLUMNS:
                    found[name][which] = getattr(own, name)[positions]
        return found
