"""Small files as rows, by the paths at which they would lie below the storage folder.

A file of a namespace's folder belongs to that namespace, one of the root to the namespace ''.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...infra.regular_files import Stamp
from .connection import BIND_NAMESPACE, Connection
from .database import Database
from .names import stored_name
from .writes import mark_erased

_STAMP = "SELECT version FROM documents WHERE namespace = %s AND name = %s"
_READ = "SELECT data FROM documents WHERE namespace = %s AND name = %s"
_REPLACE = """INSERT INTO documents (namespace, name, version, data)
    VALUES (%s, %s, nextval('document_versions'), %s)
    ON CONFLICT (namespace, name) DO UPDATE
    SET version = EXCLUDED.version, data = EXCLUDED.data"""
_REMOVE = "DELETE FROM documents WHERE namespace = %s AND name = %s"
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 22))"


class Documents:
    """Implements SmallFiles. The calls of a thread inside changing() are one transaction."""

    pause_s = 1.0  # each check is a query

    def __init__(self, database: Database, root: Path) -> None:
        self._database = database
        self._root = root
        self._own = threading.local()

    def stamp(self, path: Path) -> Stamp | None:
        found = self._rows(path, _STAMP)
        return int(found[0][0]) if found else None

    def read(self, path: Path) -> bytes | None:
        found = self._rows(path, _READ)
        return bytes(found[0][0]) if found else None

    def replace(self, path: Path, data: bytes) -> None:
        with self._writing(path) as connection:
            self.replace_by(connection, path, data)

    def replace_by(self, connection: Connection, path: Path, data: bytes) -> None:
        """Replaces the content in a transaction that is bound to the file's namespace."""
        connection.execute(_REPLACE, [*self._key(path), data])

    def remove(self, path: Path) -> None:
        with self._writing(path) as connection:
            self.remove_by(connection, path)

    def remove_by(self, connection: Connection, path: Path) -> None:
        """Removes the file in a transaction that is bound to its namespace."""
        connection.execute(_REMOVE, self._key(path))

    def scrub_later(self, path: Path) -> None:
        """Marks the partition of the file, which scrub() then rewrites."""
        with self._writing(path) as connection:
            mark_erased(connection, self._key(path)[0])

    @contextmanager
    def changing(self, path: Path) -> Iterator[None]:
        """Keeps all other threads and programs from changing the file in the block."""
        with self._writing(path) as connection:
            connection.execute(_LOCK, ["/".join(self._key(path))])
            yield

    @contextmanager
    def _writing(self, path: Path) -> Iterator[Connection]:
        """Yields a connection in a transaction, that of changing() if this thread is inside it."""
        namespace, _ = self._key(path)
        held = self._held()
        if held is not None:
            with self._database.translate_errors():
                held.execute(BIND_NAMESPACE, [namespace])
                yield held
            return
        with self._database.transaction(namespace) as connection:
            self._own.connection = connection
            try:
                yield connection
            finally:
                self._own.connection = None

    def _rows(self, path: Path, query: str) -> list[Any]:
        if self._held() is None:
            namespace, name = self._key(path)
            return self._database.rows(namespace, query, namespace, name)
        with self._writing(path) as connection:
            return list(connection.execute(query, self._key(path)).fetchall())

    def _held(self) -> Connection | None:
        return getattr(self._own, "connection", None)

    def _key(self, path: Path) -> tuple[str, str]:
        """Returns the namespace and the name of a file."""
        folder = path.parent.relative_to(self._root).as_posix()
        return ("" if folder == "." else stored_name(folder)), path.name
