"""An import in the words of the command line."""

from collections.abc import Sequence

from ...admin.importers.engine import Failure, Result
from ...admin.importers.survey import Survey
from .common import counted

_MINUTE, _HOUR = 60.0, 3600.0
_MOST_TOLD = 20


def survey_told(found: Survey, embedding: float | None = 0.0) -> str:
    """How much there is and how long it takes; `embedding` is None where nobody can know."""
    size = f"{found.size_bytes / 1e6:,.1f} MB"
    told = f"{counted(found.exchanges, 'exchange')} in {counted(found.chats, 'chat')} ({size})"
    told += f" and {counted(found.notes, 'note')}" if found.notes else ""
    told += f", of {counted(len(found.namespaces), 'character')}"
    told += f"; {found.undated:,} without a date of their own" if found.undated else ""
    told += f"; about {time_told(found.writing_s)}"
    if embedding is None:
        return told + ", and the embeddings in the background once the model is loaded"
    return told + (f", then about {time_told(embedding)} of embedding" if embedding else "")


def result_told(result: Result) -> str:
    told = f"{counted(result.added, 'exchange')} added, "
    told += f"{result.changed:,} changed, {result.removed:,} removed"
    told += f", {counted(result.notes, 'note')} added" if result.notes else ""
    known = result.exchanges - result.added - result.changed
    told += f", {known:,} known already; {counted(result.chats, 'chat')}"
    told += f" in {time_told(result.elapsed_s)}"
    return told + (". Stopped: run it again to go on" if result.cancelled else "")


def failures_told(failures: Sequence[Failure]) -> str:
    if not failures:
        return "No file was passed over."
    lines = [f"  {it.reason}" for it in failures[:_MOST_TOLD]]
    more = len(failures) - len(lines)
    return "\n".join(
        [f"{len(failures)} passed over:", *lines, *([f"  and {more} more"] if more else [])]
    )


def warnings_told(warnings: Sequence[str]) -> str:
    """One line each; empty where there are none."""
    return "\n".join(f"warning: {it}" for it in warnings)


def time_told(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    return f"{seconds / _HOUR:.1f} h"
