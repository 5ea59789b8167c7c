"""Memories as lines for a terminal and as fields for JSON, and days given as arguments."""

import argparse
from datetime import datetime, timedelta
from typing import Any

from ...admin.exporters.row_fields import conversation_name
from ...domain.records import Memory
from ...prompt.templates import date_in_digits

_LONGEST_LINE = 160


def memory_line(memory: Memory) -> str:
    """Returns id, date, kind and the beginning of the text in one line."""
    text = " ".join(memory.text.split())
    short = text if len(text) <= _LONGEST_LINE else f"{text[: _LONGEST_LINE - 1]}…"
    pin = " pinned" if memory.pinned else ""
    return f"{memory.id}  {date_in_digits(memory.ts)}  {memory.kind}{pin}  {short}"


def memory_fields(memory: Memory) -> dict[str, Any]:
    """Returns everything that a reader of JSON may want to know; `ts` in seconds since 1970."""
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


def add_window_options(parser: argparse.ArgumentParser) -> None:
    """Adds --since and --until, which `since_and_until` reads."""
    day = "DAY (2026-01-31) or time (2026-01-31T18:00), in local time"
    parser.add_argument("--since", type=_start, metavar="TIME", help=f"Said from this {day}.")
    parser.add_argument(
        "--until", type=_end, metavar="TIME", help="Said before this time, or up to this day."
    )


def since_and_until(args: argparse.Namespace) -> tuple[float | None, float | None]:
    """Returns the half-open interval in seconds since the epoch; None where it is open."""
    return args.since, args.until


def _start(text: str) -> float:
    return _parsed(text).timestamp()


def _end(text: str) -> float:
    """Returns the end of a day, or the time itself."""
    whole_day = timedelta(days=1) if "T" not in text and " " not in text else timedelta()
    return (_parsed(text) + whole_day).timestamp()


def _parsed(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as exc:
        message = f"{text!r} is no date: write 2026-01-31 or 2026-01-31T18:00"
        raise argparse.ArgumentTypeError(message) from exc
