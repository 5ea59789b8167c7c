"""Memories as rows of a table, and pages of them."""

from collections.abc import Sequence

from ....admin.exporters.row_fields import metadata_text
from ....domain.records import Memory
from ....infra.unicode import well_formed
from ....prompt.templates import date_in_digits
from ....storage.contract import Page
from ....storage.log.projection import MemoryRecord
from ....text.locales import Words
from ....text.repeats import is_repeat
from ....text.search_terms import terms
from ....text.sentences import excerpt

TableRow = list[str]

COLUMNS = ("date", "pinned", "user", "character", "conversation", "id")
PAGE_SIZE = 20
_MAX_CELL_CHARS = 160
_MAX_DETAIL_CHARS = 2000
_PIN = "●"


def page_of(number: int, search: str) -> Page:
    """Returns the query for a page, counted from 1."""
    offset = PAGE_SIZE * (max(1, number) - 1)
    return Page(limit=PAGE_SIZE, offset=offset, words=tuple(dict.fromkeys(terms(search))))


def rows(memories: Sequence[Memory], words: Words) -> list[TableRow]:
    return [_row(memory, words) for memory in memories]


def sides(memory: Memory) -> tuple[str, str]:
    """Returns the user's and the character's side; a note has its text and an empty side."""
    exchange = memory.exchange
    return (exchange.user, exchange.assistant) if exchange else (memory.text, "")


def edited_fields(memory: Memory, user: str, character: str) -> dict[str, str]:
    """Returns the fields that LongTermMemory.edit takes for these two sides."""
    return {"user": user, "assistant": character} if memory.exchange else {"text": user}


def details(memory: Memory, words: Words) -> list[str]:
    """Returns a sentence each on the channel and the metadata of an exchange."""
    exchange = memory.exchange
    if exchange is None:
        return []
    values = {"channel": exchange.channel, "metadata": metadata_text(exchange.metadata)}
    found = {name: " ".join(text.split())[:_MAX_DETAIL_CHARS] for name, text in values.items()}
    return [words(f"detail_{name}", value=text) for name, text in found.items() if text]


def forgotten_choices(entries: Sequence[MemoryRecord]) -> list[tuple[str, str]]:
    """Returns (label, id) pairs, the latest forgotten first."""
    latest = sorted(entries, key=lambda entry: -(entry.forgotten_at or 0.0))
    return [(one_line_label(entry.memory), entry.memory.id) for entry in latest]


def _row(memory: Memory, words: Words) -> TableRow:
    user, character = (excerpt(side, _MAX_CELL_CHARS) for side in sides(memory))
    pin = _PIN if memory.pinned else ""
    only = f"{words['only_in_chat']} " if memory.only_in_conversation else ""
    again = words["repeat_in_chat"] if memory.exchange and is_repeat(memory.exchange) else ""
    chat = only + well_formed(memory.conversation) + again
    return [date_in_digits(memory.ts), pin, user, character, chat, memory.id]


def one_line_label(memory: Memory) -> str:
    """Returns the date and the beginning of a memory in one line."""
    return f"{date_in_digits(memory.ts)} · {excerpt(sides(memory)[0], 80)}"
