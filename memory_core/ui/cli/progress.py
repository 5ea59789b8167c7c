"""The progress of a long command: a bar for a person at a terminal, otherwise occasional notes."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from ...domain.unicode import visible_name
from .common import Terminal
from .rich_output import is_rich

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from ...admin.backup.writer import ShowWritten

_REDRAW_S = 0.1
_BACKUP_NOTE_EVERY_S = 5.0


class Progress(Protocol):
    """Shows the progress of a command. `total` is None while it is unknown."""

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        """Shows the counts; `note` is a sentence with them, for plain output."""


@contextmanager
def progress_on(terminal: Terminal, *, note_every_s: float) -> Iterator[Progress]:
    """Shows a bar while the command runs, or plain notes at most once per interval."""
    if not is_rich(sys.stderr):
        yield _Notes(terminal, note_every_s)
        return
    with _rich_progress() as bar:
        yield _Bar(bar)


@contextmanager
def backup_progress(terminal: Terminal) -> Iterator["ShowWritten"]:
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


class _Notes:
    def __init__(self, terminal: Terminal, every_s: float) -> None:
        self._terminal = terminal
        self._every_s = every_s
        self._shown_at = time.monotonic()

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        if time.monotonic() - self._shown_at >= self._every_s:
            self._shown_at = time.monotonic()
            self._terminal.print_note(note)


class _Bar:
    def __init__(self, bar: "RichProgress") -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None, visible=False)
        self._shown_at = 0.0

    def show(self, title: str, done: int, total: int | None, note: str) -> None:
        if time.monotonic() - self._shown_at < _REDRAW_S and done != total:
            return
        self._shown_at = time.monotonic()
        name = visible_name(title).encode("utf-8", "backslashreplace").decode()
        self._bar.update(
            self._task, description=name, completed=done, total=total, visible=True, refresh=True
        )
