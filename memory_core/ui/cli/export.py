"""The command `export`: one character or all, into files or to standard output."""

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...admin.exporters.export import (
    ENDINGS,
    ExportFormat,
    export_all,
    export_namespace,
    file_names,
)
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
    written: list[dict[str, Any]] = []
    failures: dict[Namespace, str] = {}
    with common.open_memory(args) as memory:
        spaces, path = _selected_namespaces(memory, args.user), absolute(args.output)
        for file, group in _plan(args, path, spaces).items():
            try:
                counts = _write(memory, group, args, file, terminal, with_aliases=file == path)
            except StorageError as exc:
                if file == path:
                    raise
                failures[group[0]] = str(exc)  # the others are still written
            else:
                written += [
                    {"path": str(file), "memories": count, **space.to_fields()}
                    for space, count in counts.items()
                ]
    count = sum(file["memories"] for file in written)
    failed = [{"reason": reason, **space.to_fields()} for space, reason in failures.items()]
    found = {"path": str(path), "memories": count, "files": written, "failures": failed}
    of = counted(len(written), "character")
    terminal.show(found, f"{memories(count)} of {of} written to {path}")
    for space, reason in failures.items():
        terminal.print_note(f"{display_name(space)} was not exported: {reason}")
    return 1 if failures else 0


def _plan(
    args: argparse.Namespace, path: Path, spaces: Sequence[Namespace]
) -> dict[Path, list[Namespace]]:
    """Returns the characters of each file to write. Raises ConfigError for existing files."""
    _refuse_other_ending(path, args.format)
    ending = _ending(args.format)
    if path.suffix.lower() == ending and not os.path.isdir(path):
        planned = {path: list(spaces)}
    else:
        planned = {path / name: [space] for space, name in file_names(spaces, ending).items()}
    refuse_existing(list(planned), args)
    return planned


def _export_to_output(args: argparse.Namespace, terminal: Terminal) -> int:
    """Prints the memories of one character, or of all; the summary goes to standard error."""
    if args.json:
        raise ConfigError("--json and --output - both write to standard output", key="--json")
    namespace = None if args.all else existing_namespace(args)
    with temporary_folder() as folder, common.open_memory(args) as memory:
        path = Path(folder) / f"memories{_ending(args.format)}"
        if namespace is not None and args.format != _ZIP:
            count = export_namespace(memory, namespace, ExportFormat(args.format), path)
        else:
            spaces = [namespace] if namespace else _selected_namespaces(memory, args.user)
            has_all = namespace is None
            counts = _write(memory, spaces, args, path, terminal, with_aliases=has_all)
            count = sum(counts.values())
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


def _write(
    memory: LongTermMemory,
    spaces: Sequence[Namespace],
    args: argparse.Namespace,
    path: Path,
    terminal: Terminal,
    *,
    with_aliases: bool,
) -> Mapping[Namespace, int]:
    """Writes characters into one file; returns the number of memories of each.

    Tables name the characters, so that they can be imported.
    """
    if args.format != _ZIP:
        return export_all(memory, spaces, ExportFormat(args.format), path)
    aliases = read_aliases(memory.root, memory.shared.files) if with_aliases else None
    write_zip(memory, path, spaces, terminal, aliases=aliases)
    return {space: memory.count_memories(space).memories for space in spaces}


def _copy_to_output(path: Path) -> None:
    try:
        with path.open("rb") as written:
            shutil.copyfileobj(written, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError as exc:
        raise OutputClosed from exc
