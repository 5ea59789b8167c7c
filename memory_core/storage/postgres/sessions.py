"""Assigns sessions: runs of exchanges of one conversation without a long pause.

A session's number is that of its first exchange. Removed and forgotten exchanges count too: they
were said at that time. As position and time of an exchange never change, only a new one can split
or join sessions.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..index.catalog.session_rows import is_pause
from .connection import Connection

_COLUMNS = """SELECT row, conversation, position, ts, session FROM memories
    WHERE namespace = %s AND conversation = %s AND kind = 'exchange'"""
_BEFORE = f"{_COLUMNS} AND (position, row) < (%s, %s) ORDER BY position DESC, row DESC LIMIT 1"
_BEHIND = f"{_COLUMNS} AND (position, row) > (%s, %s)"


class SessionSlot(NamedTuple):
    """An exchange with its first position, its time and its session, which is its own at first."""

    row: int
    conversation: str
    position: float
    ts: float | None
    session: int


def changed_sessions(
    connection: Connection, namespace: str, fresh: Iterable[SessionSlot]
) -> dict[int, int]:
    """Returns row → session of these new exchanges, and of known ones whose session changes."""
    talks: dict[str, list[SessionSlot]] = {}
    for slot in fresh:
        talks.setdefault(slot.conversation, []).append(slot)
    found: dict[int, int] = {}
    for talk in talks.values():
        found |= _changed_in_talk(connection, namespace, talk)
    return found


def _changed_in_talk(
    connection: Connection, namespace: str, fresh: Sequence[SessionSlot]
) -> dict[int, int]:
    first = min(fresh, key=_order)
    values = (namespace, first.conversation, first.position, first.row)
    before = connection.execute(_BEFORE, values).fetchone()
    behind = connection.execute(_BEHIND, values).fetchall()
    talk = sorted([*fresh, *(SessionSlot(*row) for row in behind)], key=_order)
    new_rows = {slot.row for slot in fresh}
    previous = SessionSlot(*before) if before else None
    changed: dict[int, int] = {}
    for slot in talk:
        session = slot.row
        if previous is not None and not is_pause(previous.ts, slot.ts):
            session = previous.session
        if session != slot.session or slot.row in new_rows:
            changed[slot.row] = session
        previous = slot._replace(session=session)
    return changed


def _order(slot: SessionSlot) -> tuple[float, int]:
    return slot.position, slot.row
