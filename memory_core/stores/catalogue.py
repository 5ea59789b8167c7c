"""The entries of one namespace in SQLite, with an FTS5 index of their terms.

Words are compared as terms() gives them; FTS5's own tokenizer only splits
at the blanks between them.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

from .. import bm25
from ..records import Memory
from ..terms import terms
from ..transcript.entries import Entry, State, fold
from ..transcript.lines import Line
from ..transcript.reconcile import Known
from .base import Hit, Page, Unembedded
from .database import LIST, Database, listed
from .rows import entry_of, row_of

_LIVE = State.LIVE.value
_INDEXED_CHARS = 50_000  # of a text pasted in whole the rest is kept, but not searched for


class Catalogue:
    """What a store says of its entries, in SQL. Safe for many threads."""

    def __init__(self, path: Path) -> None:
        self._db = Database(path)

    def _entries(self, where: str, *values: object) -> list[Entry]:
        return [entry_of(data) for (data,) in self._db.rows(f"SELECT data FROM {where}", *values)]  # noqa: S608

    def positions(self) -> dict[str, int]:
        return dict(self._db.rows("SELECT log, position FROM logs"))

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        with self._db.writing() as db:
            for line in lines:
                before = _load(db, line.id)
                after = fold(before, line)
                if after is not None:
                    _save(db, after, fresh=before is None)
            db.executemany("REPLACE INTO logs VALUES (?, ?)", list(positions.items()))

    def clear(self) -> None:
        self._db.begin_anew()

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        found = self._entries(f"entries WHERE id IN {LIST}", listed(ids))
        return {entry.memory.id: entry for entry in found}

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(
            self._db.rows(
                f"SELECT id, seq FROM entries WHERE id IN {LIST} AND +state = ?",  # noqa: S608
                listed(ids),
                _LIVE,
            )
        )

    def known(self, conversation: str) -> list[Known]:
        found = self._db.rows(
            "SELECT id, chat_key, place, user_key, assistant_key, state FROM entries "
            "WHERE conversation = ? AND kind = 'exchange' AND state != ? ORDER BY place, row",
            conversation,
            State.REMOVED,
        )
        return [
            Known(
                id=row[0],
                key=row[1],
                place=row[2],
                user_key=row[3],
                assistant_key=row[4],
                forgotten=row[5] == State.FORGOTTEN,
            )
            for row in found
        ]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        found = self._entries(
            "entries WHERE conversation = ? AND kind = 'exchange' AND state = ? "
            "ORDER BY place DESC, row DESC LIMIT ?",
            conversation,
            _LIVE,
            limit,
        )
        return [entry.memory for entry in reversed(found)]

    def find_key(self, key: str) -> str | None:
        found = self._db.rows(
            "SELECT conversation FROM entries WHERE key = ? AND state = ? "
            "ORDER BY row DESC LIMIT 1",
            key,
            _LIVE,
        )
        return found[0][0] if found else None

    def copies(self, keys: Collection[str]) -> list[str]:
        found = self._db.rows(
            f"SELECT id FROM entries WHERE key IN {LIST} AND +state = ? ORDER BY row",  # noqa: S608
            listed(list(keys)),
            _LIVE,
        )
        return [memory_id for (memory_id,) in found]

    def latest(self, page: Page) -> list[Memory]:
        before = "" if page.before is None else "AND ts < ? "
        order = f"{before}ORDER BY ts DESC, row DESC LIMIT ? OFFSET ?"
        ends = [it for it in (page.before,) if it is not None] + [page.limit, page.offset]
        if not page.words:
            found = self._entries(f"entries WHERE state = ? {order}", _LIVE, *ends)
        else:
            match = " AND ".join(_quoted(page.words))
            inside = "row IN (SELECT rowid FROM words WHERE words MATCH ?)"
            found = self._entries(f"entries WHERE {inside} {order}", match, *ends)
        return [entry.memory for entry in found]

    def standing(self) -> list[Memory]:
        found = self._entries("entries WHERE stands = 1 AND state = ? ORDER BY row", _LIVE)
        return [entry.memory for entry in found]

    def forgotten(self) -> list[Entry]:
        found = self._entries("entries WHERE state = ? ORDER BY row", State.FORGOTTEN)
        return [entry for entry in found if entry.has_words]

    def erase(self, ids: Sequence[str], emptied: Mapping[str, Entry]) -> None:
        self._db.scrub()  # first: once the entries are empty, nobody would come back for the rest
        with self._db.writing() as db:
            for memory_id in ids:
                _save(db, emptied[memory_id], fresh=False)
        self._db.checkpoint()

    def search_words(
        self, words: Sequence[str], *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        """FTS5 finds and cuts to `limit`; the scores are ours."""
        wanted = list(dict.fromkeys(words))
        if not wanted:
            return []
        found = self._db.rows(
            "SELECT id, terms, entries.row FROM entries JOIN words ON words.rowid = entries.row "
            "WHERE entries.row IN (SELECT rowid FROM words WHERE words MATCH ? "
            "AND rowid NOT IN (SELECT row FROM entries WHERE born > ?) "
            "ORDER BY bm25(words), rowid LIMIT ?)",
            " OR ".join(_quoted(wanted)),
            until_seq if until_seq is not None else 1 << 62,
            limit,
        )
        corpus = self._corpus()
        weights = self._weights(wanted, corpus)
        scored = [
            (-bm25.score(text.split(), weights, corpus), row, memory_id)
            for memory_id, text, row in found
        ]
        return [Hit(id=memory_id, score=-score) for score, _, memory_id in sorted(scored)]

    def _corpus(self) -> bm25.Corpus:
        size, mean = self._db.rows(
            "SELECT count(*), avg(length) FROM entries WHERE state = ?", _LIVE
        )[0]
        return bm25.Corpus(size=size, mean_length=mean or 0.0)

    def _weights(self, words: Sequence[str], corpus: bm25.Corpus) -> dict[str, float]:
        held = dict(
            self._db.rows(
                f"SELECT term, doc FROM vocabulary WHERE term IN {LIST}",  # noqa: S608
                listed(words),
            )
        )
        return {word: bm25.idf(corpus, held.get(word, 0)) for word in words}

    def times(self, ids: Sequence[str]) -> dict[str, float]:
        sql = f"SELECT id, ts FROM entries WHERE id IN {LIST} AND ts IS NOT NULL"  # noqa: S608
        return dict(self._db.rows(sql, listed(ids)))

    def said_within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> dict[str, float]:
        found = self._db.rows(
            "SELECT id, ts FROM entries WHERE state = ? AND ts >= ? AND ts < ? AND +born <= ? "
            "ORDER BY ts DESC LIMIT ?",
            _LIVE,
            since,
            until,
            until_seq if until_seq is not None else 1 << 62,
            limit,
        )
        return dict(found)

    def vector_ids(self) -> set[int]:
        return {
            it for (it,) in self._db.rows("SELECT vector_id FROM entries WHERE state = ?", _LIVE)
        }

    def vector_ids_of(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(
            self._db.rows(
                f"SELECT id, vector_id FROM entries WHERE id IN {LIST}",  # noqa: S608
                listed(ids),
            )
        )

    def by_vectors(self, vector_ids: Sequence[int], until_seq: int | None) -> dict[int, str]:
        """vector_id → id of the live memories among these."""
        return dict(
            self._db.rows(
                f"SELECT vector_id, id FROM entries WHERE vector_id IN {LIST} "  # noqa: S608
                "AND +state = ? AND +born <= ?",
                listed(vector_ids),
                _LIVE,
                until_seq if until_seq is not None else 1 << 62,
            )
        )

    def born_after(self, seq: int) -> int:
        return int(self._db.rows("SELECT count(*) FROM entries WHERE born > ?", seq)[0][0])

    def texts(self, lacking: Callable[[int], bool], limit: int) -> list[Unembedded]:
        """Live memories whose vector is lacking, newest first: those are asked for soonest."""
        with self._db.using() as db:
            rows = db.execute(
                "SELECT vector_id, row FROM entries WHERE state = ? ORDER BY row DESC", (_LIVE,)
            )
            wanted = list(islice((row for it, row in rows if lacking(it)), limit))
        found = self._db.rows(
            f"SELECT vector_id, data FROM entries WHERE row IN {LIST} ORDER BY row DESC",  # noqa: S608
            listed(wanted),
        )
        return [Unembedded(vector_id=it, text=entry_of(data).memory.text) for it, data in found]

    def counts(self) -> dict[str, int]:
        found = dict.fromkeys((state.value for state in State), 0)
        found |= dict(self._db.rows("SELECT state, count(*) FROM entries GROUP BY state"))
        more = self._db.rows(
            "SELECT count(DISTINCT NULLIF(conversation, '')), coalesce(max(born), 0) FROM entries"
        )[0]
        return found | {"conversations": more[0], "last_seq": more[1]}

    def close(self) -> None:
        self._db.close()


def _load(db: sqlite3.Connection, memory_id: str) -> Entry | None:
    found = db.execute("SELECT data FROM entries WHERE id = ?", (memory_id,)).fetchone()
    return entry_of(found[0]) if found else None


def _save(db: sqlite3.Connection, entry: Entry, *, fresh: bool) -> None:
    """Writes the entry and keeps its terms only while it is live."""
    if not fresh:
        row = db.execute("SELECT row FROM entries WHERE id = ?", (entry.memory.id,)).fetchone()
        db.execute("DELETE FROM words WHERE rowid = ?", row)
    words = terms(entry.memory.text[:_INDEXED_CHARS])
    columns = row_of(entry) | {"length": len(words)}
    names = ", ".join(columns)
    updates = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in _FIXED)
    db.execute(
        f"INSERT INTO entries({names}) VALUES ({_marks(columns)}) "  # noqa: S608
        f"ON CONFLICT(id) DO UPDATE SET {updates}",
        tuple(columns.values()),
    )
    if entry.state is State.LIVE:
        row = db.execute("SELECT row FROM entries WHERE id = ?", (entry.memory.id,)).fetchone()
        db.execute("INSERT INTO words(rowid, terms) VALUES (?, ?)", (*row, " ".join(words)))


_FIXED = ("id", "born")


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _quoted(words: Sequence[str]) -> list[str]:
    return ['"' + word.replace('"', '""') + '"' for word in words]
