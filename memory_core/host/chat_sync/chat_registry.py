"""Registry of the host's chat files, so that a restart reads only changed ones.

The SQLite file is derived and contains no chat text. Without it, the chats are scanned again, and
only the marks of deleted chats are lost.
"""

import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...domain.namespaces import Namespace, Scope
from ...domain.unicode import well_formed
from ...infra import durable_files
from ..chat.chat_file import FileStamp

REGISTRY_FILE = "chats.sqlite"
_VERSION = 2
_NO_INODE = -1
_REOPEN_INTERVAL_S = 10.0
_SCHEMA = f"""
CREATE TABLE chats(
    folder TEXT NOT NULL, name TEXT NOT NULL, mtime_ns INTEGER NOT NULL, size INTEGER NOT NULL,
    place TEXT NOT NULL, user TEXT, character TEXT, scope TEXT,
    missing_since REAL, deleted INTEGER NOT NULL DEFAULT 0, file INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE INDEX by_owner ON chats(user, character, scope, deleted);
CREATE TABLE visited(folder TEXT, place TEXT, PRIMARY KEY (folder, place)) WITHOUT ROWID;
PRAGMA user_version = {_VERSION};
"""
_COLUMNS = (
    "folder, name, mtime_ns, size, place, user, character, scope, missing_since, deleted, file"
)
_MIGRATIONS = {1: "ALTER TABLE chats ADD COLUMN file INTEGER NOT NULL DEFAULT 0"}  # by old version


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredChat:
    """A chat file as it was when its chat was last saved.

    `namespace` is None for a chat older than the extension, which is ignored until it continues.
    `folder_identity` is the result of paths.folder_identity().
    """

    folder: str
    name: str
    stamp: FileStamp
    folder_identity: str
    namespace: Namespace | None
    missing_since: float | None = None
    is_deleted: bool = False

    @property
    def path(self) -> Path:
        return Path(self.folder, self.name)


