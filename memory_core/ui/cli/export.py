"""The commands `export`, `backup` and `restore`."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...admin.backup.log_files import log_files
from ...admin.backup.writer import BackupSummary, write_backup
from ...admin.exporters.export import ExportFormat, export_namespace
from ...admin.exporters.restore import RestoreMode, RestoreResult, restore
from ...admin.names import display_name
from ...admin.rolling_backup import dismiss_offers_after_restore
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace, namespace_of
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import Aliases, read_aliases
from . import common, export_all
from .common import (
    CHARACTER_HELP,
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
    memories,
)
from .export_all import STANDARD_OUTPUT, ZIP, refuse_existing, to_standard_output
from .progress import backup_progress


def add_export_commands(commands: Commands) -> None:
    _add_export_command(commands)
    whole = add_command(commands, "backup", "Write all memories into one zip file.", _backup)
    _add_output(whole, "The file to write.")
    back = add_command(commands, "restore", "Restore a backup or an exported zip.", _restore)
    back.add_argument("file", type=Path, help="The backup or exported zip.")
    back.add_argument("--user", help="Restore under the names of this user and character.")
    back.add_argument("--character", help=CHARACTER_HELP)
    there = back.add_mutually_exclusive_group()
    there.add_argument(
        "--merge", action="store_true", help="Add the missing memories; change none."
    )
    there.add_argument(
        "--replace", action="store_true", help="Back up the existing memories, then replace them."
    )


def _add_export_command(commands: Commands) -> None:
    description = "Write the memories of one character, or of all, into files."
    one = add_command(commands, "export", description, _export)
    add_namespace_arguments(one, is_optional=True)
    one.add_argument(
        "--format",
        choices=[ZIP, *map(str, ExportFormat)],
        default=ZIP,
        help="The format of the file. Only a zip, the default, can be restored.",
    )
    one.add_argument(
        "--all",
        action="store_true",
        help="Export all characters, or all of USER. The output is one file if its name has the "
        "format's ending (.zip, .csv, .jsonl, .md) or is -, else a folder with a file for each.",
    )
    _add_output(
        one, f"The file to write, {STANDARD_OUTPUT} for standard output, or with --all a folder."
    )


def _add_output(parser: argparse.ArgumentParser, help_text: str) -> None:
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help=help_text)
    parser.add_argument("--force", action="store_true", help="Replace existing files.")


def _export(args: argparse.Namespace, terminal: Terminal) -> int:
    is_standard_output = str(args.output) == STANDARD_OUTPUT
    if args.all and args.character is None:
        export = to_standard_output if is_standard_output else export_all.run
        return export(args, terminal)
    if args.all or args.character is None:
        raise ConfigError(
            "name a user and a character, or use --all without a character", key="--all"
        )
    namespace = existing_namespace(args)
    if is_standard_output:
        return to_standard_output(args, terminal, namespace)
    path = _absolute(args.output)
    refuse_existing([path], args)
    if args.format == ZIP:
        with common.open_memory(args) as memory:
            saved = _write(memory, path, [namespace], None, terminal)
        return _print_saved(terminal, saved)
    with common.open_memory(args) as memory:
        count = export_namespace(memory, namespace, ExportFormat(args.format), path)
    found = {"path": str(path), "memories": count}
    terminal.show(found, f"{memories(count)} written to {path}")
    return 0


def _backup(args: argparse.Namespace, terminal: Terminal) -> int:
    if str(args.output) == STANDARD_OUTPUT:
        raise ConfigError("a backup is read back once it is written: name a file", key="--output")
    with common.open_memory(args) as memory:
        spaces = memory.namespaces()
        if not spaces:
            place = memory.shared.place(memory.root)
            raise ConfigError(f"there are no memories in {place}", key="--storage")
        path, aliases = _absolute(args.output), read_aliases(memory.root, memory.shared.files)
        refuse_existing([path], args)
        saved = _write(memory, path, spaces, aliases, terminal)
    return _print_saved(terminal, saved)


def _write(
    memory: LongTermMemory,
    path: Path,
    spaces: Sequence[Namespace],
    aliases: Aliases | None,
    terminal: Terminal,
) -> BackupSummary:
    with log_files(memory, spaces) as root, backup_progress(terminal) as show:
        return write_backup(path, root, spaces, now=time.time(), aliases=aliases, show_written=show)


def _restore(args: argparse.Namespace, terminal: Terminal) -> int:
    if (args.user is None) != (args.character is None):
        raise ConfigError("--user and --character must be given together", key="--user")
    to = None if args.user is None else namespace_of(args.user, args.character)
    mode = (
        RestoreMode.MERGE
        if args.merge
        else RestoreMode.REPLACE
        if args.replace
        else RestoreMode.REFUSE
    )
    with common.open_memory_to_write(args) as memory:
        done = restore(memory, _absolute(args.file), mode=mode, to=to)
        dismiss_offers_after_restore(common.installation(), memory.root, _absolute(args.file))
    found = {"restored": [_restored_fields(result) for result in done]}
    terminal.show(found, "\n".join(map(_restored_text, done)))
    return 0


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def _print_saved(terminal: Terminal, saved: BackupSummary) -> int:
    found = {
        "path": str(saved.path),
        "namespaces": saved.namespaces,
        "exchanges": saved.exchanges,
        "notes": saved.notes,
        "forgotten": saved.forgotten,
        "damaged": saved.damaged,
    }
    terminal.show(found, saved_text(saved))
    return 0


def saved_text(saved: BackupSummary) -> str:
    found = f"{counted(saved.exchanges, 'exchange')} and {counted(saved.notes, 'note')}"
    text = f"{found} written to {saved.path}"
    if saved.forgotten:
        text += f"; without the words of {memories(saved.forgotten)} that you forgot"
    if saved.damaged:
        text += f"; without {counted(saved.damaged, 'damaged line')}"
    return text


def _restored_fields(done: RestoreResult) -> dict[str, Any]:
    return {
        **done.namespace.to_fields(),
        "memories": done.memories,
        "backup": str(done.backup) if done.backup else None,
    }


def _restored_text(done: RestoreResult) -> str:
    backup = f"; the earlier memories are in {done.backup}" if done.backup else ""
    return f"{display_name(done.namespace)}: {memories(done.memories)} restored{backup}"
