"""Replaces and deletes whole namespaces in the tables, all of a swap in one transaction.

The new files are made in a folder of this machine that only its owner can read.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from ...domain.errors import StorageFailed
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...infra.scratch_folders import temporary_folder
from ..aliases import ALIASES, Aliases, encode_aliases
from ..engine import SMALL_FILES, write_files
from ..log.event_log import EventLog
from ..log.events import new_secret
from .connection import BIND_NAMESPACE, Connection
from .database import Database, repeat_rolled_back
from .documents import Documents
from .half_vectors import HalfVector
from .names import stored_name
from .namespaces import NamespacesInTables
from .replacing import NewLogs, delete_namespace, lock_unchanged, replace_logs
from .table_log import TableLog

_NO_NAMESPACE = ""
_VECTOR_BATCH = 2000
# Vectors of erased texts, which no memory wants, are not copied.
_READ_VECTORS = """SELECT v.model, v.vector_id, v.vector FROM vectors AS v
    WHERE v.namespace = %s AND (v.model, v.vector_id) > (%s::text COLLATE "C", %s::bigint)
    AND EXISTS (SELECT 1 FROM wanted_vectors AS w
        WHERE w.namespace = v.namespace AND w.vector_id = v.vector_id)
    ORDER BY v.model, v.vector_id LIMIT %s"""
_WRITE_VECTORS = """INSERT INTO vectors (namespace, model, vector_id, vector)
    SELECT %s, a.* FROM unnest(%s::text[], %s::bigint[], %b::halfvec[]) AS a
    ON CONFLICT DO NOTHING"""
_BEFORE_ALL = ("", -(2**63))


class TableSwap:
    """Implements NamespaceSwap. Each copy of a namespace has a storage folder of its own."""

    def __init__(
        self,
        database: Database,
        documents: Documents,
        namespaces: NamespacesInTables,
        *,
        root: Path,
        folder: Path,
    ) -> None:
        self.folder = folder
        self._database = database
        self._documents = documents
        self._namespaces = namespaces
        self._root = root
        self._copies = 0
        self._seen: dict[Namespace, Mapping[str, int]] = {}
        self._aliases: Aliases | None = None

    def current_root(self, namespace: Namespace) -> Path:
        self._copies += 1
        root = self.folder / f"current-{self._copies}"
        log = self._log(namespace)
        write_files(namespace, log, self._documents, namespace.folder(root))
        self._seen[namespace] = EventLog(namespace.folder(root)).logs()
        return root

    def sizes(self, namespace: Namespace) -> Mapping[str, int]:
        return self._log(namespace).logs()

    def new_folder(self, namespace: Namespace) -> Path:
        return self.folder / "new" / namespace.relative_folder

    def scratch_folder(self, namespace: Namespace) -> Path:
        return self.folder / "raw" / namespace.relative_folder

    def set_aliases(self, aliases: Aliases) -> None:
        self._aliases = aliases

    def commit(self, seen: Mapping[Namespace, Mapping[str, int]], keep: Sequence[str]) -> None:
        new = {namespace: self._new_logs(namespace) for namespace in seen}
        self._replace_all(new, seen, keep)
        for namespace, logs in new.items():
            if logs.contents:
                self._namespaces.note_names(namespace)
            self._namespaces.drop(namespace)

    def delete(self, namespace: Namespace) -> None:
        self._delete(namespace, self._seen.get(namespace) or self.sizes(namespace))
        self._namespaces.drop(namespace)

    def delete_if_empty(self, namespace: Namespace) -> None:
        """Does nothing: commit() has deleted namespaces without logs."""

    def _log(self, namespace: Namespace) -> TableLog:
        return TableLog(self._database, namespace.relative_folder, namespace.folder(self._root))

    def _new_logs(self, namespace: Namespace) -> NewLogs:
        folder = self.new_folder(namespace)
        log = EventLog(folder)
        contents = {name: log.content(name) for name in log.logs()}
        return NewLogs(contents=contents, secret=next(iter(log.secrets()), new_secret()))

    @repeat_rolled_back
    def _replace_all(
        self,
        new: Mapping[Namespace, NewLogs],
        seen: Mapping[Namespace, Mapping[str, int]],
        keep: Sequence[str],
    ) -> None:
        with self._database.transaction(_NO_NAMESPACE) as connection:
            ordered = sorted(seen, key=lambda one: one.relative_folder)
            keys = {one: self._lock(connection, one, seen[one]) for one in ordered}
            self._copy_vectors(connection, new)
            for namespace, key in keys.items():
                connection.execute(BIND_NAMESPACE, [key])
                if not new[namespace].contents:
                    delete_namespace(connection, key)
                    continue
                replace_logs(connection, key, new[namespace])
                self._replace_small_files(connection, namespace, keep)
            if self._aliases is not None:
                connection.execute(BIND_NAMESPACE, [_NO_NAMESPACE])
                aliases = encode_aliases(self._aliases)
                self._documents.replace_by(connection, self._root / ALIASES, aliases)

    def _copy_vectors(self, connection: Connection, new: Mapping[Namespace, NewLogs]) -> None:
        """Copies the vectors of each namespace that becomes an alias to its target."""
        aliases = self._aliases.namespaces if self._aliases else {}
        for old, logs in new.items():
            target = aliases.get(old)
            if target is not None and target in new and not logs.contents:
                source, name = (stored_name(one.relative_folder) for one in (old, target))
                _copy_between(connection, source, name)

    @repeat_rolled_back
    def _delete(self, namespace: Namespace, seen: Mapping[str, int]) -> None:
        with self._database.transaction(_NO_NAMESPACE) as connection:
            delete_namespace(connection, self._lock(connection, namespace, seen))

    def _lock(self, connection: Connection, namespace: Namespace, seen: Mapping[str, int]) -> str:
        """Keeps others from writing to the namespace until the transaction ends; returns its key.

        Raises StorageFailed if it was written to since `seen`.
        """
        key = stored_name(namespace.relative_folder)
        connection.execute(BIND_NAMESPACE, [key])
        if not lock_unchanged(connection, key, seen):
            raise StorageFailed(
                f"{namespace.label} was written to meanwhile: nothing was changed; try again"
            )
        return key

    def _replace_small_files(
        self, connection: Connection, namespace: Namespace, keep: Sequence[str]
    ) -> None:
        for name in SMALL_FILES:
            made = self.new_folder(namespace) / name
            path = namespace.folder(self._root) / name
            if durable_files.exists(made):
                self._documents.replace_by(connection, path, made.read_bytes())
            elif name not in keep:
                self._documents.remove_by(connection, path)


@contextmanager
def begin_table_swap(
    database: Database, documents: Documents, namespaces: NamespacesInTables, root: Path
) -> Iterator[TableSwap]:
    """Yields a swap with a folder of its own in the system's folder for temporary files."""
    with temporary_folder() as folder:
        yield TableSwap(database, documents, namespaces, root=root, folder=Path(folder))


def _copy_between(connection: Connection, source: str, target: str) -> None:
    """Copies the vectors that memories of `source` want, of all models, inside a transaction.

    So nothing is embedded again: a vector is found by the id of its memory and by its text, which a
    rename or a merge leaves as they are. Row-level security shows one namespace at a time, so each
    batch is read under the one name and written under the other.
    """
    for batch in _vector_batches(connection, source):
        models, ids, vectors = (list(column) for column in zip(*batch, strict=True))
        connection.execute(BIND_NAMESPACE, [target])
        connection.execute(
            _WRITE_VECTORS, (target, models, ids, [HalfVector(data) for data in vectors])
        )


def _vector_batches(connection: Connection, source: str) -> Iterator[list[tuple[str, int, bytes]]]:
    last = _BEFORE_ALL
    while True:
        connection.execute(BIND_NAMESPACE, [source])
        found = connection.execute(
            _READ_VECTORS, (source, *last, _VECTOR_BATCH), binary=True
        ).fetchall()
        if not found:
            return
        yield found
        last = found[-1][:2]
