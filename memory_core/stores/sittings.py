"""A sitting: exchanges of one conversation without a long pause, numbered by the row of its first.

All exchanges count, the removed and forgotten ones too: they were said then. As neither place nor
time of an exchange changes, only a new one can part or join sittings.
"""

import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..records import MemoryKind

SITTING_PAUSE_S = 4 * 3600.0  # who says nothing for so long comes back to another talk
_COLUMNS = (
    "SELECT row, conversation, kind, place, ts, sitting FROM entries "
    "WHERE conversation = ? AND kind = 'exchange' "
)
_BEFORE = f"{_COLUMNS} AND (place, row) < (?, ?) ORDER BY place DESC, row DESC LIMIT 1"
_BEHIND = (
    "SELECT count(*) FROM entries WHERE conversation = ? AND kind = 'exchange' "
    "AND (place, row) > (?, ?)"
)
_MOVE = "UPDATE entries SET sitting = ? WHERE row = ?"
_AFTER = f"{_COLUMNS} AND (place, row) > (?, ?) ORDER BY place, row LIMIT 1"


class Seat(NamedTuple):
    """A row, where it was said first and when, and its sitting; at first its own."""

    row: int
    conversation: str
    kind: str
    place: float
    ts: float | None
    sitting: int


def is_pause(before: float | None, after: float | None) -> bool:
    """Two exchanges whose times are not known count as one sitting."""
    return before is not None and after is not None and after - before > SITTING_PAUSE_S


def seat(db: sqlite3.Connection, fresh: Sequence[Seat]) -> None:
    """Gives new entries, which have their own rows as sittings, theirs, and those after them
    theirs anew; a note sits alone.
    """
    talks: dict[str, list[Seat]] = {}
    for it in fresh:
        if it.kind == MemoryKind.EXCHANGE:
            talks.setdefault(it.conversation, []).append(it)
    for talk in talks.values():
        _seat_talk(db, sorted(talk, key=lambda it: (it.place, it.row)))


def _seat_talk(db: sqlite3.Connection, fresh: Sequence[Seat]) -> None:
    """Oldest first, so that what stands before each has its sitting already."""
    first = fresh[0]
    (behind,) = db.execute(_BEHIND, (first.conversation, first.place, first.row)).fetchone()
    if behind + 1 == len(fresh):
        _append(db, fresh)
    else:
        for it in fresh:
            _insert(db, it, {other.row for other in fresh})


def _append(db: sqlite3.Connection, fresh: Sequence[Seat]) -> None:
    """Nothing known stands behind them."""
    before = _found(db, _BEFORE, fresh[0])
    moved: list[tuple[int, int]] = []
    for it in fresh:
        before = it if before is None else it._replace(sitting=_sitting(before, it))
        moved.append((before.sitting, before.row))
    db.executemany(_MOVE, [it for it in moved if it[0] != it[1]])


def _insert(db: sqlite3.Connection, new: Seat, fresh: Collection[int]) -> None:
    before, after = _found(db, _BEFORE, new), _found(db, _AFTER, new)
    if before is not None:
        new = new._replace(sitting=_sitting(before, new))
        db.execute(_MOVE, (new.sitting, new.row))
    if after is not None and after.row not in fresh and after.sitting != _sitting(new, after):
        _move_rest(db, after, _sitting(new, after))


def _found(db: sqlite3.Connection, sql: str, new: Seat) -> Seat | None:
    found = db.execute(sql, (new.conversation, new.place, new.row)).fetchone()
    return Seat(*found) if found else None


def _sitting(before: Seat, after: Seat) -> int:
    return after.row if is_pause(before.ts, after.ts) else before.sitting


def _move_rest(db: sqlite3.Connection, first: Seat, sitting: int) -> None:
    """From this one to the end of its sitting."""
    db.execute(
        "UPDATE entries SET sitting = ? WHERE sitting = ? AND (place, row) >= (?, ?)",
        (sitting, first.sitting, first.place, first.row),
    )
