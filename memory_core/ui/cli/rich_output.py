"""Tables and progress bars of the package rich, for a person at a terminal."""

import io
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from ...domain.unicode import visible_name

if TYPE_CHECKING:
    from rich.table import Table

_MIN_WIDTH = 40  # in a narrower terminal, columns would be only a word wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows for a table, and as plain lines. `remarks` are sentences below both."""

    columns: Sequence[str]
    cells: Sequence[Sequence[str]]
    lines: Sequence[str]
    remarks: Sequence[str] = ()

    def plain_text(self) -> str:
        return "\n".join([*self.lines, *self.remarks])


def is_rich(stream: TextIO | None) -> bool:
    """Returns whether a person reads this stream in a terminal that shows tables and bars."""
    if stream is None or not stream.isatty():
        return False
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    try:
        import rich  # noqa: F401
    except ImportError:
        return False
    return True


def table_text(rows: Rows, stream: TextIO) -> str:
    """Returns the rows as a table that is at most as wide as the terminal, without colours."""
    width = shutil.get_terminal_size().columns
    if width < _MIN_WIDTH or not rows.cells:
        return rows.plain_text()
    encoding = stream.encoding or "ascii"
    return "\n".join([_rendered(rows, width, encoding), *rows.remarks])


def _rendered(rows: Rows, width: int, encoding: str) -> str:
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        console.print(_table(rows, encoding))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def _table(rows: Rows, encoding: str) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    lines = box.SIMPLE_HEAD if encoding.lower().startswith("utf") else box.ASCII
    table = Table(box=lines, show_edge=False, pad_edge=False)
    for column in rows.columns:
        table.add_column(column, overflow="fold")
    for cells in rows.cells:
        # As Text, so that "[bold]" or ":smile:" in a memory is not interpreted.
        table.add_row(*(Text(_cell(cell, encoding)) for cell in cells))
    return table


def _cell(text: str, encoding: str) -> str:
    """Returns the text as it is printed, so that the layout counts the right columns."""
    return visible_name(text).encode(encoding, "backslashreplace").decode(encoding)
