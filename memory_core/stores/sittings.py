"""A sitting: exchanges of one conversation without a long pause, numbered by the row of its first.

All exchanges count, the removed and forgotten ones too: they were said then. As neither place nor
time of an exchange changes, only a new one can part or join sittings.
"""

import sqlite3
from typing import NamedTuple

from ..records import MemoryKind

SITTING_PAUSE_S = 4 * 3600.0  # who says nothing for so long comes back to another talk
_COLUMNS = (
    "SELECT row, sitting, place, ts FROM entries WHERE conversation = ? AND kind = 'exchange' "
)
_BEFORE = f"{_COLUMNS} AND (place, row) < (?, ?) ORDER BY place DESC, row DESC LIMIT 1"
_AFTER = f"{_COLUMNS} AND (place, row) > (?, ?) ORDER BY place, row LIMIT 1"


class _Seat(NamedTuple):
    row: int
    sitting: int
    place: float
    ts: float | None


def is_pause(before: float | None, after: float | None) -> bool:
    """Two exchanges whose times are not known count as one sitting."""
    return before is not None and after is not None and after - before > SITTING_PAUSE_S


def seat(db: sqlite3.Connection, row: int) -> None:
    """Gives a new entry its sitting, and those after it theirs anew; a note sits alone."""
    conversation, kind, place, ts = db.execute(
        "SELECT conversation, kind, place, ts FROM entries WHERE row = ?", (row,)
    ).fetchone()
    new = _Seat(row, row, place, ts)
    if kind != MemoryKind.EXCHANGE:
        _renumber(db, new, row)
        return
    before, after = (_found(db, sql, conversation, new) for sql in (_BEFORE, _AFTER))
    if before is not None:
        new = new._replace(sitting=_sitting(before, new))
    _renumber(db, new, new.sitting)
    if after is not None and after.sitting != _sitting(new, after):
        _renumber_rest(db, after, _sitting(new, after))


def _found(db: sqlite3.Connection, sql: str, conversation: str, new: _Seat) -> _Seat | None:
    found = db.execute(sql, (conversation, new.place, new.row)).fetchone()
    return _Seat(*found) if found else None


def _sitting(before: _Seat, after: _Seat) -> int:
    return after.row if is_pause(before.ts, after.ts) else before.sitting


def _renumber(db: sqlite3.Connection, one: _Seat, sitting: int) -> None:
    db.execute("UPDATE entries SET sitting = ? WHERE row = ?", (sitting, one.row))


def _renumber_rest(db: sqlite3.Connection, first: _Seat, sitting: int) -> None:
    """From this one to the end of its sitting."""
    db.execute(
        "UPDATE entries SET sitting = ? WHERE sitting = ? AND (place, row) >= (?, ?)",
        (sitting, first.sitting, first.place, first.row),
    )
