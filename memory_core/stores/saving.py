"""How an entry becomes rows: itself and, while it is live, its terms, its vectors and its times."""

import sqlite3
from collections.abc import Collection, Mapping
from typing import Any

from ..records import Memory
from ..transcript.entries import Entry, State
from .base import Side
from .database import LIST, listed
from .rows import entry_of, happened, row_of, sides_of, terms_of, vector_ids_of
from .sittings import seat

_FIXED = ("id", "born", "sitting")


def load(db: sqlite3.Connection, memory_id: str) -> Entry | None:
    found = db.execute("SELECT data FROM entries WHERE id = ?", (memory_id,)).fetchone()
    return entry_of(found[0]) if found else None


def save(db: sqlite3.Connection, entry: Entry, *, before: Entry | None) -> None:
    """Writes the entry and what hangs on it; the latter is gone once it is not live."""
    if before is not None and _says_the_same(before, entry):
        row = _restate(db, entry)
    else:
        row = _say(db, entry, fresh=before is None)
    if before is None or before.places != entry.places:
        _place(db, row, entry, fresh=before is None)


def _says_the_same(before: Entry, entry: Entry) -> bool:
    return before.state is entry.state and sides_of(before.memory) == sides_of(entry.memory)


def _restate(db: sqlite3.Connection, entry: Entry) -> int:
    columns = {name: it for name, it in row_of(entry).items() if name not in _FIXED}
    changes = ", ".join(f"{name} = ?" for name in columns)
    (row,) = db.execute(
        f"UPDATE entries SET {changes} WHERE id = ? RETURNING row",  # noqa: S608
        (*columns.values(), entry.memory.id),
    ).fetchone()
    return int(row)


def _place(db: sqlite3.Connection, row: int, entry: Entry, *, fresh: bool) -> None:
    if not fresh:
        db.execute("DELETE FROM places WHERE row = ?", (row,))
    places = [(log, at, row) for log, at in entry.places.items()]
    db.executemany("INSERT INTO places VALUES (?, ?, ?)", places)


def _say(db: sqlite3.Connection, entry: Entry, *, fresh: bool) -> int:
    vectors = vector_ids_of(entry.memory) if entry.state is State.LIVE else {}
    if not fresh:
        _take_off(db, entry.memory.id, vectors)
    sides = terms_of(entry.memory)
    row = _put(db, row_of(entry) | {"length": sum(map(len, sides)), "sitting": 0})
    if fresh:
        seat(db, row)
    if entry.state is State.LIVE:
        words = (" ".join(side) for side in sides)
        db.execute("INSERT INTO words(rowid, user, assistant) VALUES (?, ?, ?)", (row, *words))
        _add_vectors(db, row, vectors)
        _add_times(db, row, entry.memory)
    return row


def _take_off(db: sqlite3.Connection, memory_id: str, vectors: Collection[int]) -> None:
    """All that hung on it but these vectors, which it shall have again."""
    (row,) = db.execute("SELECT row FROM entries WHERE id = ?", (memory_id,)).fetchone()
    db.execute("DELETE FROM words WHERE rowid = ?", (row,))
    db.execute("DELETE FROM happened WHERE row = ?", (row,))
    db.execute(
        f"DELETE FROM vectors WHERE row = ? AND vector_id NOT IN {LIST}",  # noqa: S608
        (row, listed(list(vectors))),
    )


def _put(db: sqlite3.Connection, columns: dict[str, Any]) -> int:
    """Inserts or updates the entry's own row and returns its number."""
    names, marks = ", ".join(columns), ", ".join("?" for _ in columns)
    updates = ", ".join(f"{name} = excluded.{name}" for name in columns if name not in _FIXED)
    (row,) = db.execute(
        f"INSERT INTO entries({names}) VALUES ({marks}) "  # noqa: S608
        f"ON CONFLICT(id) DO UPDATE SET {updates} RETURNING row",
        tuple(columns.values()),
    ).fetchone()
    return int(row)


def _add_vectors(db: sqlite3.Connection, row: int, sides: Mapping[int, Side]) -> None:
    wanted = [(it, row, side) for it, side in sides.items()]
    db.executemany(
        "INSERT INTO vectors(vector_id, row, side) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", wanted
    )


def _add_times(db: sqlite3.Connection, row: int, memory: Memory) -> None:
    times = [(row, *it, memory.ts) for it in happened(memory)]
    db.executemany("INSERT INTO happened VALUES (?, ?, ?, ?)", times)
