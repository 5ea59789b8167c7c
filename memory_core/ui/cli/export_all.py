"""The command `export --all`, and exports to standard output."""

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...admin.backup.log_files import log_files
from ...admin.backup.writer import ShowWritten, write_backup
from ...admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from ...admin.exporters.file_names import file_names
from ...admin.names import display_name
from ...domain.errors import ConfigError, StorageError
from ...domain.namespaces import Namespace
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import read_aliases
from . import common
from .common import OutputClosed, Terminal, counted, memories
from .progress import backup_progress

ZIP = "zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExportedFile:
    namespace: Namespace
    path: Path
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _FailedExport:
    namespace: Namespace
    reason: str


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    """Exports all characters. Without --force, a single existing file stops the whole export."""
    with common.open_memory(args) as memory:
        spaces = _selected_namespaces(memory, args.user)
        path = args.output.expanduser().absolute()
        _refuse_otherending(path, args.format)
        done: list[_ExportedFile | _FailedExport]
        if _is_one_file(path, args.format):
            refuse_existing([path], args)
            with backup_progress(terminal) as show:
                done = list(_export_together(memory, spaces, args.format, path, show))
        else:
            names = file_names(spaces, ending(args.format))
            paths = {space: path / name for space, name in names.items()}
            refuse_existing(list(paths.values()), args)
            done = [_export_one(memory, space, args.format, file) for space, file in paths.items()]
    return _print_result(terminal, path, done)


def _selected_namespaces(memory: LongTermMemory, user: str | None) -> list[Namespace]:
    """Returns the namespaces of one user, or of all, by their current names.

    Raises ConfigError if there are none.
    """
    spaces = list(dict.fromkeys(map(memory.resolve, memory.namespaces())))
    found = [space for space in spaces if user is None or space.user == user]
    if not found:
        of = "" if user is None else f" of {user}"
        raise ConfigError(
            f"there are no memories{of} in {memory.shared.place(memory.root)}", key="--all"
        )
    return found


def _is_one_file(path: Path, form: str) -> bool:
    return path.suffix.lower() == ending(form) and not os.path.isdir(path)


def _refuse_otherending(path: Path, form: str) -> None:
    """Raises ConfigError for a name such as one.jsonl with --format csv: a folder is unlikely."""
    found, own = path.suffix.lower(), ending(form)
    if found != own and found in {".zip", *ENDINGS.values()} and not os.path.isdir(path):
        raise ConfigError(
            f"{path.name} ends in {found}, but --format {form} writes {own} files; nothing was "
            f"written. Name a file that ends in {own}, a folder, or another --format",
            key="--format",
        )


def ending(form: str) -> str:
    return ".zip" if form == ZIP else ENDINGS[ExportFormat(form)]


def refuse_existing(paths: Sequence[Path], args: argparse.Namespace) -> None:
    """Raises ConfigError for files that exist, unless --force allows to replace them."""
    existing = [path for path in paths if os.path.lexists(path)]
    if existing and not args.force:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise ConfigError(
            f"{existing[0]}{more} exists already; nothing was written. Name another file or "
            "folder, or use --force to replace it",
            key="--force",
        )


def _export_together(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: str,
    path: Path,
    show_written: ShowWritten | None = None,
) -> Iterator[_ExportedFile]:
    if form == ZIP:
        aliases = read_aliases(memory.root, memory.shared.files)
        with log_files(memory, spaces) as root:
            write_backup(
                path, root, spaces, now=time.time(), aliases=aliases, show_written=show_written
            )
        counts = {space: memory.counts(space)["live"] for space in spaces}
    else:
        counts = dict(export_all(memory, spaces, ExportFormat(form), path))
    for namespace, count in counts.items():
        yield _ExportedFile(namespace=namespace, path=path, memories=count)


def _export_one(
    memory: LongTermMemory, namespace: Namespace, form: str, path: Path
) -> _ExportedFile | _FailedExport:
    """Exports one character, or returns its failure, so that the others are still written.

    Tables name the character, so that the folder can be imported.
    """
    try:
        if form == ZIP:
            count = write_one(memory, namespace, form, path)
        else:
            count = export_all(memory, [namespace], ExportFormat(form), path)[namespace]
    except StorageError as exc:
        return _FailedExport(namespace=namespace, reason=str(exc))
    return _ExportedFile(namespace=namespace, path=path, memories=count)


def write_one(memory: LongTermMemory, namespace: Namespace, form: str, path: Path) -> int:
    """Writes one character's memories into a file; returns their number. Raises StorageError."""
    if form != ZIP:
        return export_namespace(memory, namespace, ExportFormat(form), path)
    with log_files(memory, [namespace]) as root:
        write_backup(path, root, [namespace], now=time.time())
    return memory.counts(namespace)["live"]


def write_all(memory: LongTermMemory, args: argparse.Namespace, path: Path) -> int:
    """Writes all memories into one file; returns their number. Raises StorageError."""
    spaces = _selected_namespaces(memory, args.user)
    return sum(file.memories for file in _export_together(memory, spaces, args.format, path))


def _print_result(
    terminal: Terminal,
    path: Path,
    done: Sequence[_ExportedFile | _FailedExport],
) -> int:
    written = [result for result in done if isinstance(result, _ExportedFile)]
    failed = [result for result in done if isinstance(result, _FailedExport)]
    count = sum(file.memories for file in written)
    files = [
        {"path": str(file.path), "memories": file.memories, **file.namespace.to_fields()}
        for file in written
    ]
    failures = [{"reason": failure.reason, **failure.namespace.to_fields()} for failure in failed]
    found = {"path": str(path), "memories": count, "files": files, "failures": failures}
    of = counted(len(written), "character")
    terminal.show(found, f"{memories(count)} of {of} written to {path}")
    for failure in failed:
        name = display_name(failure.namespace)
        terminal.print_note(f"{name} was not exported: {failure.reason}")
    return 1 if failed else 0


STANDARD_OUTPUT = "-"


def to_standard_output(
    args: argparse.Namespace, terminal: Terminal, namespace: Namespace | None = None
) -> int:
    """Prints one character's memories, or all; the summary goes to standard error."""
    if args.json:
        raise ConfigError("--json and --output - both write to standard output", key="--json")
    with temporary_folder() as folder, common.open_memory(args) as memory:
        path = Path(folder) / f"memories{ending(args.format)}"
        if namespace is None:
            count = write_all(memory, args, path)
        else:
            count = write_one(memory, namespace, args.format, path)
        _print_file(path)
    terminal.print_note(f"{memories(count)} written to standard output")
    return 0


def _print_file(path: Path) -> None:
    try:
        with path.open("rb") as written:
            shutil.copyfileobj(written, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError as exc:
        raise OutputClosed from exc
