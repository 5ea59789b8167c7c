"""Writes records as rows and, while they are live, their terms, vectors and mentioned times.

After an erasure the catalog's file is rewritten, since SQLite leaves copies of rows in the unused
parts of its pages. The new file is made from a snapshot, beside the one in use, while others read
and write. It replaces the old file once it has all later changes.
"""

import os
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ....domain.records import Memory, MemoryKind
from ....infra import durable_files
from ...log.events import CREATING_EVENTS, Event
from ...log.projection import MemoryRecord, MemoryStatus, apply_events, without_text
from .database import LIST, Database, as_json_list, translate_errors
from .rows import (
    decode_record,
    encode_record,
    mentioned_times,
    references_of,
    terms_of,
    vector_ids_of,
)
from .session_rows import SessionSlot, move_to_sessions, sessions_of_new_entries

POSITIONS = "SELECT log, position FROM logs"
_FIXED = ("id", "first_seq", "session")
_PRAGMAS = ("journal_mode = MEMORY", "synchronous = OFF", "secure_delete = ON")
_UNCLAIMED = "PRAGMA application_id = 0"  # else it would count as a copy made while in use


def apply_lines(
    db: sqlite3.Connection,
    lines: Sequence[Event],
    positions: Mapping[str, int],
    *,
    since: Mapping[str, int] | None = None,
) -> bool:
    """Applies events, and records how far each log has been read.

    Returns False, without applying any, unless the logs have been read as far as `since`, if given.
    """
    if since is not None and since != dict(db.execute(POSITIONS)):
        return False
    before = load(db, {line.id for line in lines})
    after = apply_events(lines, before)
    for memory_id, entry in before.items():
        _change(db, entry, after[memory_id])
    if fresh := [entry for memory_id, entry in after.items() if memory_id not in before]:
        _add(db, fresh, lines)
    reached = max((line.seq for line in lines), default=0)
    db.execute("UPDATE totals SET seq = max(seq, ?)", (reached,))
    db.executemany("REPLACE INTO logs VALUES (?, ?)", list(positions.items()))
    return True


def erase_words(db: sqlite3.Connection, ids: Collection[str]) -> None:
    """Removes the words of these records; their tombstones and positions remain."""
    for entry in load(db, ids).values():
        _change(db, entry, without_text(entry))


def load(db: sqlite3.Connection, ids: Collection[str]) -> dict[str, MemoryRecord]:
    """Returns the known records among these ids."""
    sql = f"SELECT id, data FROM entries WHERE id IN {LIST}"  # noqa: S608
    return {
        memory_id: decode_record(data)
        for memory_id, data in db.execute(sql, (as_json_list(list(ids)),))
    }


def _add(db: sqlite3.Connection, fresh: Sequence[MemoryRecord], lines: Sequence[Event]) -> None:
    """Writes new records, which these events created."""
    first_seqs = {line.id: line.seq for line in reversed(lines) if line.op in CREATING_EVENTS}
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()
    rows = range(last + 1, last + 1 + len(fresh))
    sides = [terms_of(entry.memory) for entry in fresh]
    both = list(zip(rows, fresh, strict=True))
    slots = [
        SessionSlot(row, entry.memory.conversation, entry.first_position, entry.memory.ts, row)
        for row, entry in both
        if entry.memory.kind is MemoryKind.EXCHANGE
    ]
    sessions, beside_known = sessions_of_new_entries(db, slots)
    columns = [
        encode_record(entry)
        | {
            "row": row,
            "first_seq": first_seqs[entry.memory.id],
            "session": sessions.pop(row, row),
            "length": sum(map(len, words)),
        }
        for row, entry, words in zip(rows, fresh, sides, strict=True)
    ]
    names, marks = ", ".join(columns[0]), ", ".join("?" for _ in columns[0])
    db.executemany(
        f"INSERT INTO entries({names}) VALUES ({marks})",  # noqa: S608
        [tuple(row_columns.values()) for row_columns in columns],
    )
    move_to_sessions(db, sessions, beside_known)
    # _add_words writes the new rows with their neighbours.
    db.execute("DELETE FROM stale_neighbours WHERE row > ?", (last,))
    live = [
        added
        for added in zip(rows, fresh, sides, strict=True)
        if added[1].status is MemoryStatus.LIVE
    ]
    db.execute(
        "UPDATE totals SET live = live + ?, length = length + ?",
        (len(live), sum(len(user) + len(assistant) for _, _, (user, assistant) in live)),
    )
    _add_words(db, [(row, words) for row, _, words in live])
    _add_vectors(db, [(row, entry.memory) for row, entry, _ in live])
    _add_times(db, [(row, entry.memory) for row, entry, _ in live])
    _add_positions(db, both)
    _add_references(db, both)


