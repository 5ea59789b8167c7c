"""Lists the conversations of one namespace, each with the times and number of its exchanges."""

from ..listing import SessionQuery, SessionSpan, SpanPart, joined_spans
from .database import Database
from .names import original_name, stored_name

_SPANS = """SELECT p.conversation, m.channel, min(m.ts), max(m.ts), count(*)
    FROM places AS p JOIN memories AS m ON m.namespace = p.namespace AND m.row = p.row
    WHERE p.namespace = %s AND m.kind = 'exchange' AND m.state = 'live'
    AND (%s::float8 IS NULL OR m.ts >= %s::float8) AND (%s::float8 IS NULL OR m.ts < %s::float8)
    AND (%s::text = '' OR m.channel = %s::text) GROUP BY p.conversation, m.channel"""


def list_sessions(database: Database, namespace: str, query: SessionQuery) -> list[SessionSpan]:
    """Returns the conversations with exchanges that count, the latest first."""
    ends = [query.since] * 2 + [query.until] * 2
    channels = [stored_name(query.channel)] * 2
    rows = database.rows(namespace, _SPANS, namespace, *ends, *channels)
    return joined_spans(
        SpanPart(original_name(conversation), original_name(channel), *rest)
        for conversation, channel, *rest in rows
    )
