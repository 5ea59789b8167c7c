"""What a reader is told of a memory, whatever the format."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from ..namespaces import decode
from ..records import Memory
from ..wellformed import well_formed

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Who said what. A note has only a `note`."""

    user_name: str = ""
    user: str = ""
    assistant_name: str = ""
    assistant: str = ""
    note: str = ""


def sides(memory: Memory) -> Sides:
    exchange = memory.exchange
    if exchange is None:
        return Sides(note=well_formed(memory.text))
    return Sides(
        user_name=well_formed(exchange.user_name),
        user=well_formed(exchange.user),
        assistant_name=well_formed(exchange.assistant_name),
        assistant=well_formed(exchange.assistant),
    )


def conversation(memory: Memory) -> str:
    """Its name; where that was too long for a file's name, what is left of it."""
    name = decode(memory.conversation) if memory.conversation else ""
    return well_formed(memory.conversation if name is None else name)


def moment(ts: float | None, tz: tzinfo | None = UTC) -> datetime | None:
    """In this time zone (None: this machine's); None where it is not known or no date at all."""
    if ts is None:
        return None
    try:
        return (_EPOCH + timedelta(seconds=ts)).astimezone(tz)
    except (OverflowError, OSError, ValueError):
        return None