def _change(db: sqlite3.Connection, before: MemoryRecord, entry: MemoryRecord) -> None:
    """Writes a changed record; one no longer live loses its terms, vectors and times."""
    if entry == before:
        return
    columns: dict[str, Any] = encode_record(entry)
    is_same = before.status is entry.status and _indexed(before.memory) == _indexed(entry.memory)
    if not is_same:
        sides = terms_of(entry.memory) if entry.status is MemoryStatus.LIVE else ([], [])
        columns["length"] = sum(map(len, sides))
    changes = {name: value for name, value in columns.items() if name not in _FIXED}
    (row,) = db.execute(
        f"UPDATE entries SET {', '.join(f'{name} = ?' for name in changes)} "  # noqa: S608
        "WHERE id = ? RETURNING row",
        (*changes.values(), entry.memory.id),
    ).fetchone()
    if not is_same:
        _replace_text(db, row, entry, sides)
    if references_of(before) != references_of(entry):
        db.execute("DELETE FROM derivation_refs WHERE row = ?", (row,))
        _add_references(db, [(row, entry)])
    if before.positions != entry.positions:
        db.execute("DELETE FROM positions WHERE row = ?", (row,))
        _add_positions(db, [(row, entry)])


def _add_positions(db: sqlite3.Connection, entries: Sequence[tuple[int, MemoryRecord]]) -> None:
    db.executemany(
        "INSERT INTO positions VALUES (?, ?, ?)",
        [(log, place, row) for row, entry in entries for log, place in entry.positions.items()],
    )


def _add_references(db: sqlite3.Connection, entries: Sequence[tuple[int, MemoryRecord]]) -> None:
    db.executemany(
        "INSERT OR IGNORE INTO derivation_refs VALUES (?, ?, ?)",
        [(*reference, row) for row, entry in entries for reference in references_of(entry)],
    )


def _indexed(memory: Memory) -> object:
    """Returns all of a memory by which searches find it."""
    return memory.sides, memory.derived.event_time if memory.derived else None


def _replace_text(
    db: sqlite3.Connection, row: int, entry: MemoryRecord, sides: tuple[list[str], list[str]]
) -> None:
    """Replaces the terms, times and vectors of a record; vectors still wanted stay."""
    is_live = entry.status is MemoryStatus.LIVE
    vectors = vector_ids_of(entry.memory) if is_live else {}
    if not is_live:
        db.execute("REPLACE INTO uncompacted_words(row) VALUES (?)", (row,))
    db.execute("DELETE FROM mentioned_times WHERE row = ?", (row,))
    db.execute(
        f"DELETE FROM vectors WHERE row = ? AND vector_id NOT IN {LIST}",  # noqa: S608
        (row, as_json_list(list(vectors))),
    )
    if is_live:
        _add_words(db, [(row, sides)])
        _add_vectors(db, [(row, entry.memory)])
        _add_times(db, [(row, entry.memory)])


def _add_words(
    db: sqlite3.Connection, live: Sequence[tuple[int, tuple[list[str], list[str]]]]
) -> None:
    db.executemany(
        "REPLACE INTO uncompacted_words(row, user, assistant) VALUES (?, ?, ?)",
        [(row, " ".join(user), " ".join(assistant)) for row, (user, assistant) in live],
    )


def _add_vectors(db: sqlite3.Connection, live: Sequence[tuple[int, Memory]]) -> None:
    wanted = [
        (vector_id, row, side)
        for row, memory in live
        for vector_id, side in vector_ids_of(memory).items()
    ]
    db.executemany(
        "INSERT INTO vectors(vector_id, row, side) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", wanted
    )
    ids = as_json_list([vector_id for vector_id, _, _ in wanted])
    db.execute(f"DELETE FROM orphaned_vectors WHERE vector_id IN {LIST}", (ids,))  # noqa: S608


def _add_times(db: sqlite3.Connection, live: Sequence[tuple[int, Memory]]) -> None:
    db.executemany(
        "INSERT INTO mentioned_times VALUES (?, ?, ?, ?)",
        [(row, *span, memory.ts) for row, memory in live for span in mentioned_times(memory)],
    )


@contextmanager
def rewrite_without_words(database: Database, folder: Path, ids: Collection[str]) -> Iterator[Path]:
    """Yields a new file with all of the catalog except the words of these entries.

    Raises StorageFailed.
    """
    with durable_files.temporary_file(folder) as new_file, translate_errors:
        with durable_files.temporary_file(folder) as copy:
            with (
                closing(database.open_second_connection()) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
            with open_in_transaction(copy) as db:
                erase_words(db, ids)  # before VACUUM: moved rows leave copies behind
                db.execute("COMMIT")
                db.execute("VACUUM INTO ?", (str(new_file),))
                db.execute("BEGIN")
        sync_to_disk(new_file)
        yield new_file


@contextmanager
def open_in_transaction(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a catalog file in a transaction, without files beside it."""
    with translate_errors, closing(sqlite3.connect(path, isolation_level=None)) as db:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        db.execute(_UNCLAIMED)
        db.execute("BEGIN")
        yield db
        db.execute("COMMIT")


def sync_to_disk(path: Path) -> None:
    """Syncs the file's content. Raises StorageFailed."""
    with durable_files.naming_errors(path):
        fd = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            durable_files.sync(fd, path=path)
        finally:
            os.close(fd)
