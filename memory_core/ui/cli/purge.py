"""The command `purge`: deletes all memories of a character, of a user, or of everybody."""

import argparse
from pathlib import Path
from typing import Any

from ...admin import names
from ...admin.backup.rolling import RollingBackup
from ...admin.names import display_name, listed
from ...config.schema import RollingBackupSettings
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import ChatPauses
from . import common
from .common import Terminal, add_command, add_namespace_arguments, counted, existing_namespace
from .confirmation import require_name

_EVERYTHING = "everything"


def add_purge_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    parser = add_command(
        commands,
        "purge",
        "Delete all memories of a character, of a user, or of everybody.",
        _run,
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


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    if args.all == bool(args.user):
        message = "name a user, a user and a character, or use --all alone"
        raise ConfigError(message, key="--all")
    with common.open_memory(args) as memory:
        spaces = _select_namespaces(args, memory)
        _confirm(args, terminal, memory, spaces)
        copies = RollingBackup(memory.root, None, RollingBackupSettings())
        saved = []
        for space in spaces:
            with copies.deleting(memory.resolve(space), memory.now()):
                saved.append(_destroy(memory, space, keeps=not args.no_backup))
        problems = copies.clean(memory.now())
    backups = [str(path) for path in saved if path is not None]
    deleted = [display_name(space) for space in spaces]
    lines = [*(f"deleted: {name}" for name in deleted), *(f"backup: {path}" for path in backups)]
    terminal.show({"deleted": deleted, "backups": backups}, "\n".join(lines))
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
    count = sum(memory.counts(space)["live"] for space in spaces)
    shown = ", ".join(map(display_name, spaces))
    size = f"{common.memories(count)} of {counted(len(spaces), 'character')}"
    require_name(terminal, name, given=args.confirm, warning=f"This deletes {size}: {shown}.")


def _destroy(memory: LongTermMemory, space: Namespace, *, keeps: bool) -> Path | None:
    saved = names.destroy(memory, ChatPauses(memory.root, memory.shared.files), space)
    if keeps:
        return saved
    durable_files.unlink(saved)
    return None
