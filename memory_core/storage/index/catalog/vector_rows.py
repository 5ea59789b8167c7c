"""Vectors in the catalog: wanted ones with their state, orphaned ones, those of a filter."""

from collections.abc import Collection, Iterator, Sequence
from enum import IntEnum

from ...contract import PendingEmbedding, SearchFilter, Side
from .database import LIST, Database, as_json_list
from .rows import index_conditions, pending_embeddings, sql_condition

_AT_ONCE = 4096


class VectorState(IntEnum):
    """State of a vector that a memory wants."""

    MISSING = 0
    STORED = 1
    UNUSABLE = 2  # not of unit length; embedding again would not help


class VectorRows:
    """The vectors of one catalog. Orphaned ones belong to texts that no memory has any more.

    A trigger lists orphaned vectors until they are off the disk. All other unwanted vectors of the
    checked model are known to be erased.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def ids_of(self, ids: Collection[str]) -> dict[str, dict[Side, int]]:
        found = self._db.rows(
            "SELECT id, side, vector_id FROM entries JOIN vectors USING (row) "  # noqa: S608
            f"WHERE id IN {LIST}",
            as_json_list(list(ids)),
        )
        sides: dict[str, dict[Side, int]] = {}
        for memory_id, side, vector_id in found:
            sides.setdefault(memory_id, {})[Side(side)] = vector_id
        return sides

    def wanted(self, vector_ids: Collection[int]) -> list[int]:
        """Returns those of these vector ids that live memories want."""
        sql = f"SELECT vector_id FROM vectors WHERE vector_id IN {LIST}"  # noqa: S608
        return [vector_id for (vector_id,) in self._db.rows(sql, as_json_list(list(vector_ids)))]

    def embedded_pairs(self, limit: int) -> list[str]:
        """Returns ids of live exchanges with both sides embedded, in arbitrary but stable order."""
        found = self._db.rows(
            "SELECT id FROM vectors AS user "
            "JOIN vectors AS answer ON answer.row = user.row AND answer.side = 1 "
            "JOIN entries ON entries.row = user.row "
            "WHERE user.side = 0 AND user.vector_state = 1 AND answer.vector_state = 1 "
            "ORDER BY user.vector_id LIMIT ?",  # a hash: an arbitrary order
            limit,
        )
        return [memory_id for (memory_id,) in found]

    def set_state(self, vector_ids: Collection[int], state: VectorState) -> None:
        """Sets the state of these vectors; only missing ones are returned by pending_texts."""
        if vector_ids:
            with self._db.transaction() as db:
                db.execute(
                    "UPDATE vectors SET vector_state = ?1 "  # noqa: S608
                    f"WHERE vector_state != ?1 AND vector_id IN {LIST}",
                    (state, as_json_list(list(vector_ids))),
                )

    def pending_texts(self, limit: int) -> list[PendingEmbedding]:
        """Returns the texts of live memories whose vector is missing, newest first."""
        found = self._db.rows(
            "SELECT vector_id, side, data FROM vectors JOIN entries USING (row) "
            "WHERE vector_state = 0 ORDER BY vectors.row DESC, side LIMIT ?",
            limit,
        )
        return pending_embeddings(found)

    def page(self, after: int, limit: int) -> list[tuple[int, int]]:
        """Returns up to `limit` pairs (vector_id, state) above the id `after`, in id order."""
        sql = (
            "SELECT vector_id, vector_state FROM vectors "
            "WHERE vector_id > ? ORDER BY vector_id LIMIT ?"
        )
        return self._db.rows(sql, after, limit)

    def unwanted(self, ids: Sequence[int]) -> list[int]:
        """Returns those of these vector ids that no memory wants."""
        wanted = frozenset(self.wanted(ids))
        return [vector_id for vector_id in ids if vector_id not in wanted]

    def orphaned(self, limit: int) -> list[int]:
        return [
            vector_id
            for (vector_id,) in self._db.rows(
                "SELECT vector_id FROM orphaned_vectors LIMIT ?", limit
            )
        ]

    def add_orphaned(self, ids: Collection[int]) -> None:
        with self._db.transaction() as db:
            rows = [(vector_id,) for vector_id in ids]
            db.executemany("INSERT OR IGNORE INTO orphaned_vectors(vector_id) VALUES (?)", rows)

    def remove_orphaned(self, ids: Collection[int]) -> None:
        with self._db.transaction() as db:
            db.executemany(
                "DELETE FROM orphaned_vectors WHERE vector_id = ?",
                [(vector_id,) for vector_id in ids],
            )

    def clear_orphaned(self) -> None:
        with self._db.transaction() as db:
            db.execute("DELETE FROM orphaned_vectors")

    def checked_model(self) -> str:
        return str(self._db.rows("SELECT model FROM checked_model")[0][0])

    def set_checked_model(self, model: str) -> None:
        with self._db.transaction() as db:
            db.execute("UPDATE checked_model SET model = ?", (model,))

    def allowed_if_few(self, only: SearchFilter, limit: int) -> list[int] | None:
        """Returns all vectors that the filter allows; None if its conditions leave too many
        memories.
        """
        condition, values = sql_condition(only)
        for rows, own in index_conditions(only):
            count = self._db.rows(f"SELECT count(*) FROM ({rows} LIMIT ?)", *own, limit + 1)[0][0]  # noqa: S608
            if count <= limit:
                sql = (
                    f"SELECT vector_id FROM ({rows}) AS near CROSS JOIN entries USING (row) "  # noqa: S608
                    f"CROSS JOIN vectors USING (row) WHERE {condition}"
                )
                return [vector_id for (vector_id,) in self._db.rows(sql, *own, *values)]
        return None

    def allowed(self, only: SearchFilter) -> Iterator[list[int]]:
        """Yields the vectors that the filter allows, batch by batch."""
        condition, values = sql_condition(only)
        sql = (
            "SELECT vector_id, vector_id IN (SELECT vector_id FROM vectors JOIN entries "  # noqa: S608
            f"USING (row) WHERE vector_id = near.vector_id AND {condition}) FROM vectors AS near "
            "WHERE vector_id > ? ORDER BY vector_id LIMIT ?"
        )
        last = 0
        while found := self._db.rows(sql, *values, last, _AT_ONCE):
            yield [vector_id for vector_id, is_allowed in found if is_allowed]
            last = found[-1][0]
