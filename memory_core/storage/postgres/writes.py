"""Applies events to one namespace, erases words, and scrubs the remains of erased words."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import psycopg

from ...domain.records import MemoryKind
from ..index.catalog.schema import VERSION
from ..index.catalog.session_rows import SessionSlot, by_conversation, changed_sessions
from ..log.events import CREATING_EVENTS, Event
from ..log.projection import MemoryRecord, apply_events, without_text
from .connection import Connection
from .database import Database
from .names import original_name, stored_name
from .postings import Sides, add_postings, remove_postings, set_lengths
from .records import (
    NewRow,
    StoredRecord,
    insert_records,
    load_records,
    update_records,
    update_wanted_vectors,
)

_ENTER = "INSERT INTO namespaces (namespace, derived) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_LOCK = "SELECT next_row, model FROM namespaces WHERE namespace = %s FOR UPDATE"
_POSITIONS = "SELECT log, position FROM log_positions WHERE namespace = %s"
_SET_POSITIONS = """INSERT INTO log_positions (namespace, log, position)
    SELECT %s, a.* FROM unnest(%s::text[], %s::bigint[]) AS a
    ON CONFLICT (namespace, log) DO UPDATE SET position = excluded.position"""
_COUNT = """UPDATE namespaces SET next_row = %s, live = live + %s, length = length + %s,
    last_applied_seq = greatest(last_applied_seq, %s), last_seq = greatest(last_seq, %s),
    version = nextval('document_versions'), has_orphans = has_orphans OR %s WHERE namespace = %s"""
_EXCHANGES = """SELECT row, conversation, position, ts, session FROM memories
    WHERE namespace = %s AND conversation = %s AND kind = 'exchange'"""
_BEFORE = f"{_EXCHANGES} AND (position, row) < (%s, %s) ORDER BY position DESC, row DESC LIMIT 1"
_BEHIND = f"{_EXCHANGES} AND (position, row) > (%s, %s)"
_MOVE = """UPDATE memories AS m SET session = a.session
    FROM unnest(%s::int[], %s::int[]) AS a (row, session)
    WHERE m.namespace = %s AND m.row = a.row"""
_CLEARED = (
    "memories",
    "places",
    "derivation_refs",
    "mentioned_times",
    "postings",
    "lengths",
    "wanted_vectors",
    "log_positions",
)
_RESET = """UPDATE namespaces SET next_row = 1, live = 0, length = 0, last_applied_seq = 0,
    last_seq = 0, version = nextval('document_versions'), merged_groups = 0, derived = %s
    WHERE namespace = %s"""
_WIPE = """DELETE FROM vectors AS v WHERE v.namespace = %s AND NOT EXISTS (
    SELECT 1 FROM wanted_vectors AS w WHERE w.namespace = v.namespace
    AND w.vector_id = v.vector_id)"""
_MARK_ERASED = """INSERT INTO erased_partitions (remainder)
    SELECT r FROM generate_series(0, 15) AS r
    WHERE satisfies_hash_partition('memories'::regclass, 16, r, %s::text COLLATE "C")
    ON CONFLICT DO NOTHING"""
_WIPED = "UPDATE namespaces SET has_orphans = false WHERE namespace = %s"
_SCRUBBED = (
    "documents",
    "log_lines",
    "memories",
    "postings",
    "derivation_refs",
    "mentioned_times",
    "wanted_vectors",
    "vectors",
)
_ERASED_PARTS = "SELECT remainder FROM erased_partitions ORDER BY remainder"
_SCRUBBED_PART = "DELETE FROM erased_partitions WHERE remainder = %s"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """A record before and after some events; `before` is None for a new one."""

    before: StoredRecord | None
    after: StoredRecord
    old_sides: Sides
    new_sides: Sides

    @property
    def has_new_words(self) -> bool:
        return self.old_sides != self.new_sides


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The locked row of the namespace."""

    namespace: str
    next_row: int
    model: str


