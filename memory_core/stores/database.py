"""The SQLite file of one namespace: its schema, its connections, and what happens when it fails.

Derived: a file that is damaged, foreign or of another version is thrown away and begun anew.
"""

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from .. import durable
from ..errors import StorageCorrupt, StorageFailed

VERSION = 12
_CACHE_KIB = 16_384  # SQLite's own 2 MB are a fraction of what a search of 10,000 memories reads
_WAL_PAGES = 4_000  # 16 MB: a page that many inserts touch is then moved to the file once
_LIVE = "SELECT row FROM entries WHERE sitting = {0}.sitting AND state = 'live'"
_BESIDE = (
    f"REPLACE INTO moved(row) SELECT row FROM ({_LIVE} "  # noqa: S608
    "AND (place, row) < (new.place, new.row) ORDER BY place DESC, row DESC LIMIT 1){1}; "
    f"REPLACE INTO moved(row) SELECT row FROM ({_LIVE} "
    "AND (place, row) > (new.place, new.row) ORDER BY place, row LIMIT 1){1}; "
)
# Who moves into a sitting or leaves it is a new neighbour there; its first leaves nobody behind.
# So is who lives again or no more.
_MOVES = (
    "CREATE TRIGGER move AFTER UPDATE OF sitting ON entries WHEN new.sitting != old.sitting BEGIN "  # noqa: S608
    f"REPLACE INTO moved(row) VALUES (new.row); {_BESIDE.format('new', '')}"
    f"{_BESIDE.format('old', ' WHERE old.sitting != new.row')} END",
    "CREATE TRIGGER live AFTER UPDATE OF state ON entries "  # noqa: S608
    "WHEN (new.state = 'live') != (old.state = 'live') BEGIN "
    f"REPLACE INTO moved(row) VALUES (new.row); {_BESIDE.format('new', '')} END",
)
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
    # A memory mostly says what its chat says: then `chat_key` is its key, too. Keys are drawn by
    # lot, so that a second index of all takes a fifth of an import's writes.
    "CREATE INDEX by_other_key ON entries(key) WHERE key != chat_key",
    "CREATE INDEX by_born ON entries(born)",
    "CREATE INDEX by_kind ON entries(kind) WHERE kind != 'exchange'",
    "CREATE INDEX by_stand ON entries(state) WHERE stands = 1",
    # Of all that was ever forgotten, what still has words.
    "CREATE INDEX by_erasable ON entries(row) WHERE state = 'forgotten' AND key != ''",
    "CREATE INDEX by_sitting ON entries(sitting, state, place, row)",
    # What hangs on a live entry: its terms, its vectors, the times that it speaks of.
    # The words: word_index.py.
    """CREATE TABLE segments(
    first INTEGER PRIMARY KEY, last INTEGER NOT NULL, name TEXT NOT NULL
    )""",
    """CREATE TABLE unsealed(
    stamp INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE, user TEXT, assistant TEXT
    )""",
    "CREATE TABLE moved(stamp INTEGER PRIMARY KEY, row INTEGER NOT NULL UNIQUE)",
    # `kept`: catalogue.Kept.
    """CREATE TABLE vectors(
    vector_id INTEGER PRIMARY KEY, row INTEGER NOT NULL, side INTEGER NOT NULL,
    kept INTEGER NOT NULL DEFAULT 0
    )""",
    "CREATE INDEX by_vector_row ON vectors(row, side)",
    # Vectors that may be on the disk still: vector_marks.py. Who wants one again takes it out.
    "CREATE TABLE gone(vector_id INTEGER PRIMARY KEY)",
    """CREATE TRIGGER go AFTER DELETE ON vectors BEGIN
    INSERT OR IGNORE INTO gone VALUES (old.vector_id); END""",
    "CREATE TABLE checked(model TEXT NOT NULL)",
    "INSERT INTO checked VALUES ('')",
    "CREATE INDEX by_lack ON vectors(row DESC, side) WHERE kept = 0",
    """CREATE TABLE happened(
    row INTEGER NOT NULL, start REAL NOT NULL, end REAL NOT NULL, said REAL NOT NULL
    )""",
    "CREATE INDEX by_happened_row ON happened(row)",
    "CREATE INDEX by_start ON happened(start, end, said, row)",
    # Counting all live entries for every message would cost 50 ms at a million. Who adds entries
    # counts them, saving.py; a trigger for each takes a tenth of an import.
    # `sealings` rises when the segments are exchanged; where it begins tells files apart. `seq` is
    # the highest of all lines that were applied.
    """CREATE TABLE totals(
    live INTEGER NOT NULL, length INTEGER NOT NULL, sealings INTEGER NOT NULL, seq INTEGER NOT NULL
    )""",
    "INSERT INTO totals VALUES (0, 0, abs(random() % 1000000000), 0)",
    """CREATE TRIGGER count_change AFTER UPDATE OF state, length ON entries BEGIN
    UPDATE totals SET
    live = live + (new.state = 'live') - (old.state = 'live'),
    length = length + (new.state = 'live') * new.length - (old.state = 'live') * old.length; END""",
    *_MOVES,
)
_IN_MEMORY = "file:long-term-memory-"
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "secure_delete = ON",
    f"cache_size = -{_CACHE_KIB}",
    f"wal_autocheckpoint = {_WAL_PAGES}",
)

