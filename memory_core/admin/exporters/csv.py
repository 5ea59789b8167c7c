"""Writes memories as a CSV table for Excel, LibreOffice and other spreadsheets.

Columns: date (YYYY-MM-DD HH:MM:SSZ, UTC), conversation, kind, pinned (yes or empty), user_name,
user, assistant_name, assistant, note (the text of a note), id, channel, metadata (a JSON object, or
empty), sources and derived (as in jsonl.py, as JSON or empty), ts (seconds since the epoch, with
their fraction). UTF-8 with a BOM, commas, CRLF. An apostrophe precedes a cell that a spreadsheet
would read as a formula.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from datetime import UTC

from ...domain.namespaces import EXPORTED_KEYS, Namespace
from ...domain.records import Memory
from ...infra.calendar_time import to_datetime
from ...text.csv_cells import escape_formula
from .row_fields import conversation_name, derivation_cells, export_fields, namespace_fields

COLUMNS = (
    "date", "conversation", "kind", "pinned", "user_name", "user", "assistant_name", "assistant",
    "note", "id", "channel", "metadata", "sources", "derived", "ts",
)  # fmt: skip
_BOM = "\ufeff"


def csv_lines(
    spaces: Iterable[tuple[Namespace, Iterable[Memory]]], *, names_owners: bool
) -> Iterator[str]:
    """Yields the table's lines; the first three columns are EXPORTED_KEYS if it `names_owners`."""
    yield _BOM + _to_csv_line([*(EXPORTED_KEYS if names_owners else ()), *COLUMNS])
    for namespace, memories in spaces:
        names = namespace_fields(namespace).values() if names_owners else ()
        for memory in memories:
            yield _to_csv_line(map(escape_formula, [*names, *_cells(memory)]))


def _cells(memory: Memory) -> list[str]:
    said, when = export_fields(memory), to_datetime(memory.ts, UTC)
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
        *derivation_cells(memory),
        "" if memory.ts is None else repr(memory.ts),
    ]


def _to_csv_line(cells: Iterable[str]) -> str:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\r\n").writerow(cells)
    return written.getvalue()
