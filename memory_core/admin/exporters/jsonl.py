"""Writes memories as JSON, one object per line.

Keys: id, kind, ts (seconds since the epoch, or null), date (ISO 8601, UTC, or null), conversation,
turn_id, pinned. Exchanges also have user, assistant, user_name, assistant_name, channel, metadata.
Notes have text and sources (ids). Those that were made of other memories have derived, an object
with the fields of Derivation that are known.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...domain.unicode import well_formed
from ...infra.calendar_time import to_datetime
from .row_fields import conversation_name, export_fields, namespace_fields


def json_lines(
    spaces: Iterable[tuple[Namespace, Iterable[Memory]]], *, names_owners: bool
) -> Iterator[str]:
    """Yields a line per memory; its first three keys are EXPORTED_KEYS if it `names_owners`."""
    for namespace, memories in spaces:
        names = namespace_fields(namespace) if names_owners else {}
        for memory in memories:
            found = json.dumps({**names, **_to_json_object(memory)}, ensure_ascii=False)
            yield well_formed(found) + "\n"


def _to_json_object(memory: Memory) -> dict[str, Any]:
    when = to_datetime(memory.ts, UTC)
    found: dict[str, Any] = {
        "id": memory.id,
        "kind": memory.kind.value,
        "ts": memory.ts,
        "date": when.isoformat(timespec="seconds") if when else None,
        "conversation": conversation_name(memory),
        "turn_id": memory.turn_id,
        "pinned": memory.pinned,
    }
    if memory.exchange is None:
        note = {"text": memory.text, "sources": list(memory.sources)}
        return found | note | ({"derived": memory.derived.to_fields()} if memory.derived else {})
    said = export_fields(memory)
    return found | {
        "user": said.user,
        "assistant": said.assistant,
        "user_name": said.user_name,
        "assistant_name": said.assistant_name,
        "channel": memory.exchange.channel,
        "metadata": dict(memory.exchange.metadata),
    }
