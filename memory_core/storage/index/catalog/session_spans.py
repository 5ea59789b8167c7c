"""Lists the conversations of a catalogue, each with the times and number of its exchanges."""

from collections.abc import Sequence
from typing import NamedTuple

from ...listing import SessionQuery, SessionSpan
from .database import Database

_NO_TIME = float("-inf")
_SPANS = """
SELECT conversation, channel, min(ts), max(ts), count(*) FROM (
  SELECT positions.conversation AS conversation, entries.ts AS ts,
    coalesce(json_extract(entries.data, '$.exchange.channel'), '') AS channel
  FROM positions JOIN entries ON entries.row = positions.row
  WHERE entries.kind = 'exchange' AND entries.state = 'live'
    AND (?1 IS NULL OR entries.ts >= ?1) AND (?2 IS NULL OR entries.ts < ?2)
) WHERE ?3 = '' OR channel = ?3 GROUP BY conversation, channel
"""


class _Part(NamedTuple):
    """The exchanges of one conversation that came through one channel."""

    conversation: str
    channel: str
    first: float | None
    last: float | None
    exchanges: int


def list_sessions(database: Database, query: SessionQuery) -> list[SessionSpan]:
    """Returns the conversations with exchanges that count, the latest first."""
    parts: dict[str, list[_Part]] = {}
    for row in database.rows(_SPANS, query.since, query.until, query.channel):
        part = _Part(*row)
        parts.setdefault(part.conversation, []).append(part)
    found = [_joined(group) for group in parts.values()]
    return sorted(found, key=lambda span: (-_time(span.last), span.conversation))


def _joined(parts: Sequence[_Part]) -> SessionSpan:
    latest = max(parts, key=lambda part: (_time(part.last), part.channel))
    return SessionSpan(
        conversation=latest.conversation,
        first=min((part.first for part in parts if part.first is not None), default=None),
        last=latest.last,
        count=sum(part.exchanges for part in parts),
        channel=latest.channel,
    )


def _time(ts: float | None) -> float:
    return _NO_TIME if ts is None else ts
