"""What was seen of the host's chat files, so that a restart reads only what has changed.

Derived: a file that is lost, damaged or cannot be written costs a second look at the chats and the
marks of deleted ones, nothing else. No word of a chat stands in it.
"""

import os
import sqlite3
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...domain.namespaces import Namespace, Scope
from ...infra import durable_files
from ...infra.unicode import well_formed
from ..chat.chat_file import FileStamp

REGISTRY_FILE = "chats.sqlite"
_VERSION = 2
_NO_INODE = -1
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
_MIGRATIONS = {
    1: "ALTER TABLE chats ADD COLUMN file INTEGER NOT NULL DEFAULT 0"
}  # from this version on


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredChat:
    """A chat file as it was when its chat was written down. `namespace` is None for a chat from
    before the extension, which is left alone until somebody goes on with it. `place` tells which
    very folder it lay in (chat_folder.place).
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
    """For one thread at a time. `is_makeshift`: nothing can be written, so it is kept in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        connection = _open_on_disk(path)
        self.is_in_memory = connection is None
        self._set_connection(connection or _open_in_memory())

    def reopen(self) -> bool:
        """Goes on with the file where that can be written by now; whether it can."""
        connection = _open_on_disk(self.path)
        if connection is None:
            return False
        self._db.close()
        self._set_connection(connection)
        self.is_in_memory = False
        return True

    def _set_connection(self, db: sqlite3.Connection) -> None:
        self._db = db
        weakref.finalize(self, db.close)  # whoever had it last need not say so

    def get(self, folder: Path, name: str) -> RegisteredChat | None:
        found = self._rows("folder = ? AND name = ?", str(folder), name)
        return found[0] if found else None

    def put(
        self, path: Path, stamp: FileStamp, folder_identity: str, namespace: Namespace | None
    ) -> None:
        """It is there, and this of it is written down."""
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
        """It is there, and unchanged."""
        if (chat.missing_since, chat.folder_identity) != (None, folder_identity):
            self._run(
                "UPDATE chats SET missing_since = NULL, deleted = 0, place = ? "
                "WHERE folder = ? AND name = ?",
                (folder_identity, chat.folder, chat.name),
            )

    def mark_missing(self, chat: RegisteredChat, since: float, *, is_deleted: bool = False) -> None:
        """It is not there since then."""
        self._run(
            "UPDATE chats SET missing_since = ?, deleted = ? WHERE folder = ? AND name = ?",
            (since, is_deleted, chat.folder, chat.name),
        )

    def invalidate_inode(self, chat: RegisteredChat) -> None:
        """Its number on the disk is another file's by now, so that it is gone."""
        self._run(
            "UPDATE chats SET file = ? WHERE folder = ? AND name = ?",
            (_NO_INODE, chat.folder, chat.name),
        )

    def archive(self, chat: RegisteredChat, name: str, since: float) -> None:
        """It is a deleted one, and its name is another chat's now."""
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
        """Whose chats these are."""
        sql = "SELECT DISTINCT user, character, scope FROM chats WHERE user IS NOT NULL"
        return {_owner(*row) for row in self._run(sql)}

    def clear_owner(self, namespace: Namespace) -> None:
        """Its chats are as if from before the extension."""
        self._run(
            "UPDATE chats SET user = NULL, character = NULL, scope = NULL, deleted = 0 "
            "WHERE user = ? AND character = ? AND scope = ?",
            (namespace.user, namespace.character, namespace.scope),
        )

    def transfer(self, namespace: Namespace, new: Namespace) -> None:
        """Its chats are the new one's."""
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
        """Whether the chats of this very folder were looked through before."""
        sql = "SELECT 1 FROM visited WHERE folder = ? AND place = ?"
        return self._run(sql, (str(folder), folder_identity)).fetchone() is not None

    def mark_folder_scanned(self, folder: Path, folder_identity: str) -> None:
        self._run("INSERT OR IGNORE INTO visited VALUES (?, ?)", (str(folder), folder_identity))

    def close(self) -> None:
        self._db.close()

    def _rows(self, where: str, *values: object) -> list[RegisteredChat]:
        sql = f"SELECT {_COLUMNS} FROM chats WHERE {where}"  # noqa: S608
        return [_to_registered_chat(row) for row in self._run(sql, values)]

    def _run(self, sql: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        return self._db.execute(sql, list(map(_to_sqlite, values)))


def _to_registered_chat(row: Sequence[object]) -> RegisteredChat:
    folder, name, mtime_ns, size, place, user, character, scope, missing_since, deleted, file = row
    return RegisteredChat(
        folder=_from_sqlite(folder),
        name=_from_sqlite(name),
        stamp=FileStamp(int(str(mtime_ns)), int(str(size)), int(str(file))),
        folder_identity=str(place),
        namespace=None if user is None else _owner(user, character, scope),
        missing_since=None if missing_since is None else float(str(missing_since)),
        is_deleted=bool(deleted),
    )


def _owner(user: object, character: object, scope: object) -> Namespace:
    return Namespace(_from_sqlite(user), _from_sqlite(character), Scope(_from_sqlite(scope)))


def _to_sqlite(value: object) -> object:
    """As SQLite takes it. Python names a file whose name is no UTF-8 by lone surrogates."""
    if not isinstance(value, str) or value.isascii():
        return value
    return value if well_formed(value) == value else value.encode("utf-8", "surrogatepass")


def _from_sqlite(value: object) -> str:
    """What was bound."""
    return value.decode("utf-8", "surrogatepass") if isinstance(value, bytes) else str(value)


def _open_on_disk(path: Path) -> sqlite3.Connection | None:
    """What cannot be read is begun anew; None where nothing can be written."""
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
    raise sqlite3.DatabaseError("of another version")


def _migrate(db: sqlite3.Connection) -> bool:
    """Whether it is of this version now."""
    while (version := db.execute("PRAGMA user_version").fetchone()[0]) in _MIGRATIONS:
        db.execute(_MIGRATIONS[version])
        db.execute(f"PRAGMA user_version = {version + 1}")
    db.execute(f"PRAGMA user_version = {version}")  # fails where it may only be read
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


_REOPEN_INTERVAL_S = 10.0


class OpenChatRegistry:
    """Holds one open book. For one thread at a time."""

    def __init__(
        self,
        path: Callable[[], Path],
        *,
        on_replaced: Callable[[], None],
        clock: Callable[[], float],
    ) -> None:
        """Asks `path` anew each time, since the storage folder may change. Calls `forgets` where
        another book may know other chats than this one did.
        """
        self._path = path
        self._on_replaced = on_replaced
        self._clock = clock
        self._registry: ChatRegistry | None = None
        self._reopened_at = 0.0

    def current(self) -> ChatRegistry:
        path = self._path()
        if self._registry is None or self._registry.path != path:
            self.close()
            self._registry = ChatRegistry(path)
        return self._registry

    def reopen(self) -> None:
        """Tries, once in a while, to replace a book that stands in for one that cannot be read: it
        knows nothing of what was seen before, such as chats that are gone.
        """
        if (
            self._registry is None
            or not self._registry.is_in_memory
            or self._clock() < self._reopened_at
        ):
            return
        self._reopened_at = self._clock() + _REOPEN_INTERVAL_S
        if self._registry.reopen():
            self._on_replaced()

    def close(self) -> None:
        self._on_replaced()
        if self._registry is not None:
            self._registry.close()
            self._registry = None
