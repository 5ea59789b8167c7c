"""The entries of one namespace in SQLite, with an FTS5 index of their terms.

Derived: a file that is damaged, foreign or of another version is thrown away and filled anew
from the transcript. Words are compared as terms() gives them; FTS5's own tokenizer only splits
at the blanks between them.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from .. import bm25, durable
from ..errors import StorageCorrupt, StorageFailed
from ..records import Memory
from ..terms import terms
from ..transcript.entries import Entry, State, fold
from ..transcript.lines import Line
from ..transcript.reconcile import Known
from .base import Hit, Page, Unembedded
from .rows import entry_of, row_of

VERSION = 2
_CACHE_KIB = 16_384  # SQLite's own 2 MB are a fraction of what a search of 10,000 memories reads
_SCHEMA = (
    "CREATE TABLE logs(log TEXT PRIMARY KEY, position INTEGER NOT NULL)",
    """CREATE TABLE entries(
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL,
    place REAL NOT NULL, kind TEXT NOT NULL, ts REAL, state TEXT NOT NULL, key TEXT NOT NULL,
    chat_key TEXT NOT NULL, user_key TEXT NOT NULL, assistant_key TEXT NOT NULL,
    vector_id INTEGER NOT NULL, pinned INTEGER NOT NULL, born INTEGER NOT NULL,
    seq INTEGER NOT NULL, length INTEGER NOT NULL, data TEXT NOT NULL
    )""",
    "CREATE INDEX by_conversation ON entries(conversation, place, row)",
    "CREATE INDEX by_state ON entries(state, ts)",
    "CREATE INDEX by_length ON entries(state, length)",
    "CREATE INDEX by_key ON entries(key)",
    "CREATE INDEX by_vector ON entries(vector_id)",
    "CREATE INDEX by_born ON entries(born)",
    "CREATE INDEX by_pin ON entries(pinned, state)",
    """CREATE VIRTUAL TABLE words USING fts5(
    terms, tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* Co'"
    )""",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)",
)
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "secure_delete = ON",
    f"cache_size = -{_CACHE_KIB}",
)
_LIVE = State.LIVE.value


class Catalogue:
    """Safe for many threads: one connection behind one lock; each call takes milliseconds."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._path = path
        self._db = _open(path)

    @contextmanager
    def _using(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time; SQLite's errors become ours."""
        with self._lock:
            try:
                yield self._db
            except sqlite3.OperationalError as exc:
                raise StorageFailed(f"the catalogue cannot be used: {exc}") from exc
            except sqlite3.DatabaseError as exc:
                raise StorageCorrupt(f"the catalogue is damaged: {exc}") from exc

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The same in a transaction: all or nothing."""
        with self._using() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:  # SQLite rolls back by itself when the disk fails
                    db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._using() as db:
            return db.execute(sql, values).fetchall()

    def _entries(self, where: str, *values: object) -> list[Entry]:
        return [entry_of(data) for (data,) in self._rows(f"SELECT data FROM {where}", *values)]  # noqa: S608

    def positions(self) -> dict[str, int]:
        return dict(self._rows("SELECT log, position FROM logs"))

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        with self._writing() as db:
            for line in lines:
                before = _load(db, line.id)
                after = fold(before, line)
                if after is not None:
                    _save(db, after, fresh=before is None)
            db.executemany("REPLACE INTO logs VALUES (?, ?)", list(positions.items()))

    def clear(self) -> None:
        """Begins anew, so that nothing of the old rows is left in the file."""
        try:
            with self._writing() as db:
                for table in ("vocabulary", "words", "entries", "logs"):
                    db.execute(f"DROP TABLE {table}")
                for statement in _SCHEMA:
                    db.execute(statement)
            self._scrub()
        except StorageCorrupt:
            with self._lock:
                self._db.close()
                self._db = _create(self._path)

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        found = self._entries(f"entries WHERE id IN {_LIST}", _listed(ids))
        return {entry.memory.id: entry for entry in found}

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(
            self._rows(
                f"SELECT id, seq FROM entries WHERE id IN {_LIST} AND +state = ?",  # noqa: S608
                _listed(ids),
                _LIVE,
            )
        )

    def known(self, conversation: str) -> list[Known]:
        found = self._rows(
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
        found = self._rows(
            "SELECT conversation FROM entries WHERE key = ? AND state = ? "
            "ORDER BY row DESC LIMIT 1",
            key,
            _LIVE,
        )
        return found[0][0] if found else None

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

    def pinned(self) -> list[Memory]:
        found = self._entries("entries WHERE pinned = 1 AND state = ? ORDER BY row", _LIVE)
        return [entry.memory for entry in found]

    def forgotten(self) -> list[Entry]:
        found = self._entries("entries WHERE state = ? ORDER BY row", State.FORGOTTEN)
        return [entry for entry in found if entry.has_words]

    def erase(self, ids: Sequence[str], emptied: Mapping[str, Entry]) -> None:
        self._scrub()  # first: once the entries are empty, nobody would come back for the rest
        with self._writing() as db:
            for memory_id in ids:
                _save(db, emptied[memory_id], fresh=False)
        self._checkpoint()

    def _scrub(self) -> None:
        """Takes what updates and deletions left behind out of the file."""
        with self._using() as db:
            db.execute("INSERT INTO words(words) VALUES ('optimize')")
            db.execute("VACUUM")
        self._checkpoint()

    def _checkpoint(self) -> None:
        with self._using() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def search_words(
        self, words: Sequence[str], *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        """FTS5 finds and cuts to `limit`; the scores are ours, in 0..1."""
        wanted = list(dict.fromkeys(words))
        if not wanted:
            return []
        found = self._rows(
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
        size, mean = self._rows("SELECT count(*), avg(length) FROM entries WHERE state = ?", _LIVE)[
            0
        ]
        return bm25.Corpus(size=size, mean_length=mean or 0.0)

    def _weights(self, words: Sequence[str], corpus: bm25.Corpus) -> dict[str, float]:
        held = dict(
            self._rows(
                f"SELECT term, doc FROM vocabulary WHERE term IN {_LIST}",  # noqa: S608
                _listed(words),
            )
        )
        return {word: bm25.idf(corpus, held.get(word, 0)) for word in words}

    def vector_ids(self) -> set[int]:
        return {it for (it,) in self._rows("SELECT vector_id FROM entries WHERE state = ?", _LIVE)}

    def vector_ids_of(self, ids: Sequence[str]) -> dict[str, int]:
        return dict(
            self._rows(
                f"SELECT id, vector_id FROM entries WHERE id IN {_LIST}",  # noqa: S608
                _listed(ids),
            )
        )

    def by_vectors(self, vector_ids: Sequence[int], until_seq: int | None) -> dict[int, str]:
        """vector_id → id of the live memories among these."""
        return dict(
            self._rows(
                f"SELECT vector_id, id FROM entries WHERE vector_id IN {_LIST} "  # noqa: S608
                "AND +state = ? AND +born <= ?",
                _listed(vector_ids),
                _LIVE,
                until_seq if until_seq is not None else 1 << 62,
            )
        )

    def born_after(self, seq: int) -> int:
        return int(self._rows("SELECT count(*) FROM entries WHERE born > ?", seq)[0][0])

    def texts(self, lacking: Callable[[int], bool], limit: int) -> list[Unembedded]:
        """Live memories whose vector is lacking, newest first: those are asked for soonest."""
        with self._using() as db:
            rows = db.execute(
                "SELECT vector_id, row FROM entries WHERE state = ? ORDER BY row DESC", (_LIVE,)
            )
            wanted = list(islice((row for it, row in rows if lacking(it)), limit))
        found = self._rows(
            f"SELECT vector_id, data FROM entries WHERE row IN {_LIST} ORDER BY row DESC",  # noqa: S608
            _listed(wanted),
        )
        return [Unembedded(vector_id=it, text=entry_of(data).memory.text) for it, data in found]

    def counts(self) -> dict[str, int]:
        found = dict.fromkeys((state.value for state in State), 0)
        found |= dict(self._rows("SELECT state, count(*) FROM entries GROUP BY state"))
        more = self._rows(
            "SELECT count(DISTINCT NULLIF(conversation, '')), coalesce(max(born), 0) FROM entries"
        )[0]
        return found | {"conversations": more[0], "last_seq": more[1]}

    def close(self) -> None:
        with self._lock:
            self._db.close()


def _open(path: Path) -> sqlite3.Connection:
    """An existing catalogue of this version, or a new empty one in its place."""
    if path.exists():
        try:
            db = _connect(path)
            if _is_ours(db):
                return db
            db.close()
        except sqlite3.DatabaseError:
            pass  # damaged or foreign: made anew below
    return _create(path)


def _create(path: Path) -> sqlite3.Connection:
    with durable.naming(path):
        for suffix in ("", "-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, durable.FILE_MODE))
    db = _connect(path)
    db.execute("BEGIN")
    for statement in (*_SCHEMA, f"PRAGMA user_version = {VERSION}"):
        db.execute(statement)
    db.execute("COMMIT")
    with suppress(sqlite3.OperationalError):  # SQLite before 3.42 erases only when optimizing
        db.execute("INSERT INTO words(words, rank) VALUES ('secure-delete', 1)")
    return db


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5.0)
    try:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _is_ours(db: sqlite3.Connection) -> bool:
    try:
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            return False
        db.execute("SELECT count(*) FROM logs")
    except sqlite3.Error:
        return False
    return True


def _load(db: sqlite3.Connection, memory_id: str) -> Entry | None:
    found = db.execute("SELECT data FROM entries WHERE id = ?", (memory_id,)).fetchone()
    return entry_of(found[0]) if found else None


def _save(db: sqlite3.Connection, entry: Entry, *, fresh: bool) -> None:
    """Writes the entry and keeps its terms only while it is live."""
    if not fresh:
        row = db.execute("SELECT row FROM entries WHERE id = ?", (entry.memory.id,)).fetchone()
        db.execute("DELETE FROM words WHERE rowid = ?", row)
    words = terms(entry.memory.text)
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


# SQLite cannot tell how short the list is: write "+state" beside it, or it goes through all rows
# of that state instead.
_LIST = "(SELECT value FROM json_each(?))"


def _listed(values: Sequence[object]) -> str:
    """The values for _LIST: SQLite allows only so many question marks."""
    return json.dumps(list(values))


def _marks(values: Iterable[object]) -> str:
    return ", ".join("?" for _ in values)


def _quoted(words: Sequence[str]) -> list[str]:
    return ['"' + word.replace('"', '""') + '"' for word in words]
