"""The vector index of one namespace in PostgreSQL with pgvector, in half precision."""

from collections.abc import Collection, Sequence

import numpy as np

from ...providers.embedders.base import Vectors
from ..contract import (
    NO_FILTER,
    Column,
    PassageColumns,
    PendingEmbedding,
    SearchFilter,
    Side,
    VectorPair,
)
from ..index.catalog.rows import pending_embeddings
from .database import Database, repeat_rolled_back
from .filters import search_condition
from .half_vectors import HalfVector, decoded
from .names import array_of, literal, original_name, stored_name
from .reads import Reads
from .writes import lock_namespace, wipe_vectors

_UNIT_TOLERANCE = 0.05
_INDEXED_FROM = 50_000  # live memories; the vectors of fewer are compared one by one, in 40 ms
_MOST_COMPARED = 10_000
# Takes the nearest vectors first, which an index can serve, then the memories that want them. Keys
# are unique, so LIMIT 1 only makes the planner look up each row instead of joining whole tables.
# Namespace and model are literals, since a plan for all values would not use their index.
_NEAREST = """WITH near AS MATERIALIZED (
    SELECT vector_id, vector::halfvec({dim}) <#> %s::halfvec({dim}) AS distance FROM vectors
    WHERE namespace = {own} AND model = {model}
    ORDER BY vector::halfvec({dim}) <#> %s::halfvec({dim}) LIMIT {limit})
    SELECT m.id, m.row, near.vector_id, -near.distance FROM near
    CROSS JOIN LATERAL (SELECT row FROM wanted_vectors
        WHERE namespace = {own} AND vector_id = near.vector_id AND state = 1 LIMIT 1) AS w
    CROSS JOIN LATERAL (SELECT m.id, m.row FROM memories AS m WHERE m.namespace = {own}
        AND m.row = w.row AND m.state = 'live' AND {condition} LIMIT 1) AS m
    ORDER BY near.distance, m.row"""
# Applies the filter first and then compares all vectors: exact, however few pass.
_NEAREST_ALLOWED = """SELECT m.id FROM memories AS m
    JOIN wanted_vectors AS w ON w.namespace = m.namespace AND w.row = m.row
    JOIN vectors AS v ON v.namespace = w.namespace AND v.vector_id = w.vector_id
    WHERE m.namespace = %s AND v.model = %s AND w.state = 1 AND m.state = 'live' AND {condition}
    GROUP BY m.id, m.row ORDER BY min(v.vector <#> %s::halfvec), m.row LIMIT %s"""
_WIDER, _FILTERED_WIDER = 3, 8  # vectors compared for each wanted memory
_PENDING = """SELECT w.vector_id, w.side, m.data FROM wanted_vectors AS w
    JOIN memories AS m ON m.namespace = w.namespace AND m.row = w.row
    WHERE w.namespace = %s AND w.state = 0 ORDER BY w.row DESC, w.side LIMIT %s"""
_GET = """SELECT m.id, w.side, v.vector FROM memories AS m
    JOIN wanted_vectors AS w ON w.namespace = m.namespace AND w.row = m.row
    JOIN vectors AS v ON v.namespace = w.namespace AND v.vector_id = w.vector_id
    WHERE m.namespace = %s AND v.model = %s AND m.id = ANY(%s::text[])"""
_COSINES = """SELECT vector_id, -(vector <#> %s::halfvec) FROM vectors
    WHERE namespace = %s AND model = %s AND vector_id = ANY(%s::bigint[])"""
_PAIRS = """SELECT m.id FROM wanted_vectors AS u
    JOIN wanted_vectors AS a ON a.namespace = u.namespace AND a.row = u.row AND a.side = 1
    JOIN memories AS m ON m.namespace = u.namespace AND m.row = u.row
    WHERE u.namespace = %s AND u.side = 0 AND u.state = 1 AND a.state = 1
    ORDER BY u.vector_id LIMIT %s"""
