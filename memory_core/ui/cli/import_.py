"""The command `import`: imports past chats of the host or of other programs."""

import argparse
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from ...admin.importers.base import MemoryOwner, Reader
from ...admin.importers.engine import ImportCounts, ImportProgress, ImportResult, import_chats
from ...admin.importers.formats import (
    ALL_READERS,
    files_of_other_formats,
    find_reader,
)
from ...admin.importers.source import ImportFailure, ImportSource
from ...admin.importers.survey import Survey, estimate_embedding_s, survey
from ...admin.importers.textgen import TextgenReader
from ...config.schema import Settings
from ...domain.errors import ImportFailed
from ...domain.namespaces import DEFAULT_USER
from ...memory.long_term_memory import LongTermMemory
from . import common
from .common import Commands, Terminal, add_command, counted
from .rich_output import Progress, progress_on

_AUTO_FORMAT = "auto"
_EXIT_INTERRUPTED = 130
_PRINT_INTERVAL_S = 1.0


def add_import_command(commands: Commands) -> None:
    parser = add_command(commands, "import", "Import past chats into memory.", run)
    parser.add_argument(
        "what",
        metavar="FORMAT",
        choices=[_AUTO_FORMAT, *ALL_READERS],
        help="The program that wrote the files: %(choices)s. auto detects it.",
    )
    parser.add_argument("path", type=Path, help="A file or folder.")
    parser.add_argument("--user", default="", help="The user (default: the host's profile).")
    parser.add_argument(
        "--character",
        default="",
        help="The character, if the files name none; _instruct for chats without a character.",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="Only show the size of the import and how long it takes.",
    )
    parser.add_argument("--embed", action="store_true", help="Also make the embeddings now.")


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()  # bad ones are refused before anything is read
    source = _source(args, settings)
    with _interruptible() as stopping:
        with progress_on(terminal, note_every_s=_PRINT_INTERVAL_S) as progress:
            show = partial(_show_progress, progress, "exchanges found")
            found = survey([source], on_progress=show, stop=stopping.is_set)
        _refuse_empty(found, source)
        if found.warnings:
            terminal.print_note("\n".join(f"warning: {warning}" for warning in found.warnings))
        _note_unread_files(args, source, terminal)
        if args.dry_run or found.cancelled:
            return _print_survey(terminal, found)
        terminal.print_note(survey_text(found))
        models = common.build_models() if args.embed else common.NO_MODELS
        with (
            common.open_memory(args, models=models, must_exist=False) as memory,
            progress_on(terminal, note_every_s=_PRINT_INTERVAL_S) as progress,
        ):
            show = partial(_show_progress, progress, "exchanges imported")
            result = import_chats(
                memory, source, total=found.total, on_progress=show, stop=stopping.is_set
            )
            if args.embed and not result.cancelled:
                _embed(memory, result, terminal, progress, stopping.is_set)
    return _print_result(terminal, result)


def _source(args: argparse.Namespace, settings: Settings) -> ImportSource:
    path = args.path.expanduser().absolute()
    reader = find_reader(path) if args.what == _AUTO_FORMAT else ALL_READERS[args.what]
    owner = MemoryOwner(user=args.user or _default_user(reader, path), character=args.character)
    commands = settings.commands.enabled
    return ImportSource(reader=reader, path=path, owner=owner, executes_commands=commands)


def _refuse_empty(found: Survey, source: ImportSource) -> None:
    """Raises ImportFailed if the files hold nothing to import."""
    if not (found.chats or found.failures or found.cancelled):
        raise ImportFailed(
            f"{source.path} holds no chats in the format {source.reader.name}: "
            f"`import {_AUTO_FORMAT}` detects the format"
        )


def _note_unread_files(args: argparse.Namespace, source: ImportSource, terminal: Terminal) -> None:
    """Names the files of a folder whose format is not the one that was detected."""
    if args.what != _AUTO_FORMAT or not source.path.is_dir():
        return
    unread = files_of_other_formats(source.path, source.reader, source.files())
    if unread:
        names = ", ".join(path.name for path in unread[:_MAX_SHOWN])
        terminal.print_note(
            f"warning: only the format {source.reader.name} is read from this folder. Import what "
            f"has another format by itself: {names}"
        )


def _default_user(reader: Reader, path: Path) -> str:
    """Returns the user profile of the host that the files belong to, else of our own host."""
    host = TextgenReader()
    of_files = host.live_owner(path).user if reader.name == host.name else ""
    return of_files or host.live_owner(common.EXTENSION_FOLDER.parents[1]).user or DEFAULT_USER


def _print_survey(terminal: Terminal, found: Survey) -> int:
    embedder = common.build_models().embedder
    embedding = estimate_embedding_s(embedder, found)
    text = f"{survey_text(found, embedding)}\n{failures_text(found.failures)}"
    terminal.show(survey_fields(found, embedding), text)
    return _EXIT_INTERRUPTED if found.cancelled else 0


