"""Gives new events their seq and their id."""

import secrets
from collections.abc import Iterator, Sequence
from itertools import count

from .events import Event, NewEvent

_ID_BYTES = 8


def numbered(drafts: Sequence[NewEvent], last_seq: int) -> list[Event]:
    """Returns the events as they will be written after the event `last_seq`."""
    return list(map(_line, drafts, count(last_seq + 1), _new_ids(len(drafts))))


def _new_ids(number: int) -> Iterator[str]:
    """Yields consecutive ids from a random start: an index then keeps one write's ids together."""
    first = secrets.randbits(8 * _ID_BYTES)
    return (f"{(first + n) % (1 << 8 * _ID_BYTES):016x}" for n in range(number))


def _line(draft: NewEvent, seq: int, new_id: str) -> Event:
    return Event(
        seq=seq,
        op=draft.op,
        id=draft.id or new_id,
        ts=draft.ts,
        fields=dict(draft.fields),
        log=draft.log,
    )
