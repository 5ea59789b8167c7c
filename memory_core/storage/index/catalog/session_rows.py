"""Assigns sessions: runs of exchanges of one conversation without a long pause.

A session's number is the row of its first exchange. Removed and forgotten exchanges count too: they
were said at that time. As position and time of an exchange never change, only a new one can split
or join sessions.
"""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

SESSION_PAUSE_S = 4 * 3600.0
_COLUMNS = (
    "SELECT row, conversation, position, ts, session FROM entries "
    "WHERE conversation = ? AND kind = 'exchange' "
)
_BEFORE = f"{_COLUMNS} AND (position, row) < (?, ?) ORDER BY position DESC, row DESC LIMIT 1"
_BEHIND = f"{_COLUMNS} AND (position, row) > (?, ?)"
_MOVE = "UPDATE entries SET session = ? WHERE row = ?"
_MARK_STALE = (
    "REPLACE INTO stale_neighbours(row) SELECT row FROM entries "
    "WHERE session = (SELECT session FROM entries WHERE row = ?) AND state = 'live' "
)
_MARK_BEFORE = (
    f"{_MARK_STALE} AND (position, row) < (?, ?) ORDER BY position DESC, row DESC LIMIT 1"
)
_MARK_AFTER = f"{_MARK_STALE} AND (position, row) > (?, ?) ORDER BY position, row LIMIT 1"


class SessionSlot(NamedTuple):
    """An exchange with its first position, its time and its session, which is its own at first."""

    row: int
    conversation: str
    position: float
    ts: float | None
    session: int


def by_conversation(fresh: Iterable[SessionSlot]) -> list[list[SessionSlot]]:
    """Returns the exchanges of each conversation, oldest first."""
    talks: dict[str, list[SessionSlot]] = {}
    for slot in fresh:
        talks.setdefault(slot.conversation, []).append(slot)
    return [sorted(talk, key=_order) for talk in talks.values()]


def changed_sessions(
    fresh: Sequence[SessionSlot], before: SessionSlot | None, behind: Sequence[SessionSlot]
) -> dict[int, int]:
    """Returns row → session of new exchanges, and of known ones whose session changes.

    All are of one conversation. `before` is the known exchange before the first new one, and
    `behind` are all known ones after it.
    """
    new_rows, changed = {slot.row for slot in fresh}, dict[int, int]()
    for slot in sorted([*fresh, *behind], key=_order):
        session = slot.row if before is None or _is_pause(before, slot) else before.session
        if session != slot.session or slot.row in new_rows:
            changed[slot.row] = session
        before = slot._replace(session=session)
    return changed


def sessions_of_new_entries(
    db: sqlite3.Connection, fresh: Sequence[SessionSlot]
) -> tuple[dict[int, int], list[SessionSlot]]:
    """Returns changed_sessions() for these exchanges before they are written, and those of them
    that may be neighbours of known ones.
    """
    sessions: dict[int, int] = {}
    beside_known: list[SessionSlot] = []
    for talk in by_conversation(fresh):
        values = talk[0].conversation, talk[0].position, talk[0].row
        before = next(map(SessionSlot._make, db.execute(_BEFORE, values)), None)
        behind = list(map(SessionSlot._make, db.execute(_BEHIND, values)))
        sessions |= changed_sessions(talk, before, behind)
        beside_known += talk if behind else talk[:1]
    return sessions, beside_known


def move_to_sessions(
    db: sqlite3.Connection, sessions: Mapping[int, int], beside_known: Sequence[SessionSlot]
) -> None:
    """Moves known exchanges, after new ones were written; marks the neighbours of all of them."""
    db.executemany(_MOVE, [(session, row) for row, session in sessions.items()])
    for statement in (_MARK_BEFORE, _MARK_AFTER):
        places = [(slot.row, slot.position, slot.row) for slot in beside_known]
        db.executemany(statement, places)


def _order(slot: SessionSlot) -> tuple[float, int]:
    return slot.position, slot.row


def _is_pause(before: SessionSlot, after: SessionSlot) -> bool:
    """Returns whether a new session starts between these; never if a time is unknown."""
    times = before.ts, after.ts
    return None not in times and after.ts - before.ts > SESSION_PAUSE_S  # type: ignore[operator]
