"""SQLite file of one namespace: its connections, and the handling of damage.

The file is derived. If it is damaged, foreign or of another version, it is replaced by a new one.
"""

import json
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from os.path import samestat
from pathlib import Path
from typing import Any

from ....domain.errors import StorageCorrupt, StorageError, StorageFailed
from ....infra import durable_files
from ....infra.deadlines import checked_once
from .schema import VERSION, fill

_CACHE_KIB = 16_384  # a search of 10,000 memories reads far more than SQLite's 2 MB
_WAL_PAGES = 4_000  # 16 MB: pages that many inserts touch are copied once
_REPLACED = -1  # version in a file that was replaced
_SIDE_FILES = ("-wal", "-shm")  # files that SQLite keeps
_IN_MEMORY = "file:long-term-memory-"
_LOCKED_S = 5.0  # how long SQLite waits for another program
_IN_USE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = NORMAL",
    "secure_delete = ON",
    f"cache_size = -{_CACHE_KIB}",
    f"wal_autocheckpoint = {_WAL_PAGES}",
)

# SQLite does not know how short the list is: write "+state" beside it, or it scans all rows of
# that state instead.
LIST = "(SELECT value FROM json_each(?))"


def as_json_list(values: Sequence[object]) -> str:
    """Returns the values for LIST; SQLite limits the number of question marks."""
    return json.dumps(list(values))


class Database:
    """Two connections to one SQLite file: one writes, one reads, each behind its own lock.

    Safe for many threads. Readers never wait for writers and see whole transactions only; in
    memory, where SQLite refuses to read during a write, they do wait.

    SQLite's errors become StorageFailed, or StorageCorrupt where the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._lock, self._reading = threading.RLock(), threading.RLock()
        self._path = path
        self._target, self._generation, fault = _connection_target(path), -1, ""
        try:
            db = _open(path, self._target)
        except StorageCorrupt as exc:  # the first query raises it, and the caller recreates it
            fault, self._target = str(exc), _memory()
            db = _connect(self._target)
        with translate_errors, durable_files.naming_errors(path):
            self._use(db)
        self._fault = fault

    @contextmanager
    def write_connection(self) -> Iterator[sqlite3.Connection]:
        """Yields the writing connection, to one thread at a time."""
        if not (self._fault or checked_once(self, self._is_same_file)):
            self._follow_replaced_file()
        with self._lock, translate_errors:
            if self._fault:
                raise StorageCorrupt(self._fault)
            yield self._db

    @contextmanager
    def read_connection(self) -> Iterator[sqlite3.Connection]:
        """Yields the reading connection; all statements within see one snapshot."""
        if not (self._fault or checked_once(self, self._is_same_file)):
            self._follow_replaced_file()
        with self._memory_lock, self._reading, translate_errors:
            if self._fault:
                raise StorageCorrupt(self._fault)
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
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yields the writing connection in a transaction: all or nothing is written."""
        with self.write_connection() as db:
            with durable_files.naming_errors(self._path):
                _claim(db, _tag(self._target))
            self._is_marked = True
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:  # an open transaction would block all other writers
                if db.in_transaction:  # SQLite rolls back by itself when the disk fails
                    db.execute("ROLLBACK")
                raise

    def version(self) -> tuple[int, int]:
        """Returns a value that changes with every write and whenever the file is replaced."""
        return self._generation, int(self.rows("PRAGMA data_version")[0][0])

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of one statement; called several times in each search."""
        if not (self._fault or checked_once(self, self._is_same_file)):
            self._follow_replaced_file()
        with self._memory_lock, self._reading, translate_errors:
            if self._fault:
                raise StorageCorrupt(self._fault)
            return self._reader.execute(sql, values).fetchall()

    def recreate(self) -> None:
        """Replaces the file by an empty one, so that nothing of the old rows remains in it."""
        with self._lock, self._reading, translate_errors:
            self._fault = f"{self._path} could not be created again"  # until it is
            self._reader.close()
            self._db.close()
            self._target = _connection_target(self._path)
            self._use(_create(self._path, self._target))

    def is_in_place(self) -> bool:
        """Returns whether the open file is at its path, or one put there by replace_file()."""
        if checked_once(self, self._is_same_file):
            return True
        with suppress(StorageError):
            self._follow_replaced_file()
        return self._is_same_file()

    def _is_same_file(self) -> bool:
        """Returns whether the open file is the one at its path; true if the disk does not answer.

        A catalog in memory is always in place.
        """
        if self.is_in_memory:
            return True
        try:
            found = durable_files.stat_or_none(self._path)
        except StorageFailed:
            return True
        return found is not None and self._file is not None and samestat(found, self._file)

    def find_damage(self) -> list[str]:
        """Returns the problems that SQLite finds in the file."""
        found = [problem for (problem,) in self.rows("PRAGMA integrity_check(5)")]
        return (
            [] if found == ["ok"] else [f"the catalog is damaged: {problem}" for problem in found]
        )

    def open_second_connection(self) -> sqlite3.Connection:
        """Opens a connection for long reads, so that nobody waits for them."""
        return _connect(self._target)

    def replace_file(self, new: Path, generation: int) -> bool:
        """Replaces the file in use by a new one; returns whether it did.

        Does nothing if the file was recreated since this generation. Raises StorageFailed while
        another program reads the old file.
        """
        with self._lock, self._reading, translate_errors:
            if self._generation != generation:
                return False
            if not self.checkpoint():
                raise StorageFailed(
                    f"{self._path} is read by another program: erasing is tried again later"
                )
            self._db.execute(f"PRAGMA user_version = {_REPLACED:d}")  # others reopen it then
            self._fault = f"{self._path} could not be opened again"
            self._reader.close()
            self._db.close()
            try:
                with durable_files.naming_errors(self._path):
                    for suffix in _SIDE_FILES:
                        durable_files.remove(Path(f"{self._path}{suffix}"))
                    os.replace(new, self._path)
                durable_files.sync_folder(self._path.parent)
            finally:
                self._use(_connect(self._target))
            return True

    def _follow_replaced_file(self) -> None:
        """Switches to the file by which another program replaced this one."""
        if self._fault or self._is_in_use():
            return  # the next caller does it
        with self._lock, self._reading, translate_errors:
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version == _REPLACED and durable_files.stat_or_none(self._path):
                self._reader.close()
                self._db.close()
                self._use(_connect(self._target))

    def _is_in_use(self) -> bool:
        """Returns whether a transaction is open, or another thread is replacing the file."""
        try:
            return self._reader.in_transaction or self._db.in_transaction
        except sqlite3.ProgrammingError:  # closed until the other thread has opened the new file
            return True

    def _use(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._file = durable_files.stat_or_none(self._path)  # opening it would break SQLite's locks
        self._reader = _connect(self._target)
        self.is_in_memory = self._target.startswith(_IN_MEMORY)
        self._memory_lock = self._lock if self.is_in_memory else _NO_LOCK
        self._is_marked = False
        self._generation += 1
        self._fault = ""

    def checkpoint(self) -> bool:
        """Moves the write-ahead log into the file; returns whether that was possible.

        Readers wait only for the last part.
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


