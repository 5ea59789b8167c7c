"""Memories and sessions as plain dictionaries, for programs that use them as JSON."""

from datetime import date
from typing import Any

from ...admin.exporters.row_fields import conversation_name
from ...domain.errors import ConfigError
from ...domain.records import Memory
from ...memory.browse import SessionInfo
from ...memory.diary import day_of_page, maker_of_page
from ..chat.retrieved import iso_time


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Returns the text, place and time of a memory by name; `ts` is in ISO 8601, UTC."""
    fields: dict[str, Any] = {
        "memory_id": memory.id,
        "kind": memory.kind.value,
        "text": memory.text,
        "ts": iso_time(memory.ts),
        "conv_id": conversation_name(memory),
        "turn_id": memory.turn_id,
    }
    if memory.exchange is not None:
        said = memory.exchange
        fields |= {"user": said.user, "assistant": said.assistant, "channel": said.channel}
        fields["metadata"] = dict(said.metadata)
    return fields


def page_fields(page: Memory) -> dict[str, Any]:
    """Returns a page of a diary, with its day as 2026-01-31."""
    day = day_of_page(page)
    return {
        "memory_id": page.id,
        "day": day.isoformat() if day else "",
        "text": page.text,
        "made_by": maker_of_page(page),
    }


def to_day(given: date | str) -> date:
    """Returns the day of an ISO date. Raises ConfigError for any other text."""
    if not isinstance(given, str):
        return given
    try:
        return date.fromisoformat(given)
    except ValueError as exc:
        raise ConfigError(f"{given!r} is no day: write 2026-01-31", key="day") from exc


def session_fields(session: SessionInfo) -> dict[str, Any]:
    return {
        "user_id": session.namespace.user,
        "character": session.namespace.character,
        "session_id": session.conversation,
        "first": iso_time(session.first),
        "last": iso_time(session.last),
        "count": session.count,
        "channel": session.channel,
    }