# SQLite cannot tell how short the list is: write "+state" beside it, or it goes through all rows
# of that state instead.
LIST = "(SELECT value FROM json_each(?))"


def listed(values: Sequence[object]) -> str:
    """The values for LIST: SQLite allows only so many question marks."""
    return json.dumps(list(values))


class Database:
    """Safe for many threads: a connection that writes and one that reads, each behind its lock, so
    that who reads never waits for who writes, and sees whole transactions only. In memory SQLite
    refuses the one while the other is at it, so there they wait.

    SQLite's errors become ours: StorageFailed, or StorageCorrupt where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._lock, self._reading = threading.RLock(), threading.RLock()
        self._path = path
        self._place = _place(path)
        self._fault = ""
        try:
            self._db = _open(path, self._place)
        except StorageCorrupt as exc:  # who asks it first is told, and makes it anew
            self._fault, self._place = str(exc), _memory()
            self._db = _connect(self._place)
        self._is_marked = False
        self._generation = 0
        with _ours(), durable.naming(path):
            self._file = _identity(path)
            self._reader = _connect(self._place)

    @contextmanager
    def using(self) -> Iterator[sqlite3.Connection]:
        """The connection that writes, for one thread at a time."""
        with self._lock, _ours():
            self._check()
            yield self._db

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """The one that reads; what several statements find within is of one moment."""
        with self._reading_alone():
            if self._reader.in_transaction:
                yield self._reader
                return
            self._reader.execute("BEGIN")
            try:
                yield self._reader
            finally:
                with suppress(sqlite3.Error):
                    self._reader.execute("COMMIT")

    @contextmanager
    def _reading_alone(self) -> Iterator[None]:
        is_in_memory = self._place.startswith(_IN_MEMORY)
        with self._lock if is_in_memory else nullcontext(), self._reading, _ours():
            self._check()
            yield

    def _check(self) -> None:
        if self._fault:
            raise StorageCorrupt(self._fault)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """The same in a transaction: all or nothing."""
        with self.using() as db:
            with durable.naming(self._path):
                _claim(db, _tag(self._place))
            self._is_marked = True
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:  # a transaction left open would keep everybody else from writing
                if db.in_transaction:  # SQLite rolls back by itself when the disk fails
                    db.execute("ROLLBACK")
                raise

    def version(self) -> tuple[int, int]:
        """Another whenever anything was written since, or the file is another."""
        return self._generation, int(self.rows("PRAGMA data_version")[0][0])

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with self._reading_alone():
            return self._reader.execute(sql, values).fetchall()

    def begin_anew(self) -> None:
        """An empty file, so that nothing of the old rows is left in it."""
        with self._lock, self._reading, _ours():
            self._fault = f"{self._path} could not be made anew"  # so that it is tried again
            self._reader.close()
            self._db.close()
            self._place = _place(self._path)
            self._db = _create(self._path, self._place)
            self._reader = _connect(self._place)
            self._is_marked = False
            self._file = _identity(self._path)
            self._generation += 1
            self._fault = ""

    def is_in_place(self) -> bool:
        """Whether what lies there is the file that is open; a disk that does not answer says
        nothing. One in memory is always.
        """
        try:
            return self._place.startswith(_IN_MEMORY) or self._file == _identity(self._path)
        except OSError:
            return True

    def damage(self) -> list[str]:
        """What SQLite finds wrong with the file."""
        found = [told for (told,) in self.rows("PRAGMA integrity_check(5)")]
        return [] if found == ["ok"] else [f"the catalogue is damaged: {it}" for it in found]

    def scrub(self) -> None:
        """Takes what updates and deletions left behind out of the file. Raises StorageFailed where
        another program has been reading since before.
        """
        with self.using() as db:
            db.execute("VACUUM")
        self.settle()

    def settle(self) -> None:
        """On return nothing of what was before is in the file. Raises what scrub() does."""
        if not self.checkpoint():
            raise StorageFailed(f"{self._path} is read by another program: it is tried again later")

    def checkpoint(self) -> bool:
        """Moves all into the file and leaves nothing beside it, and says whether it could; readers
        wait for the last bit.
        """
        with self.using() as db:
            db.execute("PRAGMA wal_checkpoint(PASSIVE)")
            with self._reading:
                is_busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not is_busy

    def close(self) -> None:
        with self._lock, self._reading:
            self._reader.close()
            if self._is_marked:
                _mark(self._db, 0)
            self._db.close()

    def __del__(self) -> None:
        with suppress(AttributeError, sqlite3.Error):  # AttributeError: it was never opened
            self._reader.close()
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


def _place(path: Path) -> str:
    """What SQLite shall open: a folder that may only be read gets its catalogue in memory."""
    folder = next(it for it in path.absolute().parents if it.is_dir())
    return str(path) if os.access(folder, os.W_OK) else _memory()


def _identity(path: Path) -> tuple[int, int] | None:
    """By what a file is known; opening it would break SQLite's locks."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _memory() -> str:
    return f"{_IN_MEMORY}{secrets.token_hex(8)}?mode=memory&cache=shared"


