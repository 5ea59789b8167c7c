"""Copies vectors to another namespace of the database, so that nothing is embedded again.

A vector is found by the id of its memory and by its text, which a rename or a merge leaves as they
are. Row-level security shows one namespace at a time, so each batch is read under the one name and
written under the other.
"""

from collections.abc import Iterator

from .connection import BIND_NAMESPACE, Connection
from .half_vectors import HalfVector

_BATCH = 2000
# Vectors of erased texts, which no memory wants, are not copied.
_READ = """SELECT v.model, v.vector_id, v.vector FROM vectors AS v
    WHERE v.namespace = %s AND (v.model, v.vector_id) > (%s::text COLLATE "C", %s::bigint)
    AND EXISTS (SELECT 1 FROM wanted_vectors AS w
        WHERE w.namespace = v.namespace AND w.vector_id = v.vector_id)
    ORDER BY v.model, v.vector_id LIMIT %s"""
_WRITE = """INSERT INTO vectors (namespace, model, vector_id, vector)
    SELECT %s, a.* FROM unnest(%s::text[], %s::bigint[], %b::halfvec[]) AS a
    ON CONFLICT DO NOTHING"""
_BEFORE_ALL = ("", -(2**63))


def copy_vectors(connection: Connection, source: str, target: str) -> None:
    """Copies the vectors that memories of `source` want, of all models, inside a transaction."""
    for batch in _batches(connection, source):
        models, ids, vectors = (list(column) for column in zip(*batch, strict=True))
        connection.execute(BIND_NAMESPACE, [target])
        connection.execute(_WRITE, (target, models, ids, [HalfVector(data) for data in vectors]))


def _batches(connection: Connection, source: str) -> Iterator[list[tuple[str, int, bytes]]]:
    last = _BEFORE_ALL
    while True:
        connection.execute(BIND_NAMESPACE, [source])
        found = connection.execute(_READ, (source, *last, _BATCH), binary=True).fetchall()
        if not found:
            return
        yield found
        last = found[-1][:2]
