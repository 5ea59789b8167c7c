"""The commands `backup` and `restore`."""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...admin.automatic_backups import dismiss_offers_after_restore
from ...admin.backup.writer import BackupSummary, log_files, write_backup
from ...admin.exporters.restore import RestoreMode, RestoreResult, restore
from ...admin.names import display_name
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace, namespace_of
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import Aliases, read_aliases
from . import common
from .common import (
    CHARACTER_HELP,
    STANDARD_OUTPUT,
    Commands,
    Terminal,
    absolute,
    add_command,
    add_output_option,
    counted,
    memories,
    refuse_existing,
)
from .rich_output import backup_progress


def add_backup_commands(commands: Commands) -> None:
    whole = add_command(commands, "backup", "Write all memories into one zip file.", _backup)
    add_output_option(whole, "The file to write.")
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


def _backup(args: argparse.Namespace, terminal: Terminal) -> int:
    if str(args.output) == STANDARD_OUTPUT:
        raise ConfigError("a backup is read back once it is written: name a file", key="--output")
    with common.open_memory(args) as memory:
        spaces = memory.namespaces()
        if not spaces:
            place = memory.shared.place(memory.root)
            raise ConfigError(f"there are no memories in {place}", key="--storage")
        path, aliases = absolute(args.output), read_aliases(memory.root, memory.shared.files)
        refuse_existing([path], args)
        saved = write_zip(memory, path, spaces, terminal, aliases=aliases)
    return print_saved(terminal, saved)


def write_zip(
    memory: LongTermMemory,
    path: Path,
    spaces: Sequence[Namespace],
    terminal: Terminal,
    *,
    aliases: Aliases | None = None,
) -> BackupSummary:
    """Backs up namespaces, with a bar or notes on its progress. Raises StorageFailed."""
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
    with common.open_memory(args, must_exist=False) as memory:
        done = restore(memory, absolute(args.file), mode=mode, to=to)
        dismiss_offers_after_restore(common.installation(), memory.root, absolute(args.file))
    found = {"restored": [_restored_fields(result) for result in done]}
    terminal.show(found, "\n".join(map(_restored_text, done)))
    return 0


def print_saved(terminal: Terminal, saved: BackupSummary) -> int:
    """Prints a new backup as a result; returns the exit code."""
    found = {
        "path": str(saved.path),
        "namespaces": saved.namespaces,
        "exchanges": saved.exchanges,
        "notes": saved.notes,
        "forgotten": saved.forgotten,
        "damaged": saved.damaged,
    }
    terminal.show(found, _saved_text(saved))
    return 0


def _saved_text(saved: BackupSummary) -> str:
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