def _open(path: Path, place: str) -> sqlite3.Connection:
    """An existing catalogue of this version, or a new empty one in its place. Raises
    StorageCorrupt for one that is damaged or foreign.
    """
    if path.exists() and not place.startswith(_IN_MEMORY):
        try:
            db = _connect(place)
            if _is_ours(db, path):
                return db
            db.close()
        except sqlite3.DatabaseError as exc:
            if exc.sqlite_errorcode in _IN_USE:
                raise StorageFailed(f"{path} is in use by another program") from exc
            raise StorageCorrupt(f"{path} is damaged: {exc}") from exc
    with _ours():
        return _create(path, place)


def _create(path: Path, place: str) -> sqlite3.Connection:
    if not place.startswith(_IN_MEMORY):
        with durable.naming(path):
            for suffix in ("", "-wal", "-shm"):
                durable.remove(Path(f"{path}{suffix}"))
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, durable.FILE_MODE))
    db = _connect(place)
    db.execute("BEGIN")
    for statement in (*_SCHEMA, f"PRAGMA user_version = {VERSION}"):
        db.execute(statement)
    db.execute("COMMIT")
    return db


def _connect(place: str) -> sqlite3.Connection:
    in_memory = place.startswith(_IN_MEMORY)
    db = sqlite3.connect(
        place, isolation_level=None, check_same_thread=False, timeout=5.0, uri=in_memory
    )
    try:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _is_ours(db: sqlite3.Connection, path: Path) -> bool:
    """Whether it can be used; one of another version cannot, nor one whose making was interrupted.

    Raises StorageCorrupt where it is another program's.
    """
    (version,) = db.execute("PRAGMA user_version").fetchone()
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if names and not {"logs", "entries"} <= names:
        db.close()
        raise StorageCorrupt(f"{path} is another program's")
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    if mark not in (0, _tag(str(path))):
        db.close()
        raise StorageCorrupt(f"{path} was copied while it was in use")
    return bool(names) and int(version) == VERSION


def _tag(place: str) -> int:
    """Tells this file from a copy of it, which may have been made of parts of different times."""
    return 0 if place.startswith(_IN_MEMORY) else 1 + os.stat(place).st_ino % 0x7FFFFFFF


def _claim(db: sqlite3.Connection, tag: int) -> None:
    """Says that somebody writes to the file, which another program that ended may have denied."""
    if db.execute("PRAGMA application_id").fetchone() != (tag,):
        _mark(db, tag)


def _mark(db: sqlite3.Connection, tag: int) -> None:
    """0 says that nobody writes to the file; a full disk may leave it to the mark it has."""
    with suppress(sqlite3.Error):
        db.execute(f"PRAGMA application_id = {tag:d}")
