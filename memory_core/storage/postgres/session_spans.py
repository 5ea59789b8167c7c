"""Lists the conversations of one namespace, each with the times and number of its exchanges."""

from collections.abc import Sequence
from typing import NamedTuple

from ..listing import SessionQuery, SessionSpan
from .database import Database
from .names import original_name, stored_name

_NO_TIME = float("-inf")
_SPANS = """SELECT p.conversation, m.channel, min(m.ts), max(m.ts), count(*)
    FROM places AS p JOIN memories AS m ON m.namespace = p.namespace AND m.row = p.row
    WHERE p.namespace = %s AND m.kind = 'exchange' AND m.state = 'live'
    AND (%s::float8 IS NULL OR m.ts >= %s::float8) AND (%s::float8 IS NULL OR m.ts < %s::float8)
    AND (%s::text = '' OR m.channel = %s::text) GROUP BY p.conversation, m.channel"""


class _Part(NamedTuple):
    """The exchanges of one conversation that came through one channel."""

    conversation: str
    channel: str
    first: float | None
    last: float | None
    exchanges: int


def list_sessions(database: Database, namespace: str, query: SessionQuery) -> list[SessionSpan]:
    """Returns the conversations with exchanges that count, the latest first."""
    ends = [query.since] * 2 + [query.until] * 2
    channels = [stored_name(query.channel)] * 2
    parts: dict[str, list[_Part]] = {}
    for row in database.rows(namespace, _SPANS, namespace, *ends, *channels):
        part = _Part(*row)
        parts.setdefault(part.conversation, []).append(part)
    found = [_joined(group) for group in parts.values()]
    return sorted(found, key=lambda span: (-_time(span.last), span.conversation))


def _joined(parts: Sequence[_Part]) -> SessionSpan:
    latest = max(parts, key=lambda part: (_time(part.last), part.channel))
    return SessionSpan(
        conversation=original_name(latest.conversation),
        first=min((part.first for part in parts if part.first is not None), default=None),
        last=latest.last,
        count=sum(part.exchanges for part in parts),
        channel=original_name(latest.channel),
    )


def _time(ts: float | None) -> float:
    return _NO_TIME if ts is None else ts