class _ErrorTranslation(AbstractContextManager["_ErrorTranslation"]):
    """Turns SQLite's errors into ours. A class, since each search enters it several times and a
    generator takes three times as long.
    """

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: object
    ) -> None:
        if isinstance(exc, (sqlite3.OperationalError, sqlite3.ProgrammingError)):  # full; closed
            raise StorageFailed(f"the catalog cannot be used: {exc}") from exc
        if isinstance(exc, sqlite3.DatabaseError):
            raise StorageCorrupt(f"the catalog is damaged: {exc}") from exc


translate_errors, _NO_LOCK = _ErrorTranslation(), nullcontext()


def _connection_target(path: Path) -> str:
    """Returns SQLite's target: the path, or memory where the folder is read-only."""
    folder = next(parent for parent in path.absolute().parents if durable_files.is_folder(parent))
    return str(path) if os.access(folder, os.W_OK) else _memory()


def _memory() -> str:
    return f"{_IN_MEMORY}{secrets.token_hex(8)}?mode=memory&cache=shared"


def _open(path: Path, place: str) -> sqlite3.Connection:
    """Opens a catalog of this version, or creates an empty one in place of an older one.

    Raises StorageCorrupt for one that is damaged or foreign.
    """
    if not place.startswith(_IN_MEMORY) and durable_files.stat_or_none(path):
        try:
            db = _connect(place)
            if _is_usable(db, path):
                return db
            db.close()
        except sqlite3.DatabaseError as exc:
            if exc.sqlite_errorcode in _IN_USE:
                raise StorageFailed(f"{path} is in use by another program") from exc
            raise StorageCorrupt(f"{path} is damaged: {exc}") from exc
    with translate_errors:
        return _create(path, place)


def _create(path: Path, place: str) -> sqlite3.Connection:
    """Creates a complete file, then moves it there: others take one without tables for unusable."""
    if place.startswith(_IN_MEMORY):
        db = _connect(place)
        fill(db)
        return db
    with durable_files.temporary_file(path.parent) as new:
        with closing(sqlite3.connect(new, isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = MEMORY")  # leaves no second file behind if killed
            fill(db)
        with durable_files.naming_errors(path):
            _put_in_place(new, path)
    return _connect(place)


def _put_in_place(new: Path, path: Path) -> None:
    """Moves the new file to `path`. If another program just created one there, that one stays."""
    is_first = not durable_files.stat_or_none(path)
    folders = [path] if durable_files.is_folder(path) else []
    for unwanted in (*folders, *(Path(f"{path}{suffix}") for suffix in _SIDE_FILES)):
        durable_files.remove(unwanted)
    try:
        (os.link if is_first else os.replace)(new, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        os.replace(new, path)


def _connect(place: str) -> sqlite3.Connection:
    in_memory = place.startswith(_IN_MEMORY)
    db = sqlite3.connect(
        place, isolation_level=None, check_same_thread=False, timeout=_LOCKED_S, uri=in_memory
    )
    try:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _is_usable(db: sqlite3.Connection, path: Path) -> bool:
    """Returns whether the file is of this version and completely created.

    Raises StorageCorrupt where it belongs to another program or was copied while in use.
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
    """Returns a number that distinguishes this file from copies, which may mix several states."""
    with durable_files.naming_errors(place):
        return 0 if place.startswith(_IN_MEMORY) else 1 + os.stat(place).st_ino % 0x7FFFFFFF


def _claim(db: sqlite3.Connection, tag: int) -> None:
    """Marks the file as being written; another program may have cleared the mark when it closed."""
    if db.execute("PRAGMA application_id").fetchone() != (tag,):
        _mark(db, tag)


def _mark(db: sqlite3.Connection, tag: int) -> None:
    """Writes the mark; 0 means that nobody writes to the file. A full disk leaves the old mark."""
    with suppress(sqlite3.Error):
        db.execute(f"PRAGMA application_id = {tag:d}")
