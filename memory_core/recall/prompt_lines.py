"""A memory as one line of a prompt, which its words cannot leave."""

from datetime import UTC, datetime

from ..domain.records import Memory
from ..text.prompt_files import quoted


def numbered_line(number: int, memory: Memory, *, limit: int, label: str = "") -> str:
    """Returns the number, the day in UTC if it is known, the label, and `limit` letters, quoted."""
    said = quoted(memory.text, limit=limit)
    return " ".join(part for part in (f"[{number}]", _day(memory.ts), label, said) if part)


def _day(ts: float | None) -> str:
    try:
        return "" if ts is None else f"{datetime.fromtimestamp(ts, UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):  # an imported time far outside the calendar
        return ""
