"""Assigns sessions: runs of exchanges of one conversation without a long pause.

A session's number is the row of its first exchange. Removed and forgotten exchanges count too: they
were said at that time. As position and time of an exchange never change, only a new one can split
or join sessions.
"""

import sqlite3
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ....domain.records import MemoryKind

SESSION_PAUSE_S = 4 * 3600.0
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
    """A row with its first position, its time and its session, which is its own row at first."""

    row: int
    conversation: str
    kind: str
    position: float
    ts: float | None
    session: int


def is_pause(before: float | None, after: float | None) -> bool:
    """Returns whether a new session starts between these times; never if one is unknown."""
    return before is not None and after is not None and after - before > SESSION_PAUSE_S


def sessions_of_new_entries(db: sqlite3.Connection, fresh: Sequence[SessionSlot]) -> dict[int, int]:
    """Returns row → session of new entries, as far as it is known before they are written.

    It is known for notes, which are alone in their session, and for exchanges at the end of a
    conversation.
    """
    known = {slot.row: slot.row for slot in fresh if slot.kind != MemoryKind.EXCHANGE}
    for talk in _by_conversation(fresh):
        if not db.execute(_IS_BEHIND, _position_key(talk[0])).fetchone()[0]:
            known |= _appended(db, talk)
    return known


def assign_sessions(db: sqlite3.Connection, fresh: Sequence[SessionSlot]) -> None:
    """Assigns sessions to new entries written with their own rows; updates those after them."""
    for talk in _by_conversation(fresh):
        for slot in talk:  # oldest first: the previous one has its session already
            _insert(db, slot, {other.row for other in talk})


def _by_conversation(fresh: Sequence[SessionSlot]) -> list[list[SessionSlot]]:
    """Returns the exchanges of each conversation, oldest first."""
    talks: dict[str, list[SessionSlot]] = {}
    for slot in fresh:
        if slot.kind == MemoryKind.EXCHANGE:
            talks.setdefault(slot.conversation, []).append(slot)
    return [sorted(talk, key=lambda slot: (slot.position, slot.row)) for talk in talks.values()]


def _appended(db: sqlite3.Connection, talk: Sequence[SessionSlot]) -> dict[int, int]:
    """Returns the sessions of exchanges at a conversation's end.

    The live exchange before them gets a new neighbour if it shares their session.
    """
    before = last = _found(db, _BEFORE, talk[0])
    sessions: dict[int, int] = {}
    for slot in talk:
        before = slot if before is None else slot._replace(session=_session_between(before, slot))
        sessions[slot.row] = before.session
    if last is not None and sessions[talk[0].row] == last.session:
        db.execute(_MARK_STALE, (last.session,))
    return sessions


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


def _move_rest(db: sqlite3.Connection, first: SessionSlot, session: int) -> None:
    """Moves all exchanges from this one to the end of its session."""
    db.execute(
        "UPDATE entries SET session = ? WHERE session = ? AND (position, row) >= (?, ?)",
        (session, first.session, first.position, first.row),
    )
