"""The namespaces that have a log in the database, and the space that each takes."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...domain.namespaces import Namespace, named_by
from ...infra.lru_cache import LRUCache
from ..disk_usage import CATALOG, VECTORS, WORDS, Usage
from ..manifest import MANIFEST, decode_manifest, encode_manifest
from .database import Database
from .documents import Documents
from .names import original_name, stored_name

_MAX_CACHED = 20_000
_NO_NAMESPACE = ""
_ALL = "SELECT name FROM list_namespaces() ORDER BY name"
_RECENT = "SELECT name FROM list_namespaces() ORDER BY written_at DESC LIMIT %s"
_WRITTEN_AT = """SELECT name, extract(epoch FROM written_at)::double precision
    FROM find_namespaces(%s::text[])"""
_PARTS = {
    CATALOG: ("memories", "places", "derivation_refs", "mentioned_times"),
    WORDS: ("postings", "lengths"),
    VECTORS: ("vectors", "wanted_vectors"),
}
_LOGS = "SELECT coalesce(sum(size), 0)::bigint FROM log_ends WHERE namespace = %s"
_BYTES = "SELECT coalesce(sum(pg_column_size(t.*)), 0)::bigint FROM {} AS t WHERE namespace = %s"
_OTHER = "documents"
_log = logging.getLogger(__name__)


class NamespacesInTables:
    """Implements KnownNamespaces. Caches which namespaces exist."""

    def __init__(self, database: Database, documents: Documents, root: Path) -> None:
        self._database = database
        self._documents = documents
        self._root = root
        self._existing: LRUCache[Namespace, bool] = LRUCache(_MAX_CACHED)

    def all(self) -> list[Namespace]:
        return list(self._known_namespaces(self._database.rows(_NO_NAMESPACE, _ALL)))

    def has(self, namespace: Namespace) -> bool:
        return bool(self.existing([namespace]))

    def existing(self, namespaces: Sequence[Namespace]) -> list[Namespace]:
        unknown = [one for one in namespaces if not self._existing.get(one)]
        found = self._written_at(unknown) if unknown else {}
        for namespace in found:
            self._existing.put(namespace, True)
        return [one for one in namespaces if one in found or one not in unknown]

    def drop(self, namespace: Namespace) -> None:
        """Drops a namespace from the cache, since it may have been deleted."""
        self._existing.pop(namespace)

    def last_written_at(self, namespace: Namespace) -> float:
        return self._written_at([namespace]).get(namespace, 0.0)

    def recently_written(self, limit: int) -> list[Namespace]:
        return list(self._known_namespaces(self._database.rows(_NO_NAMESPACE, _RECENT, limit)))

    def note_names(self, namespace: Namespace) -> None:
        if namespace == Namespace.world() or named_by(Path(namespace.relative_folder)):
            return
        path = namespace.folder(self._root) / MANIFEST
        if self._documents.stamp(path) is None:
            self._documents.replace(path, encode_manifest(namespace))

    def _written_at(self, namespaces: Sequence[Namespace]) -> dict[Namespace, float]:
        keys = {stored_name(one.relative_folder): one for one in namespaces}
        found = self._database.rows(_NO_NAMESPACE, _WRITTEN_AT, list(keys))
        return {keys[name]: at for name, at in found}

    def _known_namespaces(self, rows: list[tuple[str]]) -> Iterator[Namespace]:
        for (key,) in rows:
            if namespace := self._namespace_of(Path(original_name(key))):
                yield namespace

    def _namespace_of(self, folder: Path) -> Namespace | None:
        if folder.as_posix() == Namespace.world().relative_folder:
            return Namespace.world()
        return named_by(folder) or self._named_by_manifest(self._root / folder)

    def _named_by_manifest(self, folder: Path) -> Namespace | None:
        """Returns the namespace whose names are too long for its key."""
        data = self._documents.read(folder / MANIFEST)
        try:
            manifest = decode_manifest(data, folder / MANIFEST) if data else None
            namespace = Namespace.from_fields(manifest) if manifest else None
        except StorageCorrupt as exc:
            _log.warning("a namespace is not listed: %s", exc)
            return None
        return namespace if namespace and namespace.folder(self._root) == folder else None


def measure(database: Database, namespace: Namespace) -> Usage:
    """Returns the bytes of a namespace; backups count 0. Reads all its rows. Raises StorageFailed.

    A limit on bytes compares these numbers, so that the server's own storage does not count.
    """
    key = stored_name(namespace.relative_folder)
    return Usage(
        logs=_sum(database, key, _LOGS),
        index={
            part: sum(_sum(database, key, _BYTES.format(table)) for table in tables)
            for part, tables in _PARTS.items()
        },
        other=_sum(database, key, _BYTES.format(_OTHER)),
    )


def _sum(database: Database, key: str, query: str) -> int:
    ((total,),) = database.rows(key, query, key)
    return int(total)
