"""The progress of a long command: a bar for a person at a terminal, otherwise occasional notes."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...domain.unicode import visible_name
from .common import Terminal
from .rich_output import is_rich

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from ...admin.backup.writer import ShowWritten

_REDRAW_S = 0.1
_BACKUP_NOTE_EVERY_S = 5.0


class Progress:
    """Shows the progress of a command: on the bar, or without one by notes, once per interval."""

    def __init__(self, terminal: Terminal, note_every_s: float, bar: "RichProgress | None") -> None:
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
def progress_on(terminal: Terminal, *, note_every_s: float) -> Iterator[Progress]:
    """Shows a bar while the command runs, or plain notes at most once per interval."""
    if not is_rich(sys.stderr):
        yield Progress(terminal, note_every_s, None)
        return
    with _rich_progress() as bar:
        yield Progress(terminal, note_every_s, bar)


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
