"""The SQLite file of one namespace: its connections, and what happens when it fails.

Derived: a file that is damaged, foreign or of another version is thrown away and begun anew.
"""

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from ....domain.errors import StorageCorrupt, StorageError, StorageFailed
from ....infra import durable_files
from .schema import SCHEMA, VERSION

_CACHE_KIB = 16_384  # SQLite's own 2 MB are a fraction of what a search of 10,000 memories reads
_WAL_PAGES = 4_000  # 16 MB: a page that many inserts touch is then moved to the file once
_REPLACED = -1  # in place of the version, in a file that nobody shall use any more
_SIDE_FILES = ("-wal", "-shm")  # files that SQLite keeps
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


def as_json_list(values: Sequence[object]) -> str:
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
        self._target = _connection_target(path)
        self._fault = ""
        try:
            self._db = _open(path, self._target)
        except StorageCorrupt as exc:  # who asks it first is told, and makes it anew
            self._fault, self._target = str(exc), _memory()
            self._db = _connect(self._target)
        self._is_marked = False
        self._generation = 0
        with translate_errors(), durable_files.naming_errors(path):
            self._file = _identity(path)
            self._reader = _connect(self._target)

    @contextmanager
    def write_connection(self) -> Iterator[sqlite3.Connection]:
        """The connection that writes, for one thread at a time."""
        self._follow_replaced_file()
        with self._lock, translate_errors():
            self._check()
            yield self._db

    @contextmanager
    def read_connection(self) -> Iterator[sqlite3.Connection]:
        """The one that reads; what several statements find within is of one moment."""
        with self._exclusive_read_connection():
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
    def _exclusive_read_connection(self) -> Iterator[None]:
        is_in_memory = self._target.startswith(_IN_MEMORY)
        self._follow_replaced_file()
        with self._lock if is_in_memory else nullcontext(), self._reading, translate_errors():
            self._check()
            yield

    def _check(self) -> None:
        if self._fault:
            raise StorageCorrupt(self._fault)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The same in a transaction: all or nothing."""
        with self.write_connection() as db:
            with durable_files.naming_errors(self._path):
                _claim(db, _tag(self._target))
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
        with self._exclusive_read_connection():
            return self._reader.execute(sql, values).fetchall()

    def recreate(self) -> None:
        """An empty file, so that nothing of the old rows is left in it."""
        with self._lock, self._reading, translate_errors():
            self._fault = f"{self._path} could not be made anew"  # so that it is tried again
            self._reader.close()
            self._db.close()
            self._target = _connection_target(self._path)
            self._reopen(_create(self._path, self._target))

    def is_in_place(self) -> bool:
        """Returns whether what lies there is the file that is open, or one that took its place by
        exchange(). One in memory is always.
        """
        with suppress(StorageError):
            self._follow_replaced_file()
        return self._is_same_file()

    def _is_same_file(self) -> bool:
        """Whether what lies there is the file that is open; a disk that does not answer says
        nothing. One in memory is always.
        """
        try:
            return self._target.startswith(_IN_MEMORY) or self._file == _identity(self._path)
        except OSError:
            return True

    def find_damage(self) -> list[str]:
        """What SQLite finds wrong with the file."""
        found = [told for (told,) in self.rows("PRAGMA integrity_check(5)")]
        return (
            [] if found == ["ok"] else [f"the catalogue is damaged: {problem}" for problem in found]
        )

    @property
    def is_in_memory(self) -> bool:
        return self._target.startswith(_IN_MEMORY)

    def open_second_connection(self) -> sqlite3.Connection:
        """A connection for whoever reads so long that nobody else shall wait for it."""
        return _connect(self._target)

    def replace_file(self, anew: Path, generation: int) -> bool:
        """Puts this file in place of the one in use, so that nothing of that is left; whether it
        did: not where that was made anew since this generation. Raises StorageFailed where another
        program has been reading since before.
        """
        with self._lock, self._reading, translate_errors():
            if self._generation != generation:
                return False
            if not self.checkpoint():
                told = f"{self._path} is read by another program: it is tried again later"
                raise StorageFailed(told)
            self._db.execute(f"PRAGMA user_version = {_REPLACED:d}")  # other programs notice it
            self._fault = f"{self._path} could not be opened again"
            self._reader.close()
            self._db.close()
            try:
                with durable_files.naming_errors(self._path):
                    for suffix in _SIDE_FILES:
                        durable_files.remove(Path(f"{self._path}{suffix}"))
                    os.replace(anew, self._path)
                durable_files.sync_folder(self._path.parent)
            finally:
                self._reopen(_connect(self._target))
            return True

    def _follow_replaced_file(self) -> None:
        """Goes on with the file that another program put in place of this one."""
        if self._fault or self._is_same_file():
            return
        if self._is_in_use():
            return  # whoever comes next does it
        with self._lock, self._reading, translate_errors():
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version == _REPLACED and self._path.exists():
                self._reader.close()
                self._db.close()
                self._reopen(_connect(self._target))

    def _is_in_use(self) -> bool:
        """Returns whether a transaction is open, or another thread is exchanging the file."""
        try:
            return self._reader.in_transaction or self._db.in_transaction
        except sqlite3.ProgrammingError:  # closed until the other thread has opened the new file
            return True

    def _reopen(self, db: sqlite3.Connection) -> None:
        self._db, self._reader = db, _connect(self._target)
        self._is_marked = False
        self._file = _identity(self._path)
        self._generation += 1
        self._fault = ""

    def checkpoint(self) -> bool:
        """Moves all into the file and leaves nothing beside it, and says whether it could; readers
        wait for the last bit.
        """
        with self.write_connection() as db:
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


class _Ours:
    """Entered several times for each question; a generator would take three times as long."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: object
    ) -> None:
        if isinstance(exc, (sqlite3.OperationalError, sqlite3.ProgrammingError)):  # full; closed
            raise StorageFailed(f"the catalogue cannot be used: {exc}") from exc
        if isinstance(exc, sqlite3.DatabaseError):
            raise StorageCorrupt(f"the catalogue is damaged: {exc}") from exc


