"""How entries become rows: themselves and, while they are live, their terms, vectors and times."""

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ....domain.records import Memory
from ...log.events import BEGINNINGS, Line
from ...log.projection import Entry, State, erased, folded
from .database import LIST, listed
from .rows import entry_of, happened, row_of, sides_of, terms_of, vector_ids_of
from .sessions import Seat, seat, seated

_FIXED = ("id", "born", "sitting")


def apply_lines(
    db: sqlite3.Connection, lines: Sequence[Line], positions: Mapping[str, int]
) -> None:
    """Folds lines in, and notes how far each log has been read with them."""
    before = load(db, {line.id for line in lines})
    born = {line.id: line.seq for line in reversed(lines) if line.op in BEGINNINGS}
    save(db, before, folded(lines, before), born)
    reached = max((line.seq for line in lines), default=0)
    db.execute("UPDATE totals SET seq = max(seq, ?)", (reached,))
    db.executemany("REPLACE INTO logs VALUES (?, ?)", list(positions.items()))


def erase_words(db: sqlite3.Connection, ids: Collection[str]) -> None:
    """Takes the words out of these entries; their seals and places stay."""
    known = load(db, ids)
    save(db, known, {memory_id: erased(entry) for memory_id, entry in known.items()}, {})


def load(db: sqlite3.Connection, ids: Collection[str]) -> dict[str, Entry]:
    """The known ones among these."""
    sql = f"SELECT id, data FROM entries WHERE id IN {LIST}"  # noqa: S608
    return {it: entry_of(data) for it, data in db.execute(sql, (listed(list(ids)),))}


def save(
    db: sqlite3.Connection,
    before: Mapping[str, Entry],
    after: Mapping[str, Entry],
    born: Mapping[str, int],
) -> None:
    """Writes what is new or changed, and what hangs on it; the latter goes once it is not live.

    `born` has the seq of the first line of each.
    """
    for memory_id, entry in after.items():
        if memory_id in before and entry != before[memory_id]:
            _change(db, before[memory_id], entry)
    fresh = [entry for memory_id, entry in after.items() if memory_id not in before]
    if fresh:
        _add(db, fresh, born)


def _add(db: sqlite3.Connection, fresh: Sequence[Entry], born: Mapping[str, int]) -> None:
    (last,) = db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()
    rows = range(last + 1, last + 1 + len(fresh))
    sides = [terms_of(entry.memory) for entry in fresh]
    both = list(zip(rows, fresh, strict=True))
    seats = [Seat(row, *_seat_of(entry), sitting=row) for row, entry in both]
    sittings = seated(db, seats)
    columns = [
        _row(entry, row, born[entry.memory.id], words, sittings.get(row, row))
        for row, entry, words in zip(rows, fresh, sides, strict=True)
    ]
    names, marks = ", ".join(columns[0]), ", ".join("?" for _ in columns[0])
    db.executemany(
        f"INSERT INTO entries({names}) VALUES ({marks})",  # noqa: S608
        [tuple(it.values()) for it in columns],
    )
    seat(db, [it for it in seats if it.row not in sittings])
    db.execute("DELETE FROM moved WHERE row > ?", (last,))  # they are told of whole, below
    live = [it for it in zip(rows, fresh, sides, strict=True) if it[1].state is State.LIVE]
    db.execute(
        "UPDATE totals SET live = live + ?, length = length + ?",
        (len(live), sum(len(user) + len(assistant) for _, _, (user, assistant) in live)),
    )
    _add_words(db, [(row, words) for row, _, words in live])
    _add_vectors(db, [(row, entry.memory) for row, entry, _ in live])
    _add_times(db, [(row, entry.memory) for row, entry, _ in live])
    db.executemany(
        "INSERT INTO places VALUES (?, ?, ?)",
        [place for row, entry in both for place in _places(row, entry)],
    )


def _row(
    entry: Entry, row: int, born: int, words: tuple[list[str], list[str]], sitting: int
) -> dict[str, Any]:
    columns = row_of(entry)
    columns["row"], columns["born"], columns["sitting"] = row, born, sitting
    columns["length"] = sum(map(len, words))
    return columns


def _seat_of(entry: Entry) -> tuple[str, str, float, float | None]:
    memory = entry.memory
    return memory.conversation, memory.kind.value, entry.place, memory.ts


def _places(row: int, entry: Entry) -> Iterator[tuple[str, float, int]]:
    return ((log, place, row) for log, place in entry.places.items())


def _change(db: sqlite3.Connection, before: Entry, entry: Entry) -> None:
    columns: dict[str, Any] = row_of(entry)
    is_same = before.state is entry.state and sides_of(before.memory) == sides_of(entry.memory)
    if not is_same:
        sides = terms_of(entry.memory) if entry.state is State.LIVE else ([], [])
        columns["length"] = sum(map(len, sides))
    changes = {name: it for name, it in columns.items() if name not in _FIXED}
    (row,) = db.execute(
        f"UPDATE entries SET {', '.join(f'{name} = ?' for name in changes)} "  # noqa: S608
        "WHERE id = ? RETURNING row",
        (*changes.values(), entry.memory.id),
    ).fetchone()
    if not is_same:
        _say_anew(db, row, entry, sides)
    if before.places != entry.places:
        db.execute("DELETE FROM places WHERE row = ?", (row,))
        db.executemany("INSERT INTO places VALUES (?, ?, ?)", list(_places(row, entry)))


def _say_anew(
    db: sqlite3.Connection, row: int, entry: Entry, sides: tuple[list[str], list[str]]
) -> None:
    """All that hung on it goes, but the vectors that it shall have again."""
    is_live = entry.state is State.LIVE
    vectors = vector_ids_of(entry.memory) if is_live else {}
    if not is_live:
        db.execute("REPLACE INTO unsealed(row) VALUES (?)", (row,))
    db.execute("DELETE FROM happened WHERE row = ?", (row,))
    db.execute(
        f"DELETE FROM vectors WHERE row = ? AND vector_id NOT IN {LIST}",  # noqa: S608
        (row, listed(list(vectors))),
    )
    if is_live:
        _add_words(db, [(row, sides)])
        _add_vectors(db, [(row, entry.memory)])
        _add_times(db, [(row, entry.memory)])


def _add_words(
    db: sqlite3.Connection, live: Sequence[tuple[int, tuple[list[str], list[str]]]]
) -> None:
    db.executemany(
        "REPLACE INTO unsealed(row, user, assistant) VALUES (?, ?, ?)",
        [(row, " ".join(user), " ".join(assistant)) for row, (user, assistant) in live],
    )


def _add_vectors(db: sqlite3.Connection, live: Sequence[tuple[int, Memory]]) -> None:
    wanted = [(it, row, side) for row, memory in live for it, side in vector_ids_of(memory).items()]
    db.executemany(
        "INSERT INTO vectors(vector_id, row, side) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", wanted
    )
    ids = listed([it for it, _, _ in wanted])
    db.execute(f"DELETE FROM gone WHERE vector_id IN {LIST}", (ids,))  # noqa: S608


def _add_times(db: sqlite3.Connection, live: Sequence[tuple[int, Memory]]) -> None:
    db.executemany(
        "INSERT INTO happened VALUES (?, ?, ?, ?)",
        [(row, *it, memory.ts) for row, memory in live for it in happened(memory)],
    )
