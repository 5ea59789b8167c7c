"""`import`: brings past chats of the host or of other programs into memory."""

import argparse
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ...admin.importers.base import Owner, Reader
from ...admin.importers.engine import Failure, Progress, Result, Source, import_chats
from ...admin.importers.formats import all_readers, recognised, textgen_reader
from ...admin.importers.survey import Survey, embedding_s, survey
from ...config.schema import Settings
from ...domain.errors import ImportFailed
from ...domain.users import DEFAULT_USER
from ...memory.long_term_memory import LongTermMemory
from . import common
from .common import Terminal, add_command, counted

_AUTO = "auto"
_STOPPED = 130
_TOLD_EVERY_S = 1.0


def add_import_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    parser = add_command(commands, "import", "Import past chats into memory.", run)
    parser.add_argument(
        "what",
        choices=[_AUTO, *all_readers()],
        help="The program that wrote the files; auto finds it out.",
    )
    parser.add_argument("path", type=Path, help="A file or folder.")
    parser.add_argument("--user", default="", help="The user (default: the host's profile).")
    parser.add_argument("--character", default="", help="The character, where the files name none.")
    parser.add_argument(
        "--dry-run", action="store_true", help="Only show how much there is and how long it takes."
    )
    parser.add_argument("--embed", action="store_true", help="Make the embeddings now, too.")


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.settings()  # bad ones are refused before anything is read
    source = _source(args, settings)
    with _interruptible() as stopping:
        telling = _Telling(terminal, "found")
        found = survey(source, tell=telling.tell, stop=stopping.is_set)
        _refuse_nothing(found, source)
        if found.warnings:
            terminal.note(warnings_told(found.warnings))
        if args.dry_run or found.cancelled:
            return _tell_survey(args, terminal, found)
        terminal.note(survey_told(found))
        models = common.build_models() if args.embed else None
        with common.memory_to_fill(args, models=models) as memory:
            telling = _Telling(terminal, "imported")
            result = import_chats(
                memory, source, total=found.total, tell=telling.tell, stop=stopping.is_set
            )
            if args.embed and not result.cancelled:
                _embed(memory, result, terminal, stopping.is_set)
    return _tell_result(args, terminal, result)


def _source(args: argparse.Namespace, settings: Settings) -> Source:
    listens = settings.commands.enabled
    path = args.path.expanduser().absolute()
    if args.what == _AUTO:
        reader = recognised(path, listens=listens)
    else:
        reader = all_readers(listens=listens)[args.what]
    owner = Owner(user=args.user or _user(reader, path), character=args.character)
    return Source(reader=reader, path=path, owner=owner)


def _refuse_nothing(found: Survey, source: Source) -> None:
    """Somebody expects memories of it."""
    if not (found.chats or found.failures or found.cancelled):
        raise ImportFailed(
            f"{source.path} holds nothing that {source.reader.name} can read: "
            f"`import {_AUTO}` finds out whose file it is"
        )


def _user(reader: Reader, path: Path) -> str:
    """Whom the live chat names: in the host whose chats these are, else in the one around us."""
    host = textgen_reader()
    of_files = host.owner(path).user if reader.name == host.name else ""
    return of_files or host.owner(common.FOLDER.parents[1]).user or DEFAULT_USER


def _tell_survey(args: argparse.Namespace, terminal: Terminal, found: Survey) -> int:
    embedder = common.build_models().embedder
    embedding = embedding_s(embedder, found)
    if args.json:
        terminal.say(json.dumps(survey_fields(found, embedding)))
    else:
        terminal.say(survey_told(found, embedding))
        terminal.say(failures_told(found.failures))
    return _STOPPED if found.cancelled else 0


def _tell_result(args: argparse.Namespace, terminal: Terminal, result: Result) -> int:
    if args.json:
        terminal.say(json.dumps(result_fields(result)))
    else:
        terminal.say(result_told(result))
        terminal.say(failures_told(result.failures))
    if result.cancelled:
        return _STOPPED
    return 1 if result.failures and not result.chats else 0


def _embed(
    memory: LongTermMemory, result: Result, terminal: Terminal, stop: Callable[[], bool]
) -> None:
    """Raises EmbedderUnavailable."""
    if memory.embedder is None:
        terminal.note("no embedder is configured: recall goes by words")
        return
    getattr(memory.embedder, "prepare", lambda: None)()
    done, told = 0, time.monotonic()
    for namespace in result.namespaces:
        while not stop() and (some := memory.derive_pending(namespace)):
            done += some
            if time.monotonic() - told > _TOLD_EVERY_S:
                told = time.monotonic()
                terminal.note(f"{counted(done, 'text')} embedded")


def survey_fields(found: Survey, embedding: float | None) -> dict[str, Any]:
    return {
        "chats": found.chats,
        "exchanges": found.exchanges,
        "notes": found.notes,
        "undated": found.undated,
        "bytes": found.size_bytes,
        "namespaces": _namespaces(found),
        "failures": _failures(found),
        "warnings": found.warnings,
        "writing_s": round(found.writing_s, 2),
        "embedding_s": None if embedding is None else round(embedding, 2),
        "dry_run": True,
        "cancelled": found.cancelled,
    }


def result_fields(result: Result) -> dict[str, Any]:
    return {
        "chats": result.chats,
        "exchanges": result.exchanges,
        "added": result.added,
        "changed": result.changed,
        "removed": result.removed,
        "notes": result.notes,
        "namespaces": _namespaces(result),
        "failures": _failures(result),
        "warnings": result.warnings,
        "elapsed_s": round(result.elapsed_s, 2),
        "dry_run": False,
        "cancelled": result.cancelled,
    }


def _namespaces(of: Survey | Result) -> list[dict[str, Any]]:
    return [
        {"user": it.user, "character": it.character, "scope": it.scope.value, "exchanges": count}
        for it, count in of.namespaces.items()
    ]


def _failures(of: Survey | Result) -> list[dict[str, str]]:
    return [{"source": str(it.source), "reason": it.reason} for it in of.failures]


class _Telling:
    """One line a second on how far it is."""

    def __init__(self, terminal: Terminal, did: str) -> None:
        self._terminal = terminal
        self._did = did
        self._told = time.monotonic()

    def tell(self, progress: Progress) -> None:
        if time.monotonic() - self._told < _TOLD_EVERY_S:
            return
        self._told = time.monotonic()
        of = f" of {progress.of_exchanges:,}" if progress.of_exchanges else ""
        left = "" if progress.left_s is None else f", {time_told(progress.left_s)} left"
        self._terminal.note(f"exchanges {self._did}: {progress.exchanges:,}{of}{left}")


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """Ctrl-C ends after the chat being written; a second one at once."""
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
