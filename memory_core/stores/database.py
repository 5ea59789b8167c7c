"""The SQLite file of one namespace: its schema, its one connection, and what happens when it fails.

Derived: a file that is damaged, foreign or of another version is thrown away and begun anew.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from .. import durable
from ..errors import StorageCorrupt, StorageFailed

VERSION = 5
_CACHE_KIB = 16_384  # SQLite's own 2 MB are a fraction of what a search of 10,000 memories reads
_SCHEMA = (
    "CREATE TABLE logs(log TEXT PRIMARY KEY, position INTEGER NOT NULL)",
    """CREATE TABLE entries(
    row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, conversation TEXT NOT NULL,
    place REAL NOT NULL, kind TEXT NOT NULL, ts REAL, state TEXT NOT NULL, key TEXT NOT NULL,
    chat_key TEXT NOT NULL, user_key TEXT NOT NULL, assistant_key TEXT NOT NULL,
    user_name TEXT NOT NULL, assistant_name TEXT NOT NULL, stands INTEGER NOT NULL,
    born INTEGER NOT NULL, seq INTEGER NOT NULL, length INTEGER NOT NULL, sitting INTEGER NOT NULL,
    data TEXT NOT NULL
    )""",
    "CREATE INDEX by_conversation ON entries(conversation, place, row)",
    "CREATE INDEX by_chat_key ON entries(chat_key)",
    # Where each exchange stands now; a branch shares those before it. `conversation` and `place`
    # of an entry itself are those in which it was met first, and stay.
    """CREATE TABLE places(
    conversation TEXT NOT NULL, place REAL NOT NULL, row INTEGER NOT NULL,
    PRIMARY KEY (conversation, place, row)
    ) WITHOUT ROWID""",
    "CREATE INDEX by_placed_row ON places(row)",
    "CREATE INDEX by_state ON entries(state, ts)",
    "CREATE INDEX by_key ON entries(key)",
    "CREATE INDEX by_born ON entries(born)",
    "CREATE INDEX by_stand ON entries(state) WHERE stands = 1",
    "CREATE INDEX by_sitting ON entries(sitting, place, row, state, id)",
    # What hangs on a live entry: its terms, its vectors, the times that it speaks of.
    # The ascii tokenizer takes every letter beyond ASCII as it is, as terms() gave it.
    "CREATE VIRTUAL TABLE words USING fts5(user, assistant, tokenize='ascii')",
    "CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row)",
    # `kept`: catalogue.Kept.
    """CREATE TABLE vectors(
    vector_id INTEGER PRIMARY KEY, row INTEGER NOT NULL, side INTEGER NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX by_vector_row ON vectors(row, side)",
    "CREATE INDEX by_lack ON vectors(row DESC, side) WHERE kept = 0",
    """CREATE TABLE happened(
    row INTEGER NOT NULL, start REAL NOT NULL, end REAL NOT NULL, said REAL NOT NULL
    )""",
    "CREATE INDEX by_happened_row ON happened(row)",
    "CREATE INDEX by_start ON happened(start, end, said, row)",
    # Counting all live entries for every message would cost 50 ms at a million.
    # `changes`: how often any was written; a count of words is out of date by no more than that.
    """CREATE TABLE totals(
    live INTEGER NOT NULL, length INTEGER NOT NULL, changes INTEGER NOT NULL
    )""",
    "INSERT INTO totals VALUES (0, 0, 0)",
    """CREATE TRIGGER count_in AFTER INSERT ON entries BEGIN
    UPDATE totals SET changes = changes + 1,
    live = live + (new.state = 'live'), length = length + (new.state = 'live') * new.length; END""",
    """CREATE TRIGGER count_change AFTER UPDATE OF state, length ON entries BEGIN
    UPDATE totals SET changes = changes + 1,
    live = live + (new.state = 'live') - (old.state = 'live'),
    length = length + (new.state = 'live') * new.length - (old.state = 'live') * old.length; END""",
)
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "secure_delete = ON",
    f"cache_size = -{_CACHE_KIB}",
)

# SQLite cannot tell how short the list is: write "+state" beside it, or it goes through all rows
# of that state instead.
LIST = "(SELECT value FROM json_each(?))"


EVER = 1 << 62  # a seq that no line reaches


def quoted(words: Sequence[str]) -> list[str]:
    """The words as FTS5 strings, whatever characters they hold."""
    return ['"' + word.replace('"', '""') + '"' for word in words]


def listed(values: Sequence[object]) -> str:
    """The values for LIST: SQLite allows only so many question marks."""
    return json.dumps(list(values))


class Database:
    """Safe for many threads: one connection behind one lock; each call takes milliseconds.

    SQLite's errors become ours: StorageFailed, or StorageCorrupt where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.RLock()
        self._path = path
        self._is_whole = True
        self._db = _open(path)

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The connection, for one thread at a time."""
        with self._lock, _ours():
            if not self._is_whole:  # so that it is tried again
                raise StorageCorrupt(f"{self._path} could not be made anew")
            yield self._db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The same in a transaction: all or nothing."""
        with self.using() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:  # SQLite rolls back by itself when the disk fails
                    db.execute("ROLLBACK")
                raise

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self.using() as db:
            return db.execute(sql, values).fetchall()

    def begin_anew(self) -> None:
        """An empty file, so that nothing of the old rows is left in it."""
        with self._lock, _ours():
            self._is_whole = False
            self._db.close()
            self._db = _create(self._path)
            self._is_whole = True

    def scrub(self) -> None:
        """Takes what updates and deletions left behind out of the file."""
        with self.using() as db:
            db.execute("INSERT INTO words(words) VALUES ('optimize')")
            db.execute("VACUUM")
        self.checkpoint()

    def checkpoint(self) -> None:
        with self.using() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __del__(self) -> None:
        with suppress(AttributeError, sqlite3.Error):  # AttributeError: it was never opened
            self._db.close()


@contextmanager
def _ours() -> Iterator[None]:
    """Turns SQLite's errors into ours."""
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.ProgrammingError) as exc:  # full; closed
        raise StorageFailed(f"the catalogue cannot be used: {exc}") from exc
    except sqlite3.DatabaseError as exc:
        raise StorageCorrupt(f"the catalogue is damaged: {exc}") from exc


def _open(path: Path) -> sqlite3.Connection:
    """An existing catalogue of this version, or a new empty one in its place."""
    if path.exists():
        try:
            db = _connect(path)
            if _is_ours(db):
                return db
            db.close()
        except sqlite3.DatabaseError as exc:
            if exc.sqlite_errorcode in _IN_USE:
                raise StorageFailed(f"{path} is in use by another program") from exc
            # damaged or foreign: made anew below
    with _ours():
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
    except sqlite3.Error as exc:
        if exc.sqlite_errorcode in _IN_USE:
            raise
        return False
    return True
