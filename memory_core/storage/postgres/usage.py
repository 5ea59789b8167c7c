"""Measures the rows of one namespace, without the server's own indexes and dead rows."""

from ...domain.namespaces import Namespace
from ..disk_usage import CATALOG, VECTORS, WORDS, Usage
from .database import Database
from .names import stored_name

_PARTS = {
    CATALOG: ("memories", "places", "derivation_refs", "mentioned_times"),
    WORDS: ("postings", "lengths"),
    VECTORS: ("vectors", "wanted_vectors"),
}
_LOGS = "SELECT coalesce(sum(size), 0)::bigint FROM log_ends WHERE namespace = %s"
_BYTES = "SELECT coalesce(sum(pg_column_size(t.*)), 0)::bigint FROM {} AS t WHERE namespace = %s"
_OTHER = "documents"


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