def lock_namespace(connection: Connection, namespace: str) -> _Head:
    """Keeps all others from writing to the namespace until the transaction ends."""
    found = connection.execute(_LOCK, (namespace,)).fetchone()
    if found is None:
        connection.execute(_ENTER, (namespace, VERSION))
        found = connection.execute(_LOCK, (namespace,)).fetchone()
    return _Head(namespace=namespace, next_row=found[0], model=found[1])


def read_positions(connection: Connection, namespace: str) -> dict[str, int]:
    """Returns log → byte offset up to which it was applied."""
    found = connection.execute(_POSITIONS, (namespace,)).fetchall()
    return {original_name(log): position for log, position in found}


def apply_lines(
    connection: Connection, namespace: str, lines: Sequence[Event], positions: Mapping[str, int]
) -> None:
    """Applies events, and records how far each log has been read."""
    head = lock_namespace(connection, namespace)
    known = load_records(connection, namespace, {line.id for line in lines})
    before = {memory_id: stored.entry for memory_id, stored in known.items()}
    after = apply_events(lines, before)
    first_seqs = {line.id: line.seq for line in reversed(lines) if line.op in CREATING_EVENTS}
    changes = _changes(head, known, after)
    has_orphans = _save(connection, head, changes, first_seqs)
    created = [first_seqs[change.after.entry.memory.id] for change in changes if not change.before]
    _count(
        connection,
        head,
        changes,
        seqs=(max((line.seq for line in lines), default=0), max(created, default=0)),
        has_orphans=has_orphans,
    )
    if positions:
        logs = [stored_name(log) for log in positions]
        connection.execute(_SET_POSITIONS, (namespace, logs, list(positions.values())))


def erase_words(connection: Connection, namespace: str, ids: Collection[str]) -> None:
    """Removes the words of these records; their tombstones and positions remain."""
    head = lock_namespace(connection, namespace)
    known = load_records(connection, namespace, ids)
    after = {memory_id: without_text(stored.entry) for memory_id, stored in known.items()}
    changes = _changes(head, known, after)
    has_orphans = _save(connection, head, changes, {})
    _count(connection, head, changes, seqs=(0, 0), has_orphans=has_orphans)
    wipe_vectors(connection, namespace)
    mark_erased(connection, namespace)


def mark_erased(connection: Connection, namespace: str) -> None:
    """Marks the namespace's partitions, which scrub() then rewrites."""
    connection.execute(_MARK_ERASED, (namespace,))


def wipe_vectors(connection: Connection, namespace: str) -> None:
    """Deletes all vectors that no memory wants, of all models."""
    connection.execute(_WIPE, (namespace,))
    connection.execute(_WIPED, (namespace,))


def clear_namespace(connection: Connection, namespace: str) -> None:
    """Deletes everything except the vectors, which are stored by content.

    Rows that follow are those of this version of the program.
    """
    lock_namespace(connection, namespace)
    for table in _CLEARED:
        connection.execute(f"DELETE FROM {table} WHERE namespace = %s", (namespace,))  # noqa: S608
    connection.execute(_RESET, (VERSION, namespace))


def _changes(
    head: _Head, known: Mapping[str, StoredRecord], after: Mapping[str, MemoryRecord]
) -> list[_Change]:
    """Returns the records that differ, new ones last and in the order of their numbers."""
    changed = [
        _change(known[memory_id], StoredRecord(known[memory_id].row, entry))
        for memory_id, entry in after.items()
        if memory_id in known and entry != known[memory_id].entry
    ]
    fresh = [entry for memory_id, entry in after.items() if memory_id not in known]
    return changed + [
        _change(None, StoredRecord(row, entry)) for row, entry in enumerate(fresh, head.next_row)
    ]


def _change(before: StoredRecord | None, after: StoredRecord) -> _Change:
    old_sides = before.sides if before else ((), ())
    return _Change(before=before, after=after, old_sides=old_sides, new_sides=after.sides)


