"""Tables and progress bars of the package rich, for a person at a terminal.

Without one, a table is plain lines, and the progress of a long command an occasional note.
"""

import io
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from ...domain.unicode import visible_name

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.table import Table

    from ...admin.backup.writer import ShowWritten
    from .common import Terminal

_MIN_WIDTH = 40  # in a narrower terminal, columns would be only a word wide
_REDRAW_S = 0.1
_BACKUP_NOTE_EVERY_S = 5.0


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


class Progress:
    """Shows the progress of a command: on the bar, or without one by notes, once per interval."""

    def __init__(
        self, terminal: "Terminal", note_every_s: float, bar: "RichProgress | None"
    ) -> None:
        self._terminal, self._bar = terminal, bar
        self._interval_s = _REDRAW_S if bar else note_every_s
        self._task = bar.add_task("", total=None, visible=False) if bar else None
        self._shown_at = 0.0 if bar else time.monotonic()

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        """Shows the counts; `total` is None while it is unknown, `note` a sentence with both."""
        is_complete = self._bar is not None and done == total
        if time.monotonic() - self._shown_at < self._interval_s and not is_complete:
            return
        self._shown_at = time.monotonic()
        if self._bar is None or self._task is None:
            self._terminal.print_note(note)
            return
        name = visible_name(title).encode("utf-8", "backslashreplace").decode()
        self._bar.update(
            self._task, description=name, completed=done, total=total, visible=True, refresh=True
        )


@contextmanager
def progress_on(terminal: "Terminal", *, note_every_s: float) -> Iterator[Progress]:
    """Shows a bar while the command runs, or plain notes at most once per interval."""
    if not is_rich(sys.stderr):
        yield Progress(terminal, note_every_s, None)
        return
    with _rich_progress() as bar:
        yield Progress(terminal, note_every_s, bar)


@contextmanager
def backup_progress(terminal: "Terminal") -> Iterator["ShowWritten"]:
    """Shows a bar, or notes, while a backup is written."""
    title = "conversations written"
    with progress_on(terminal, note_every_s=_BACKUP_NOTE_EVERY_S) as progress:
        yield lambda done, total: progress.show(
            title, done, total, f"{title}: {done:,} of {total:,}"
        )


def _rich_progress() -> "RichProgress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    return Bars(
        TextColumn("{task.description}", markup=False),  # a name is never markup
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(file=sys.stderr),
        auto_refresh=False,  # no thread
        redirect_stdout=False,
        transient=True,
    )
