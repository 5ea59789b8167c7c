"""The command `export`: one character or all, into files or to standard output."""

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from ...admin.exporters.file_names import file_names
from ...admin.names import display_name
from ...domain.errors import ConfigError, StorageError
from ...domain.namespaces import Namespace
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import read_aliases
from . import common
from .backups import print_saved, write_zip
from .common import (
    STANDARD_OUTPUT,
    Commands,
    OutputClosed,
    Terminal,
    absolute,
    add_command,
    add_namespace_arguments,
    add_output_option,
    counted,
    existing_namespace,
    memories,
    refuse_existing,
)

_ZIP = "zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class _ExportedFile:
    namespace: Namespace
    path: Path
    memories: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _FailedExport:
    namespace: Namespace
    reason: str


def add_export_command(commands: Commands) -> None:
    description = "Write the memories of one character, or of all, into files."
    parser = add_command(commands, "export", description, _run)
    add_namespace_arguments(parser, is_optional=True)
    parser.add_argument(
        "--format",
        choices=[_ZIP, *map(str, ExportFormat)],
        default=_ZIP,
        help="The format of the file. Only a zip, the default, can be restored.",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="Export all characters, or all of USER. The output is one file if its name has the "
        "format's ending (.zip, .csv, .jsonl, .md) or is -, else a folder with a file for each.",
    )
    add_output_option(
        parser, f"The file to write, {STANDARD_OUTPUT} for standard output, or with --all a folder."
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    if args.all == (args.character is not None):
        raise ConfigError(
            "name a user and a character, or use --all without a character", key="--all"
        )
    if str(args.output) == STANDARD_OUTPUT:
        return _export_to_output(args, terminal)
    return _export_all(args, terminal) if args.all else _export_one(args, terminal)


def _export_one(args: argparse.Namespace, terminal: Terminal) -> int:
    namespace, path = existing_namespace(args), absolute(args.output)
    refuse_existing([path], args)
    with common.open_memory(args) as memory:
        if args.format == _ZIP:
            return print_saved(terminal, write_zip(memory, path, [namespace], terminal))
        count = export_namespace(memory, namespace, ExportFormat(args.format), path)
    terminal.show({"path": str(path), "memories": count}, f"{memories(count)} written to {path}")
    return 0


def _export_all(args: argparse.Namespace, terminal: Terminal) -> int:
    """Exports all characters. Without --force, a single existing file stops the whole export."""
    with common.open_memory(args) as memory:
        spaces, path = _selected_namespaces(memory, args.user), absolute(args.output)
        _refuse_other_ending(path, args.format)
        done: list[_ExportedFile | _FailedExport]
        if path.suffix.lower() == _ending(args.format) and not os.path.isdir(path):
            refuse_existing([path], args)
            counts = _write_together(memory, spaces, args.format, path, terminal)
            done = [
                _ExportedFile(namespace=space, path=path, memories=count)
                for space, count in counts.items()
            ]
        else:
            names = file_names(spaces, _ending(args.format))
            paths = {space: path / name for space, name in names.items()}
            refuse_existing(list(paths.values()), args)
            done = [
                _write_alone(memory, space, args.format, file, terminal)
                for space, file in paths.items()
            ]
    return _print_result(terminal, path, done)


def _export_to_output(args: argparse.Namespace, terminal: Terminal) -> int:
    """Prints the memories of one character, or of all; the summary goes to standard error."""
    if args.json:
        raise ConfigError("--json and --output - both write to standard output", key="--json")
    namespace = None if args.all else existing_namespace(args)
    with temporary_folder() as folder, common.open_memory(args) as memory:
        path = Path(folder) / f"memories{_ending(args.format)}"
        if namespace is None:
            spaces = _selected_namespaces(memory, args.user)
            count = sum(_write_together(memory, spaces, args.format, path, terminal).values())
        elif args.format == _ZIP:
            count = _write_zip_of_one(memory, namespace, path, terminal)
        else:
            count = export_namespace(memory, namespace, ExportFormat(args.format), path)
        _copy_to_output(path)
    terminal.print_note(f"{memories(count)} written to standard output")
    return 0


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


def _refuse_other_ending(path: Path, form: str) -> None:
    """Raises ConfigError for a name such as one.jsonl with --format csv: a folder is unlikely."""
    found, own = path.suffix.lower(), _ending(form)
    if found != own and found in {".zip", *ENDINGS.values()} and not os.path.isdir(path):
        raise ConfigError(
            f"{path.name} ends in {found}, but --format {form} writes {own} files; nothing was "
            f"written. Name a file that ends in {own}, a folder, or another --format",
            key="--format",
        )


def _ending(form: str) -> str:
    return ".zip" if form == _ZIP else ENDINGS[ExportFormat(form)]


def _write_together(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    form: str,
    path: Path,
    terminal: Terminal,
) -> Mapping[Namespace, int]:
    """Writes several characters into one file; returns the number of memories of each."""
    if form != _ZIP:
        return export_all(memory, spaces, ExportFormat(form), path)
    aliases = read_aliases(memory.root, memory.shared.files)
    write_zip(memory, path, spaces, terminal, aliases=aliases)
    return {space: memory.counts(space)["live"] for space in spaces}


def _write_alone(
    memory: LongTermMemory, namespace: Namespace, form: str, path: Path, terminal: Terminal
) -> _ExportedFile | _FailedExport:
    """Exports one character, or returns its failure, so that the others are still written.

    Tables name the character, so that the folder can be imported.
    """
    try:
        if form == _ZIP:
            count = _write_zip_of_one(memory, namespace, path, terminal)
        else:
            count = export_all(memory, [namespace], ExportFormat(form), path)[namespace]
    except StorageError as exc:
        return _FailedExport(namespace=namespace, reason=str(exc))
    return _ExportedFile(namespace=namespace, path=path, memories=count)


def _write_zip_of_one(
    memory: LongTermMemory, namespace: Namespace, path: Path, terminal: Terminal
) -> int:
    write_zip(memory, path, [namespace], terminal)
    return memory.counts(namespace)["live"]


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


def _copy_to_output(path: Path) -> None:
    try:
        with path.open("rb") as written:
            shutil.copyfileobj(written, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError as exc:
        raise OutputClosed from exc