def _print_result(terminal: Terminal, result: ImportResult) -> int:
    text = f"{result_text(result)}\n{failures_text(result.failures)}"
    terminal.show(result_fields(result), text)
    if result.cancelled:
        return _EXIT_INTERRUPTED
    return 1 if result.failures and not result.chats else 0


def _embed(
    memory: LongTermMemory,
    result: ImportResult,
    terminal: Terminal,
    progress: Progress,
    stop: Callable[[], bool],
) -> None:
    """Embeds the imported texts. Raises EmbedderUnavailable."""
    if memory.embedder is None:
        terminal.print_note("no embedding model is configured: recall goes by words")
        return
    getattr(memory.embedder, "prepare", lambda: None)()
    done = 0
    for namespace in result.namespaces:
        while not stop() and (some := memory.derive_pending(namespace)):
            done += some
            progress.show("texts embedded", done, None, f"{counted(done, 'text')} embedded")


def survey_fields(found: Survey, embedding: float | None) -> dict[str, Any]:
    return {
        **_counted_fields(found),
        "undated": found.undated,
        "bytes": found.size_bytes,
        "writing_s": round(found.writing_s, 2),
        "embedding_s": None if embedding is None else round(embedding, 2),
        "dry_run": True,
    }


def result_fields(result: ImportResult) -> dict[str, Any]:
    return {
        **_counted_fields(result),
        "added": result.added,
        "changed": result.changed,
        "removed": result.removed,
        "elapsed_s": round(result.elapsed_s, 2),
        "dry_run": False,
    }


def _counted_fields(found: ImportCounts) -> dict[str, Any]:
    spaces, failures = found.namespaces.items(), found.failures
    return {
        "chats": found.chats,
        "exchanges": found.exchanges,
        "notes": found.notes,
        "namespaces": [{**space.to_fields(), "exchanges": count} for space, count in spaces],
        "failures": [{"source": str(one.source), "reason": one.reason} for one in failures],
        "warnings": found.warnings,
        "cancelled": found.cancelled,
    }


def _show_progress(shown: Progress, title: str, progress: ImportProgress) -> None:
    total, remaining_s = progress.total_exchanges or None, progress.remaining_s
    of = f" of {total:,}" if total else ""
    left = "" if remaining_s is None else f", {duration_text(remaining_s)} left"
    shown.show(title, progress.exchanges, total, f"{title}: {progress.exchanges:,}{of}{left}")


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Makes Ctrl-C stop after the current chat, and a second Ctrl-C stop at once."""
    stopping = threading.Event()

    def interrupted(number: int, frame: FrameType | None) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()

    if threading.current_thread() is not threading.main_thread():
        yield stopping
        return
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, before)


_MINUTE, _HOUR = 60.0, 3600.0
_MAX_SHOWN = 20


def survey_text(found: Survey, embedding: float | None = 0.0) -> str:
    """Describes the size and duration of an import.

    `embedding` is in seconds, or None if its duration is unknown.
    """
    size = f"{found.size_bytes / 1e6:,.1f} MB"
    text = f"{counted(found.exchanges, 'exchange')} in {counted(found.chats, 'chat')} ({size})"
    text += f" and {counted(found.notes, 'note')}" if found.notes else ""
    text += f", of {counted(len(found.namespaces), 'character')}"
    text += f"; {found.undated:,} without their own date" if found.undated else ""
    text += f"; about {duration_text(found.writing_s)}"
    if embedding is None:
        return text + ", and the embeddings in the background once the model is loaded"
    return text + (f", then about {duration_text(embedding)} of embedding" if embedding else "")


def result_text(result: ImportResult) -> str:
    text = f"{counted(result.added, 'exchange')} added, "
    text += f"{result.changed:,} changed, {result.removed:,} removed"
    text += f", {counted(result.notes, 'note')} added" if result.notes else ""
    known = result.exchanges - result.added - result.changed
    text += f", {known:,} known already; {counted(result.chats, 'chat')}"
    text += f" in {duration_text(result.elapsed_s)}"
    return text + (". Stopped: run the command again to continue" if result.cancelled else "")


def failures_text(failures: Sequence[ImportFailure]) -> str:
    if not failures:
        return "No file was skipped."
    lines = [f"  {failure.reason}" for failure in failures[:_MAX_SHOWN]]
    more = len(failures) - len(lines)
    return "\n".join(
        [f"{len(failures)} skipped:", *lines, *([f"  and {more} more"] if more else [])]
    )


def duration_text(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{max(1, round(seconds))} s"
    if seconds < _HOUR:
        return f"{round(seconds / _MINUTE)} min"
    return f"{seconds / _HOUR:.1f} h"
