"""The commands `purge` and `purge-backups`: delete memories, and erased words in backups."""

import argparse
import time
from pathlib import Path

from ...admin import names
from ...admin.backup.atomic_output import remove_temporaries
from ...admin.backup.erased_scan import ErasedIds
from ...admin.backup.purge import erase_ids_from_backups
from ...admin.backup.rolling import RollingBackup, recorded_copies
from ...admin.names import display_name, listed
from ...config.schema import RollingBackupSettings
from ...domain.errors import ConfigError, StorageError
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...memory.long_term_memory import LongTermMemory
from ...storage.disk_usage import BACKUPS
from ...storage.pauses import ChatPauses
from . import common
from .common import (
    Commands,
    Terminal,
    add_command,
    add_namespace_arguments,
    counted,
    existing_namespace,
    require_name,
)

_EVERYTHING = "everything"


def add_purge_commands(commands: Commands) -> None:
    _add_purge(commands)
    _add_purge_backups(commands)


def _add_purge(commands: Commands) -> None:
    parser = add_command(
        commands,
        "purge",
        "Delete all memories of a character, of a user, or of everybody.",
        _purge,
        description="Delete all memories of USER and CHARACTER, of USER with all characters, or "
        "with --all of everybody, from disk and from the automatic backups. You are asked to type "
        "the name first. A backup of each character is made before, unless --no-backup is given. "
        "Close the chat program first.",
    )
    add_namespace_arguments(parser, is_optional=True)
    parser.add_argument("--all", action="store_true", help="Delete the memories of everybody.")
    parser.add_argument(
        "--no-backup", action="store_true", help="Keep no backup of what is deleted."
    )
    parser.add_argument(
        "--confirm", metavar="NAME", help="The name that you would have to type, for scripts."
    )


def _purge(args: argparse.Namespace, terminal: Terminal) -> int:
    if args.all == bool(args.user):
        message = "name a user, a user and a character, or use --all alone"
        raise ConfigError(message, key="--all")
    with common.open_memory(args) as memory:
        spaces = _select_namespaces(args, memory)
        _confirm(args, terminal, memory, spaces)
        copies = RollingBackup(memory.root, None, RollingBackupSettings())
        saved, problems = dict[Namespace, Path | None](), list[str]()
        for space in spaces:
            try:
                with copies.deleting(memory.resolve(space), memory.now()):
                    saved[space] = _destroy(memory, space, keeps=not args.no_backup)
            except StorageError as exc:  # another program may use this one; the others are deleted
                problems.append(f"{display_name(space)} was not deleted: {exc}")
        problems += copies.clean(memory.now())
    backups = [str(path) for path in saved.values() if path is not None]
    deleted = [display_name(space) for space in saved]
    lines = [*(f"deleted: {name}" for name in deleted), *(f"backup: {path}" for path in backups)]
    text = "\n".join(lines or ["nothing was deleted"])
    terminal.show({"deleted": deleted, "backups": backups}, text)
    for problem in problems:
        terminal.print_note(f"error: {problem}")
    return 1 if problems else 0


def _select_namespaces(args: argparse.Namespace, memory: LongTermMemory) -> list[Namespace]:
    """Returns the namespaces to delete. Raises ConfigError if there are none."""
    if args.character:
        return [existing_namespace(args)]
    found = [space for space in memory.namespaces() if args.all or space.user == args.user]
    if not found:
        of = "" if args.all else f" of {args.user}"
        users = listed({space.user for space in memory.namespaces()}, near=args.user or "")
        message = f"there are no memories{of}; there are memories of {users or 'nobody'}"
        raise ConfigError(message, key="user")
    return found


def _confirm(
    args: argparse.Namespace, terminal: Terminal, memory: LongTermMemory, spaces: list[Namespace]
) -> None:
    """Lets the user type the name. Raises ConfigError for another one."""
    name = args.character or args.user or _EVERYTHING
    count = sum(memory.count_memories(space).memories for space in spaces)
    shown = ", ".join(map(display_name, spaces))
    size = f"{common.memories(count)} of {counted(len(spaces), 'character')}"
    require_name(terminal, name, given=args.confirm, warning=f"This deletes {size}: {shown}.")


def _destroy(memory: LongTermMemory, space: Namespace, *, keeps: bool) -> Path | None:
    saved = names.destroy(memory, ChatPauses(memory.root, memory.shared.files), space)
    if keeps:
        return saved
    durable_files.unlink(saved)
    return None


def _add_purge_backups(commands: Commands) -> None:
    description = (
        "Remove forgotten and erased memories from older backups: from the given files, or "
        "from all automatic backups and those made before a merge, deletion or restore."
    )
    parser = commands.add_parser(
        "purge-backups", help="Remove erased memories from backups.", description=description
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    common.add_storage_option(parser)
    parser.set_defaults(run=_purge_backups)


def _purge_backups(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    root = common.storage_folder_to_write(args, settings)
    if not (root.parent / BACKUPS).is_dir():
        root = common.storage_folder(args, settings)  # backups may outlive the memories
    remove_temporaries(root.parent / BACKUPS)
    made = [*sorted((root.parent / BACKUPS).glob("*.zip")), *recorded_copies(root)]
    files = args.files or made
    erased = erase_ids_from_backups(files, ErasedIds(root).read_current(), now=time.time())
    for problem in erased.problems:
        terminal.print_note(f"error: {problem}")
    terminal.print_result(
        f"backups checked: {len(files)}; memories erased from them: {erased.memories}"
    )
    return 1 if erased.problems else 0