def _save(
    connection: Connection, head: _Head, changes: Sequence[_Change], first_seqs: Mapping[str, int]
) -> bool:
    """Writes the changes; returns whether vectors are no longer wanted."""
    if not changes:
        return False
    own = head.namespace
    fresh = [change for change in changes if change.before is None]
    old = [change for change in changes if change.before is not None]
    if fresh:
        _insert(connection, own, fresh, first_seqs)
    if old:
        update_records(
            connection, own, [NewRow(change.after, _length(change.new_sides)) for change in old]
        )
    worded = [change for change in changes if change.has_new_words]
    remove_postings(connection, own, [(change.after.row, change.old_sides) for change in worded])
    add_postings(connection, own, [(change.after.row, change.new_sides) for change in worded])
    set_lengths(connection, own, {change.after.row: _length(change.new_sides) for change in worded})
    return update_wanted_vectors(connection, own, head.model, [change.after for change in changes])


def _insert(
    connection: Connection, namespace: str, fresh: Sequence[_Change], first_seqs: Mapping[str, int]
) -> None:
    slots = [
        _slot(change.after)
        for change in fresh
        if change.after.entry.memory.kind is MemoryKind.EXCHANGE
    ]
    sessions = _changed_sessions(connection, namespace, slots)
    rows = [
        NewRow(
            change.after,
            _length(change.new_sides),
            first_seqs[change.after.entry.memory.id],
            sessions.pop(change.after.row, change.after.row),
        )
        for change in fresh
    ]
    insert_records(connection, namespace, rows)
    if sessions:
        connection.execute(_MOVE, (list(sessions), list(sessions.values()), namespace))


def _changed_sessions(
    connection: Connection, namespace: str, fresh: Sequence[SessionSlot]
) -> dict[int, int]:
    """Returns row → session of new exchanges, and of known ones whose session changes."""
    found: dict[int, int] = {}
    for talk in by_conversation(fresh):
        values = (namespace, talk[0].conversation, talk[0].position, talk[0].row)
        before = next(map(SessionSlot._make, connection.execute(_BEFORE, values)), None)
        behind = list(map(SessionSlot._make, connection.execute(_BEHIND, values)))
        found |= changed_sessions(talk, before, behind)
    return found


def _slot(stored: StoredRecord) -> SessionSlot:
    memory, position = stored.entry.memory, stored.entry.first_position
    log = stored_name(memory.conversation)
    return SessionSlot(stored.row, log, position, memory.ts, stored.row)


def _count(
    connection: Connection,
    head: _Head,
    changes: Sequence[_Change],
    *,
    seqs: tuple[int, int],
    has_orphans: bool,
) -> None:
    live = length = 0
    for change in changes:
        live += change.after.is_live - bool(change.before and change.before.is_live)
        length += _length(change.new_sides) - _length(change.old_sides)
    next_row = head.next_row + sum(change.before is None for change in changes)
    connection.execute(_COUNT, (next_row, live, length, *seqs, has_orphans, head.namespace))


def _length(sides: Sides) -> int:
    return sum(map(len, sides))


def scrub(database: Database) -> int:
    """Rewrites the partitions in which words were erased; returns how many there were.

    PostgreSQL keeps the former version of a changed row until its page is rewritten. The
    write-ahead log keeps copies until the server recycles its files. So do backups and archives,
    which are the operator's business.

    Each is locked meanwhile, for as long as it takes to copy it. Needs the schema's owner. Raises
    StorageFailed.
    """
    with database.owner_connection() as connection:
        remainders = [remainder for (remainder,) in connection.execute(_ERASED_PARTS).fetchall()]
        for remainder in remainders:
            # An erasure that begins meanwhile marks the partition again.
            connection.execute(_SCRUBBED_PART, (remainder,))
            for table in _SCRUBBED:
                connection.execute(f"VACUUM (FULL) {table}_{remainder}")
        if remainders:
            _recycle_write_ahead_log(connection)
        return len(remainders)


def _recycle_write_ahead_log(connection: Connection) -> None:
    """Lets the server drop its old log files, if this user may do that."""
    with suppress(psycopg.errors.InsufficientPrivilege):
        connection.execute("CHECKPOINT")
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")
