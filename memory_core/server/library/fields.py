"""Memories and sessions as plain dictionaries, for programs that use them as JSON."""

from typing import Any

from ...admin.exporters.row_fields import conversation_name
from ...domain.records import Memory
from ...memory.session_list import SessionInfo
from ..chat.retrieved import iso_time


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Returns what a memory says, and where and when it was said; `ts` is in ISO 8601, UTC."""
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
    return fields


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