_MODEL = "SELECT model FROM namespaces WHERE namespace = %s"
_USE = "UPDATE namespaces SET model = %s WHERE namespace = %s"
_RECONCILE = """UPDATE wanted_vectors AS w SET state = EXISTS (SELECT 1 FROM vectors AS v
    WHERE v.namespace = w.namespace AND v.model = %s AND v.vector_id = w.vector_id)::int
    WHERE w.namespace = %s"""
_OTHERS = "SELECT EXISTS (SELECT 1 FROM vectors WHERE namespace = %s AND model <> %s)"
_WANTED = (
    "SELECT vector_id FROM wanted_vectors WHERE namespace = %s AND vector_id = ANY(%s::bigint[])"
)
_ADD = """INSERT INTO vectors (namespace, model, vector_id, vector)
    SELECT %s, %s, a.vector_id, a.vector FROM unnest(%s::bigint[], %b::halfvec[])
    AS a (vector_id, vector)
    ON CONFLICT (namespace, model, vector_id) DO UPDATE SET vector = excluded.vector"""
_SET_STATE = """UPDATE wanted_vectors SET state = %s
    WHERE namespace = %s AND vector_id = ANY(%s::bigint[])"""
_STORED, _UNUSABLE = 1, 2
_SIZE = "SELECT live FROM namespaces WHERE namespace = %s"
_BUILD = "SELECT build_vector_index(%s, %s)"
_HAS_ORPHANS = "SELECT has_orphans FROM namespaces WHERE namespace = %s"


