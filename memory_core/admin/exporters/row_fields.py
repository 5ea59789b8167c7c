"""Computes the fields of an exported memory, whatever the format."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...domain.namespaces import EXPORTED_KEYS, Namespace, decode
from ...domain.records import Memory
from ...domain.unicode import well_formed
from ...prompt.templates import date_in_digits

LONGEST_LINE = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFields:
    """The texts of a memory. A note has only `note`. `metadata` is a JSON object, or empty."""

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
    """Returns the metadata as JSON, or an empty text if there is none."""
    return well_formed(json.dumps(dict(metadata), ensure_ascii=False)) if metadata else ""


def derivation_cells(memory: Memory) -> tuple[str, str]:
    """Returns the sources and the derivation as JSON, or empty texts if there are none."""
    derived = memory.derived.to_fields() if memory.derived else {}
    sources = json.dumps(list(memory.sources)) if memory.sources else ""
    return sources, metadata_text(derived)


def namespace_fields(namespace: Namespace) -> dict[str, str]:
    """Returns the namespace's user, character and scope by EXPORTED_KEYS."""
    names = (namespace.user, namespace.character, namespace.scope.value)
    return dict(zip(EXPORTED_KEYS, map(well_formed, names), strict=True))


def conversation_name(memory: Memory) -> str:
    """Returns the conversation's name, shortened if it was too long for a file's name."""
    name = decode(memory.conversation) if memory.conversation else ""
    return well_formed(memory.conversation if name is None else name)


def memory_line(memory: Memory, *, longest: int = LONGEST_LINE) -> str:
    """Returns id, date, kind and the first `longest` letters of a memory in one line."""
    return "  ".join(memory_cells(memory, longest=longest))


def memory_cells(memory: Memory, *, longest: int = LONGEST_LINE) -> tuple[str, str, str, str]:
    """Returns id, date, kind and the first `longest` letters of a memory."""
    kind, short = " ".join((memory.kind, *_marks(memory))), shortened(memory.text, longest)
    return memory.id, date_in_digits(memory.ts), kind, short


def shortened(text: str, longest: int) -> str:
    """Returns the first `longest` letters of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def _marks(memory: Memory) -> Iterator[str]:
    """Yields marks for a pinned memory, for one that is no fact, and for an outdated one."""
    if memory.pinned:
        yield "pinned"
    if memory.derived and memory.derived.flag:
        yield memory.derived.flag
    if memory.derived and memory.derived.never_held(memory.ts):
        yield "corrected"
    elif memory.derived and memory.derived.valid_to is not None:
        yield f"until {date_in_digits(memory.derived.valid_to)}"