_OURS = _Ours()


def translate_errors() -> AbstractContextManager[None]:
    """Turns SQLite's errors into ours."""
    return _OURS


def _connection_target(path: Path) -> str:
    """What SQLite shall open: a folder that may only be read gets its catalogue in memory."""
    folder = next(parent for parent in path.absolute().parents if durable_files.is_folder(parent))
    return str(path) if os.access(folder, os.W_OK) else _memory()


def _identity(path: Path) -> tuple[int, int] | None:
    """By what a file is known; opening it would break SQLite's locks."""
    found = durable_files.stat_or_none(path)
    return (found.st_dev, found.st_ino) if found else None


def _memory() -> str:
    return f"{_IN_MEMORY}{secrets.token_hex(8)}?mode=memory&cache=shared"


def _open(path: Path, place: str) -> sqlite3.Connection:
    """An existing catalogue of this version, or a new empty one in its place. Raises
    StorageCorrupt for one that is damaged or foreign.
    """
    if path.exists() and not place.startswith(_IN_MEMORY):
        try:
            db = _connect(place)
            if _is_usable(db, path):
                return db
            db.close()
        except sqlite3.DatabaseError as exc:
            if exc.sqlite_errorcode in _IN_USE:
                raise StorageFailed(f"{path} is in use by another program") from exc
            raise StorageCorrupt(f"{path} is damaged: {exc}") from exc
    with translate_errors():
        return _create(path, place)


def _create(path: Path, place: str) -> sqlite3.Connection:
    if not place.startswith(_IN_MEMORY):
        with durable_files.naming_errors(path):
            for suffix in ("", *_SIDE_FILES):
                durable_files.remove(Path(f"{path}{suffix}"))
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, durable_files.FILE_MODE))
    db = _connect(place)
    db.execute("BEGIN")
    for statement in (*SCHEMA, f"PRAGMA user_version = {VERSION}"):
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


def _is_usable(db: sqlite3.Connection, path: Path) -> bool:
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
    with durable_files.naming_errors(place):
        return 0 if place.startswith(_IN_MEMORY) else 1 + os.stat(place).st_ino % 0x7FFFFFFF


def _claim(db: sqlite3.Connection, tag: int) -> None:
    """Says that somebody writes to the file, which another program that ended may have denied."""
    if db.execute("PRAGMA application_id").fetchone() != (tag,):
        _mark(db, tag)


def _mark(db: sqlite3.Connection, tag: int) -> None:
    """0 says that nobody writes to the file; a full disk may leave it to the mark it has."""
    with suppress(sqlite3.Error):
        db.execute(f"PRAGMA application_id = {tag:d}")
