"""What a reader is told of a memory, whatever the format."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from ...domain.namespaces import EXPORTED_KEYS, Namespace, decode
from ...domain.records import Memory
from ...infra.unicode import well_formed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFields:
    """Who said what, and what else is told of it. A note has only a `note`.

    `metadata` is a JSON object; empty where there is none.
    """

    user_name: str = ""
    user: str = ""
    assistant_name: str = ""
    assistant: str = ""
    note: str = ""
    channel: str = ""
    metadata: str = ""


def export_fields(memory: Memory) -> ExportFields:
    exchange = memory.exchange
    if exchange is None:
        return ExportFields(note=well_formed(memory.text))
    return ExportFields(
        user_name=well_formed(exchange.user_name),
        user=well_formed(exchange.user),
        assistant_name=well_formed(exchange.assistant_name),
        assistant=well_formed(exchange.assistant),
        channel=well_formed(exchange.channel),
        metadata=metadata_text(exchange.metadata),
    )


def metadata_text(metadata: Mapping[str, Any]) -> str:
    """As JSON; empty where there is none."""
    return well_formed(json.dumps(dict(metadata), ensure_ascii=False)) if metadata else ""


def namespace_fields(namespace: Namespace) -> dict[str, str]:
    """Whose a memory is, by EXPORTED_KEYS."""
    told = (namespace.user, namespace.character, namespace.scope.value)
    return dict(zip(EXPORTED_KEYS, map(well_formed, told), strict=True))


def conversation_name(memory: Memory) -> str:
    """Its name; where that was too long for a file's name, what is left of it."""
    name = decode(memory.conversation) if memory.conversation else ""
    return well_formed(memory.conversation if name is None else name)


def to_datetime(ts: float | None, tz: tzinfo | None = UTC) -> datetime | None:
    """In this time zone (None: this machine's); None where it is not known or no date at all."""
    if ts is None:
        return None
    try:
        return (_EPOCH + timedelta(seconds=ts)).astimezone(tz)
    except (OverflowError, OSError, ValueError):
        return None