class ChatRegistry:
    """Table of the known chat files, opened when it is used; not thread-safe.

    Falls back to memory on a read-only disk. An in-memory registry lacks earlier runs, and so
    cannot notice chats deleted since: reopen() tries to replace it by the file.
    """

    def __init__(
        self,
        path: Callable[[], Path],
        *,
        on_replaced: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Calls `path` on every use, since the storage folder may change.

        Calls `on_replaced` when a different table takes over.
        """
        self._path = path
        self._on_replaced = on_replaced
        self._clock = clock
        self._db: sqlite3.Connection | None = None
        self._opened_path: Path | None = None
        self._is_in_memory = False
        self._reopened_at = 0.0

    def reopen(self) -> None:
        """Replaces a table in memory by the file, tried from time to time."""
        if not (self._db and self._opened_path and self._is_in_memory):
            return
        if self._clock() < self._reopened_at:
            return
        self._reopened_at = self._clock() + _REOPEN_INTERVAL_S
        if connection := _open_on_disk(self._opened_path):
            self._db.close()
            self._use(connection)
            self._is_in_memory = False
            self._on_replaced()

    def close(self) -> None:
        self._on_replaced()
        if self._db is not None:
            self._db.close()
            self._db = None

    def _connection(self) -> sqlite3.Connection:
        path = self._path()
        if self._db is not None and self._opened_path == path:
            return self._db
        self.close()
        on_disk = _open_on_disk(path)
        self._opened_path, self._is_in_memory = path, on_disk is None
        return self._use(on_disk or _open_in_memory())

    def _use(self, db: sqlite3.Connection) -> sqlite3.Connection:
        weakref.finalize(self, db.close)  # callers need not close it
        self._db = db
        return db

    def get(self, folder: Path, name: str) -> RegisteredChat | None:
        found = self._rows("folder = ? AND name = ?", str(folder), name)
        return found[0] if found else None

    def put(
        self, path: Path, stamp: FileStamp, folder_identity: str, namespace: Namespace | None
    ) -> None:
        """Records the file as present, with this state of it saved."""
        owner = (namespace.user, namespace.character, namespace.scope) if namespace else [None] * 3
        self._run(
            "INSERT OR REPLACE INTO chats VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, ?)",
            (
                str(path.parent),
                path.name,
                stamp.mtime_ns,
                stamp.size,
                folder_identity,
                *owner,
                stamp.inode,
            ),
        )

    def mark_present(self, chat: RegisteredChat, folder_identity: str) -> None:
        """Records the file as present and unchanged."""
        if (chat.missing_since, chat.folder_identity) != (None, folder_identity):
            self._run(
                "UPDATE chats SET missing_since = NULL, deleted = 0, place = ? "
                "WHERE folder = ? AND name = ?",
                (folder_identity, chat.folder, chat.name),
            )

    def mark_missing(self, chat: RegisteredChat, since: float, *, is_deleted: bool = False) -> None:
        """Records the file as missing since then, in seconds since the epoch."""
        self._run(
            "UPDATE chats SET missing_since = ?, deleted = ? WHERE folder = ? AND name = ?",
            (since, is_deleted, chat.folder, chat.name),
        )

    def invalidate_inode(self, chat: RegisteredChat) -> None:
        """Clears the inode: another file has it now, so this file was deleted."""
        self._run(
            "UPDATE chats SET file = ? WHERE folder = ? AND name = ?",
            (_NO_INODE, chat.folder, chat.name),
        )

    def archive(self, chat: RegisteredChat, name: str, since: float) -> None:
        """Renames a deleted chat whose name now belongs to another chat."""
        self._run(
            "UPDATE chats SET name = ?, missing_since = ?, deleted = 1 "
            "WHERE folder = ? AND name = ?",
            (name, since, chat.folder, chat.name),
        )

    def delete(self, chat: RegisteredChat) -> None:
        self._run("DELETE FROM chats WHERE folder = ? AND name = ?", (chat.folder, chat.name))

    def in_folder(self, folder: Path) -> list[RegisteredChat]:
        return self._rows("folder = ?", str(folder))

    def deleted_chats_of(self, namespace: Namespace) -> list[RegisteredChat]:
        owner = namespace.user, namespace.character, namespace.scope
        return self._rows("user = ? AND character = ? AND scope = ? AND deleted = 1", *owner)

    def owners(self) -> set[Namespace]:
        """Returns the owners of all chats."""
        sql = "SELECT DISTINCT user, character, scope FROM chats WHERE user IS NOT NULL"
        return {_owner(*row) for row in self._run(sql)}

    def clear_owner(self, namespace: Namespace) -> None:
        """Marks the namespace's chats as older than the extension."""
        self._run(
            "UPDATE chats SET user = NULL, character = NULL, scope = NULL, deleted = 0 "
            "WHERE user = ? AND character = ? AND scope = ?",
            (namespace.user, namespace.character, namespace.scope),
        )

    def transfer(self, namespace: Namespace, new: Namespace) -> None:
        """Makes the new namespace the owner of these chats."""
        self._run(
            "UPDATE chats SET user = ?, character = ?, scope = ? "
            "WHERE user = ? AND character = ? AND scope = ?",
            [
                part
                for owner in (new, namespace)
                for part in (owner.user, owner.character, owner.scope)
            ],
        )

    def was_folder_scanned(self, folder: Path, folder_identity: str) -> bool:
        """Returns whether this very folder was scanned before."""
        sql = "SELECT 1 FROM visited WHERE folder = ? AND place = ?"
        return self._run(sql, (str(folder), folder_identity)).fetchone() is not None

    def mark_folder_scanned(self, folder: Path, folder_identity: str) -> None:
        self._run("INSERT OR IGNORE INTO visited VALUES (?, ?)", (str(folder), folder_identity))

    def _rows(self, where: str, *values: object) -> list[RegisteredChat]:
        sql = f"SELECT {_COLUMNS} FROM chats WHERE {where}"  # noqa: S608
        return [_to_registered_chat(row) for row in self._run(sql, values)]

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._connection().execute(sql, list(map(_to_sqlite, values)))


def _to_registered_chat(row: Sequence[object]) -> RegisteredChat:
    (
        folder,
        name,
        mtime_ns,
        size,
        folder_identity,
        user,
        character,
        scope,
        missing_since,
        deleted,
        file,
    ) = row
    return RegisteredChat(
        folder=_from_sqlite(folder),
        name=_from_sqlite(name),
        stamp=FileStamp(int(str(mtime_ns)), int(str(size)), int(str(file))),
        folder_identity=str(folder_identity),
        namespace=None if user is None else _owner(user, character, scope),
        missing_since=None if missing_since is None else float(str(missing_since)),
        is_deleted=bool(deleted),
    )


def _owner(user: object, character: object, scope: object) -> Namespace:
    return Namespace(_from_sqlite(user), _from_sqlite(character), Scope(_from_sqlite(scope)))


def _to_sqlite(value: object) -> object:
    """Encodes strings with lone surrogates, Python's form of file names that are not UTF-8."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value if well_formed(value) == value else value.encode("utf-8", "surrogatepass")


def _from_sqlite(value: object) -> str:
    """Decodes a value that was encoded by _to_sqlite()."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else str(value)


def _open_on_disk(path: Path) -> sqlite3.Connection | None:
    """Opens the file, or replaces an unreadable one; returns None if neither is possible."""
    for attempt in (_open_existing, _create):
        with suppress(sqlite3.Error, OSError):
            return attempt(path)
    return None


def _open_in_memory() -> sqlite3.Connection:
    db = _connect(":memory:")
    db.executescript(_SCHEMA)
    return db


def _open_existing(path: Path) -> sqlite3.Connection:
    if not path.exists():
        return _create(path)
    db = _connect(str(path))
    try:
        db.execute("BEGIN IMMEDIATE")
        if _migrate(db):
            db.execute("COMMIT")
            return db
    except sqlite3.Error:
        db.close()
        raise
    db.close()
    raise sqlite3.DatabaseError(f"{path} has an unknown version")


def _migrate(db: sqlite3.Connection) -> bool:
    """Migrates the tables; returns whether they have the current version now."""
    while (version := db.execute("PRAGMA user_version").fetchone()[0]) in _MIGRATIONS:
        db.execute(_MIGRATIONS[version])
        db.execute(f"PRAGMA user_version = {version + 1}")
    db.execute(f"PRAGMA user_version = {version}")  # raises if the file is read-only
    return bool(version == _VERSION)


def _create(path: Path) -> sqlite3.Connection:
    for suffix in ("", "-journal"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    durable_files.make_folder(path.parent)
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, durable_files.FILE_MODE))
    db = _connect(str(path))
    try:
        db.executescript(_SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db


def _connect(path: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0.2)
    try:
        db.execute("PRAGMA synchronous = OFF")
    except sqlite3.Error:
        db.close()
        raise
    return db
