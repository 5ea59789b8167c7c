"""A sitting: exchanges of one conversation without a long pause, numbered by the row of its first.

All exchanges count, the removed and forgotten ones too: they were said then. As neither place nor
time of an exchange changes, only a new one can part or join sittings.
"""

import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ....domain.records import MemoryKind

SESSION_PAUSE_S = 4 * 3600.0  # who says nothing for so long comes back to another talk
_COLUMNS = (
    "SELECT row, conversation, kind, position, ts, session FROM entries "
    "WHERE conversation = ? AND kind = 'exchange' "
)
_BEFORE = f"{_COLUMNS} AND (position, row) < (?, ?) ORDER BY position DESC, row DESC LIMIT 1"
_IS_BEHIND = (
    "SELECT EXISTS (SELECT 1 FROM entries WHERE conversation = ? AND kind = 'exchange' "
    "AND (position, row) > (?, ?))"
)
_MOVE = "UPDATE entries SET session = ? WHERE row = ?"
_MARK_STALE = (
    "REPLACE INTO stale_neighbours(row) SELECT row FROM entries "
    "WHERE session = ? AND state = 'live' ORDER BY position DESC, row DESC LIMIT 1"
)
_AFTER = f"{_COLUMNS} AND (position, row) > (?, ?) ORDER BY position, row LIMIT 1"


class SessionSlot(NamedTuple):
    """A row, where it was said first and when, and its sitting; at first its own."""

    row: int
    conversation: str
    kind: str
    position: float
    ts: float | None
    session: int


def is_pause(before: float | None, after: float | None) -> bool:
    """Two exchanges whose times are not known count as one sitting."""
    return before is not None and after is not None and after - before > SESSION_PAUSE_S


def sessions_of_new_entries(db: sqlite3.Connection, fresh: Sequence[SessionSlot]) -> dict[int, int]:
    """The sittings of new entries that are still to be written, by row, as far as they can be told
    before: of notes, which sit alone, and of exchanges behind which nothing known stands.
    """
    known = {slot.row: slot.row for slot in fresh if slot.kind != MemoryKind.EXCHANGE}
    for talk in _by_conversation(fresh):
        if not db.execute(_IS_BEHIND, _position_key(talk[0])).fetchone()[0]:
            known |= _appended(db, talk)
    return known


def assign_sessions(db: sqlite3.Connection, fresh: Sequence[SessionSlot]) -> None:
    """Gives other new entries, which are written with their own rows as sittings, theirs, and
    those after them theirs anew.
    """
    for talk in _by_conversation(fresh):
        for slot in talk:  # oldest first, so that what stands before each has its sitting already
            _insert(db, slot, {other.row for other in talk})


def _by_conversation(fresh: Sequence[SessionSlot]) -> list[list[SessionSlot]]:
    """The exchanges of each conversation, oldest first."""
    talks: dict[str, list[SessionSlot]] = {}
    for slot in fresh:
        if slot.kind == MemoryKind.EXCHANGE:
            talks.setdefault(slot.conversation, []).append(slot)
    return [sorted(talk, key=lambda slot: (slot.position, slot.row)) for talk in talks.values()]


def _appended(db: sqlite3.Connection, talk: Sequence[SessionSlot]) -> dict[int, int]:
    """Who lives and stood last before them has a new neighbour if they share a sitting."""
    before = last = _found(db, _BEFORE, talk[0])
    sittings: dict[int, int] = {}
    for slot in talk:
        before = slot if before is None else slot._replace(session=_session_between(before, slot))
        sittings[slot.row] = before.session
    if last is not None and sittings[talk[0].row] == last.session:
        db.execute(_MARK_STALE, (last.session,))
    return sittings


def _insert(db: sqlite3.Connection, new: SessionSlot, fresh: Collection[int]) -> None:
    before, after = _found(db, _BEFORE, new), _found(db, _AFTER, new)
    if before is not None:
        new = new._replace(session=_session_between(before, new))
        db.execute(_MOVE, (new.session, new.row))
    if (
        after is not None
        and after.row not in fresh
        and after.session != _session_between(new, after)
    ):
        _move_rest(db, after, _session_between(new, after))


def _found(db: sqlite3.Connection, sql: str, new: SessionSlot) -> SessionSlot | None:
    found = db.execute(sql, _position_key(new)).fetchone()
    return SessionSlot(*found) if found else None


def _position_key(seat: SessionSlot) -> tuple[str, float, int]:
    return seat.conversation, seat.position, seat.row


def _session_between(before: SessionSlot, after: SessionSlot) -> int:
    return after.row if is_pause(before.ts, after.ts) else before.session


def _move_rest(db: sqlite3.Connection, first: SessionSlot, sitting: int) -> None:
    """From this one to the end of its sitting."""
    db.execute(
        "UPDATE entries SET session = ? WHERE session = ? AND (position, row) >= (?, ?)",
        (sitting, first.session, first.position, first.row),
    )
