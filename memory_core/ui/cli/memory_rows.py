"""Memories as lines for a terminal and as fields for JSON, and days given as arguments."""

import argparse
from collections.abc import Sequence
from typing import Any

from ...admin.exporters.row_fields import conversation_name, memory_cells, memory_line
from ...domain.errors import ConfigError, UnknownMemory
from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.projection import MemoryRecord, MemoryStatus
from ...text.time_windows import time_window
from .rich_output import Rows

MEMORY_COLUMNS = ("id", "day", "kind", "text")
ID_HELP = "The id of a memory, as `list` and `search` show it."


def memory_rows(memories: Sequence[Memory], remarks: Sequence[str]) -> Rows:
    """Returns a row of id, date, kind and the beginning of the text for each memory."""
    return Rows(
        columns=MEMORY_COLUMNS,
        cells=list(map(memory_cells, memories)),
        lines=list(map(memory_line, memories)),
        remarks=remarks,
    )


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Returns all fields of a memory for JSON output; `ts` is in seconds since the epoch."""
    fields: dict[str, Any] = {
        "id": memory.id,
        "kind": memory.kind.value,
        "ts": memory.ts,
        "text": memory.text,
        "pinned": memory.pinned,
        "conversation": conversation_name(memory),
    }
    if memory.exchange:
        fields |= {"user": memory.exchange.user, "assistant": memory.exchange.assistant}
    return fields | _derived_fields(memory)


def _derived_fields(memory: Memory) -> dict[str, Any]:
    derived = memory.derived.to_fields() if memory.derived else {}
    return {"sources": list(memory.sources), **derived} if memory.sources or derived else {}


def known_record(memory: LongTermMemory, namespace: Namespace, memory_id: str) -> MemoryRecord:
    """Returns the record of a memory. Raises ConfigError for an unknown id."""
    try:
        record = memory.get_record(namespace, memory_id)
    except UnknownMemory as exc:
        message = (
            f"{memory_id} is not the id of a memory of {namespace.label}; `list` shows the ids"
        )
        raise ConfigError(message, key="id") from exc
    if record.status is MemoryStatus.REMOVED:
        raise ConfigError(f"{memory_id} was removed from its chat: see `removed`", key="id")
    return record


def add_window_options(parser: argparse.ArgumentParser) -> None:
    """Adds --since, --until and --utc-offset, which `since_and_until` reads."""
    day = "DAY (2026-01-31) or time (2026-01-31T18:00)"
    parser.add_argument("--since", type=_date, metavar="TIME", help=f"Said from this {day}.")
    parser.add_argument(
        "--until",
        type=_date,
        metavar="TIME",
        help="Said before this time, or up to the end of this day.",
    )
    parser.add_argument(
        "--utc-offset",
        type=float,
        metavar="HOURS",
        help="The time zone of both, as hours from UTC (default: this machine's).",
    )


def since_and_until(args: argparse.Namespace) -> tuple[float | None, float | None]:
    """Returns the half-open interval in seconds since the epoch; None where it is open.

    Raises ConfigError.
    """
    try:
        return time_window(args.since, args.until, args.utc_offset)
    except ValueError as exc:
        raise ConfigError(str(exc), key="--utc-offset") from exc


def _date(text: str) -> str:
    try:
        time_window(text, None)
    except (ValueError, OverflowError) as exc:
        raise argparse.ArgumentTypeError(str(exc)) from exc
    return text