class PostgresVectors:
    """A VectorIndex of one namespace. Safe for many threads."""

    def __init__(self, database: Database, reads: Reads) -> None:
        self._db = database
        self._reads = reads
        self._model = ("", 0)  # name and width
        self._indexed_model = ""

    @property
    def has_model(self) -> bool:
        return self._model[0] != ""

    @repeat_rolled_back
    def use_model(self, fingerprint: str, dim: int) -> None:
        own, model = self._reads.namespace, stored_name(f"{fingerprint} {dim}")
        if self._db.rows(own, _MODEL, own) != [(model,)]:
            with self._db.transaction(own) as connection:
                if lock_namespace(connection, own).model != model:
                    connection.execute(_USE, (model, own))
                    connection.execute(_RECONCILE, (model, own))
        self._model = (model, dim)

    def has_other_models(self) -> bool:
        return self.has_model and bool(self._reads.rows(_OTHERS, self._model[0])[0][0])

    def pending(self, limit: int) -> list[PendingEmbedding]:
        if not self.has_model:
            return []
        return pending_embeddings(self._reads.rows(_PENDING, limit))

    @repeat_rolled_back
    def add(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        own, (model, _) = self._reads.namespace, self._model
        given = dict(zip(vector_ids, vectors, strict=True))
        if not given or not model:
            return
        with self._db.transaction(own) as connection:
            head = lock_namespace(connection, own)
            rows = connection.execute(_WANTED, (own, list(given))).fetchall()
            wanted = [vector_id for (vector_id,) in rows]
            usable = [vector_id for vector_id in wanted if _is_unit(given[vector_id])]
            given_vectors = [HalfVector.of(given[vector_id]) for vector_id in usable]
            if usable:
                connection.execute(_ADD, (own, model, usable, given_vectors))
            if head.model == model:
                unusable = sorted(set(wanted) - set(usable))
                connection.execute(_SET_STATE, (_STORED, own, usable))
                connection.execute(_SET_STATE, (_UNUSABLE, own, unusable))

    def search(self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER) -> list[str]:
        model, dim = self._model
        if query.shape != (dim,) or not model:
            return []
        found = self._near(query, limit * (_WIDER if only == NO_FILTER else _FILTERED_WIDER), only)
        if len(found) < limit:
            found = self._near_allowed(query, limit, only)
        return found[:limit]

    def _near(self, query: Vectors, count: int, only: SearchFilter) -> list[str]:
        """Returns the memories of the `count` nearest vectors, as far as the filter allows."""
        (model, dim), asked = self._model, HalfVector.of(query)
        condition, values = search_condition(only)
        sql = _NEAREST.format(
            dim=dim,
            own=self._reads.own,
            model=literal(model),
            limit=min(count, _MOST_COMPARED),
            condition=condition,
        )
        read = self._reads.run(sql, asked, asked, *values)
        found = {original_name(memory_id): row for memory_id, row, _, _ in read}
        self._reads.note_rows(found)
        self._reads.note_cosines(asked, {vector_id: cosine for _, _, vector_id, cosine in read})
        return list(found)

    def _near_allowed(self, query: Vectors, limit: int, only: SearchFilter) -> list[str]:
        condition, values = search_condition(only)
        sql = _NEAREST_ALLOWED.format(condition=condition)
        rows = self._reads.rows(sql, self._model[0], *values, HalfVector.of(query), limit)
        return [original_name(memory_id) for (memory_id,) in rows]

    def get(self, ids: Collection[str]) -> dict[str, VectorPair]:
        if not self.has_model:
            return {}
        asked = [stored_name(memory_id) for memory_id in ids]
        sides: dict[str, list[Vectors | None]] = {}
        for memory_id, side, data in self._reads.rows(_GET, self._model[0], asked):
            sides.setdefault(original_name(memory_id), [None, None])[side] = decoded(data)
        return {memory_id: (user, answer) for memory_id, (user, answer) in sides.items()}

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        model, dim = self._model
        wanted = passages.vectors[: passages.weighed_count]
        if query.shape != (dim,) or not model:
            return np.full((len(wanted), len(Side)), np.nan)
        asked, flat = HalfVector.of(query), wanted.ravel().tolist()
        known = self._reads.known_cosines(asked)
        missing = [vector_id for vector_id in flat if vector_id and vector_id not in known]
        given = (asked, self._reads.namespace, model, array_of(missing))
        known = {**known, **dict(self._reads.run(_COSINES, *given))}
        found = np.array([known.get(vector_id, np.nan) for vector_id in flat], dtype=np.float64)
        return found.reshape(wanted.shape)

    def embedded_pairs(self, limit: int) -> list[str]:
        if not self.has_model:
            return []
        return [original_name(memory_id) for (memory_id,) in self._reads.rows(_PAIRS, limit)]

    def keep_sample(self, ids: Collection[str], content: bytes) -> None:
        """Does nothing, since the database reads a sample in one query."""

    def kept_sample(self) -> bytes:
        return b""

    @repeat_rolled_back
    def wipe_orphans(self) -> bool:
        """Deletes vectors of texts that changed or disappeared; returns whether there were any."""
        own = self._reads.namespace
        if self._db.rows(own, _HAS_ORPHANS, own) != [(True,)]:
            return False
        with self._db.transaction(own) as connection:
            lock_namespace(connection, own)
            wipe_vectors(connection, own)
        return True

    def build_index(self) -> bool:
        """Builds the index of a large namespace, once; returns whether it did."""
        own, (model, dim) = self._reads.namespace, self._model
        if not model or self._indexed_model == model:
            return False
        is_large = any(live >= _INDEXED_FROM for (live,) in self._db.rows(own, _SIZE, own))
        if not is_large or self.pending(1):
            return False
        is_built = self._build(own, model, dim)
        self._indexed_model = model
        return is_built

    def _build(self, own: str, model: str, dim: int) -> bool:
        with self._db.transaction(own) as connection:
            connection.answer_limit_s = None
            connection.execute("SET LOCAL statement_timeout = 0")
            return bool(connection.execute(_BUILD, (model, dim)).fetchone()[0])


def _is_unit(row: Vectors) -> bool:
    return bool(np.isclose(np.linalg.norm(row), 1.0, atol=_UNIT_TOLERANCE))
