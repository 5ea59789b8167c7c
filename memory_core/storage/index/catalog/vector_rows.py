"""Vectors in the catalogue: wanted ones, orphaned ones, and those that a filter allows."""

from collections.abc import Collection, Iterator, Sequence

from ...contract import SearchFilter
from .database import LIST, Database, as_json_list
from .filters import index_conditions, sql_condition

_AT_ONCE = 4096


class VectorRows:
    """Orphaned vectors belong to texts that no memory has any more.

    A trigger lists them until they are off the disk. All other unwanted vectors of the checked
    model are known to be erased.
    """

    def __init__(self, database: Database) -> None:
        self._db = database

    def page(self, after: int, limit: int) -> list[tuple[int, int]]:
        """Returns up to `limit` pairs (vector_id, state) behind the id `after`, in id order."""
        sql = (
            "SELECT vector_id, vector_state FROM vectors "
            "WHERE vector_id > ? ORDER BY vector_id LIMIT ?"
        )
        return self._db.rows(sql, after, limit)

    def unwanted(self, ids: Sequence[int]) -> list[int]:
        """Returns those of these vector ids that no memory wants."""
        sql = f"SELECT vector_id FROM vectors WHERE vector_id IN {LIST}"  # noqa: S608
        wanted = {vector_id for (vector_id,) in self._db.rows(sql, as_json_list(ids))}
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

    def allowed_if_few(self, only: SearchFilter, most: int) -> list[int] | None:
        """Returns all vectors that the filter allows; None if its conditions leave too many
        memories.
        """
        condition, values = sql_condition(only)
        for rows, own in index_conditions(only):
            count = self._db.rows(f"SELECT count(*) FROM ({rows} LIMIT ?)", *own, most + 1)[0][0]  # noqa: S608
            if count <= most:
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
