"""Writes records of one namespace as rows of `memories`, and of the tables that belong to it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...domain.records import Memory
from ..index.catalog.rows import (
    decode_record,
    encode_record,
    mentioned_times,
    references_of,
    terms_of,
    vector_ids_of,
)
from ..log.projection import MemoryRecord, MemoryStatus
from .connection import Connection
from .names import stored_name
from .postings import Sides

_TYPES = {
    "row": "int",
    "id": "text",
    "conversation": "text",
    "position": "float8",
    "kind": "text",
    "ts": "float8",
    "state": "text",
    "key": "text",
    "chat_key": "text",
    "user_key": "text",
    "assistant_key": "text",
    "always_in_prompt": "bool",
    "pinned": "bool",
    "channel": "text",
    "first_seq": "bigint",
    "seq": "bigint",
    "length": "int",
    "session": "int",
    "user_vector": "bigint",
    "assistant_vector": "bigint",
    "data": "text",
}
_FIXED = ("row", "id", "first_seq", "session")
_CHANGING = [name for name in _TYPES if name not in _FIXED]
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind in _TYPES.values())
_INSERT = f"""INSERT INTO memories (namespace, {", ".join(_TYPES)})
    SELECT %s, a.* FROM unnest({_ARRAYS}) AS a"""  # noqa: S608
_UPDATE = f"""UPDATE memories AS m SET {", ".join(f"{name} = a.{name}" for name in _CHANGING)}
    FROM unnest({_ARRAYS}) AS a ({", ".join(_TYPES)}) WHERE m.namespace = %s AND m.row = a.row"""  # noqa: S608
_LOAD = """SELECT row, data FROM memories WHERE namespace = %s AND id = ANY(%s::text[])"""
_DELETE_OF_ROWS = "DELETE FROM {} WHERE namespace = %s AND row = ANY(%s::int[])"
_PLACES = """INSERT INTO places (namespace, conversation, position, row)
    SELECT %s, a.* FROM unnest(%s::text[], %s::float8[], %s::int[]) AS a"""
_REFERENCES = """INSERT INTO derivation_refs (namespace, relation, target, row)
    SELECT %s, a.* FROM unnest(%s::text[], %s::text[], %s::int[]) AS a ON CONFLICT DO NOTHING"""
_TIMES = """INSERT INTO mentioned_times (namespace, row, number, begins, ends, said_at)
    SELECT %s, a.* FROM unnest(%s::int[], %s::int[], %s::float8[], %s::float8[], %s::float8[])
    AS a"""
_WANTED = """INSERT INTO wanted_vectors (namespace, vector_id, row, side, state)
    SELECT %s, a.vector_id, a.row, a.side, CASE WHEN v.vector_id IS NULL THEN 0 ELSE 1 END
    FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS a (vector_id, row, side)
    LEFT JOIN vectors AS v ON v.namespace = %s AND v.model = %s AND v.vector_id = a.vector_id
    ON CONFLICT DO NOTHING"""
_UNWANTED = """DELETE FROM wanted_vectors WHERE namespace = %s AND row = ANY(%s::int[])
    AND NOT vector_id = ANY(%s::bigint[])"""


class StoredRecord(NamedTuple):
    """A record with its number in the namespace."""

    row: int
    entry: MemoryRecord

    @property
    def is_live(self) -> bool:
        return self.entry.status is MemoryStatus.LIVE

    @property
    def sides(self) -> Sides:
        """The terms of both sides by which searches find the memory; none unless it is live."""
        return terms_of(self.entry.memory) if self.is_live else ((), ())

    @property
    def vectors(self) -> Mapping[int, int]:
        """The vectors that the memory wants, as vector id → side."""
        found = vector_ids_of(self.entry.memory) if self.is_live else {}
        return {vector_id: int(side) for vector_id, side in found.items()}


class NewRow(NamedTuple):
    """A record with the other columns of its row in `memories`."""

    stored: StoredRecord
    length: int
    first_seq: int = 0
    session: int = 0


def load_records(
    connection: Connection, namespace: str, ids: Collection[str]
) -> dict[str, StoredRecord]:
    """Returns the known records among these ids."""
    asked = [stored_name(memory_id) for memory_id in ids]
    found = connection.execute(_LOAD, (namespace, asked)).fetchall()
    records = (StoredRecord(row, decode_record(data)) for row, data in found)
    return {record.entry.memory.id: record for record in records}


def insert_records(connection: Connection, namespace: str, rows: Sequence[NewRow]) -> None:
    """Writes new records and all that belongs to them, but not their terms and vectors."""
    connection.execute(_INSERT, (namespace, *_arrays(rows)))
    stored = [row.stored for row in rows]
    _insert_places(connection, namespace, stored)
    _insert_references(connection, namespace, stored)
    _insert_times(connection, namespace, stored)


def update_records(connection: Connection, namespace: str, rows: Sequence[NewRow]) -> None:
    """Writes changed records and all that belongs to them, but not their terms and vectors."""
    connection.execute(_UPDATE, (*_arrays(rows), namespace))
    stored = [row.stored for row in rows]
    numbers = [record.row for record in stored]
    for table in ("places", "derivation_refs", "mentioned_times"):
        connection.execute(_DELETE_OF_ROWS.format(table), (namespace, numbers))
    _insert_places(connection, namespace, stored)
    _insert_references(connection, namespace, stored)
    _insert_times(connection, namespace, stored)


def update_wanted_vectors(
    connection: Connection, namespace: str, model: str, stored: Sequence[StoredRecord]
) -> bool:
    """Replaces the vectors that these memories want; returns whether one is no longer wanted."""
    wanted = [
        (vector_id, record.row, side)
        for record in stored
        for vector_id, side in record.vectors.items()
    ]
    ids, rows, sides = _transposed(wanted, 3)
    dropped = connection.execute(
        _UNWANTED, (namespace, [record.row for record in stored], ids)
    ).rowcount
    connection.execute(_WANTED, (namespace, ids, rows, sides, namespace, model))
    return bool(dropped)


def _insert_places(connection: Connection, namespace: str, stored: Sequence[StoredRecord]) -> None:
    found = [
        (stored_name(log), float(position), record.row)
        for record in stored
        for log, position in record.entry.positions.items()
    ]
    if found:
        connection.execute(_PLACES, (namespace, *_transposed(found, 3)))


def _insert_references(
    connection: Connection, namespace: str, stored: Sequence[StoredRecord]
) -> None:
    found = [
        (relation, stored_name(target), record.row)
        for record in stored
        for relation, target in references_of(record.entry)
    ]
    if found:
        connection.execute(_REFERENCES, (namespace, *_transposed(found, 3)))


def _insert_times(connection: Connection, namespace: str, stored: Sequence[StoredRecord]) -> None:
    found = [spans for record in stored if record.is_live for spans in _times(record)]
    if found:
        connection.execute(_TIMES, (namespace, *_transposed(found, 5)))


def _times(record: StoredRecord) -> Iterator[tuple[int, int, float, float, float]]:
    memory = record.entry.memory
    for number, (begins, ends) in enumerate(mentioned_times(memory)):
        yield record.row, number, float(begins), float(ends), float(memory.ts or 0.0)


def _transposed(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    return (
        [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]
    )


def _arrays(rows: Sequence[NewRow]) -> list[list[Any]]:
    columns = [_columns(row) for row in rows]
    return [[own[name] for own in columns] for name in _TYPES]


def _columns(row: NewRow) -> dict[str, Any]:
    memory = row.stored.entry.memory
    columns = encode_record(row.stored.entry)
    by_side = {side: vector_id for vector_id, side in row.stored.vectors.items()}
    return columns | {
        "row": row.stored.row,
        "id": stored_name(memory.id),
        "conversation": stored_name(memory.conversation),
        "position": float(columns["position"]),
        "ts": None if memory.ts is None else float(memory.ts),
        "key": stored_name(columns["key"]),
        "always_in_prompt": memory.is_always_in_prompt,
        "pinned": bool(memory.pinned),
        "channel": stored_name(_channel(memory)),
        "first_seq": row.first_seq,
        "length": row.length,
        "session": row.session,
        "user_vector": by_side.get(0, 0),
        "assistant_vector": by_side.get(1, 0),
    }


def _channel(memory: Memory) -> str:
    return memory.exchange.channel if memory.exchange else ""
