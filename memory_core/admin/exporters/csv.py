"""Memories as a table that Excel, LibreOffice and others open with a double click.

Columns: date (YYYY-MM-DD HH:MM:SSZ, UTC), conversation, kind, pinned (yes or empty), user_name,
user, assistant_name, assistant, note (the text of what is no exchange), id, channel, metadata (a
JSON object, or empty). UTF-8 with a BOM, commas, CRLF. A cell that a spreadsheet would take for a
formula begins with an apostrophe.
"""

import csv
import io
from collections.abc import Iterable, Iterator

from ...domain.namespaces import EXPORTED_KEYS, Namespace
from ...domain.records import Memory
from ...text.csv_cells import escape_formula
from .row_fields import conversation_name, export_fields, namespace_fields, to_datetime

COLUMNS = (
    "date",
    "conversation",
    "kind",
    "pinned",
    "user_name",
    "user",
    "assistant_name",
    "assistant",
    "note",
    "id",
    "channel",
    "metadata",
)
_BOM = "\ufeff"


def csv_lines(memories: Iterable[Memory]) -> Iterator[str]:
    yield _BOM + _to_csv_line(COLUMNS)
    for memory in memories:
        yield _to_guarded_line(_cells(memory))


def csv_lines_of_all(spaces: Iterable[tuple[Namespace, Iterable[Memory]]]) -> Iterator[str]:
    """Three more columns in front tell whose a memory is."""
    yield _BOM + _to_csv_line([*EXPORTED_KEYS, *COLUMNS])
    for namespace, memories in spaces:
        whose = namespace_fields(namespace).values()
        yield from (_to_guarded_line([*whose, *_cells(memory)]) for memory in memories)


def _to_guarded_line(cells: Iterable[str]) -> str:
    return _to_csv_line(map(escape_formula, cells))


def _cells(memory: Memory) -> list[str]:
    said, when = export_fields(memory), to_datetime(memory.ts)
    return [
        when.strftime("%Y-%m-%d %H:%M:%SZ") if when else "",
        conversation_name(memory),
        memory.kind.value,
        "yes" if memory.pinned else "",
        said.user_name,
        said.user,
        said.assistant_name,
        said.assistant,
        said.note,
        memory.id,
        said.channel,
        said.metadata,
    ]


def _to_csv_line(cells: Iterable[str]) -> str:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()
