"""The command `purge-backups`: removes erased memories from backups."""

import argparse
import time
from pathlib import Path
from typing import Any

from ...admin.backup.atomic_output import remove_temporaries
from ...admin.backup.purge import erase_from_backups
from ...admin.backup.rolling import recorded_copies
from ...storage.disk_usage import BACKUPS
from . import common
from .common import Terminal


def add_purge_backups_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    description = (
        "Remove forgotten and erased memories from older backups: from the given files, or "
        "from all automatic backups and those made before a merge, deletion or restore."
    )
    parser = commands.add_parser(
        "purge-backups", help="Remove erased memories from backups.", description=description
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    common.add_storage_option(parser)
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    root = common.storage_folder_to_write(args, settings)
    if not (root.parent / BACKUPS).is_dir():
        root = common.storage_folder(args, settings)  # backups may outlive the memories
    remove_temporaries(root.parent / BACKUPS)
    made = [*sorted((root.parent / BACKUPS).glob("*.zip")), *recorded_copies(root)]
    files = args.files or made
    erased = erase_from_backups(root, files, now=time.time())
    for problem in erased.problems:
        terminal.print_note(f"error: {problem}")
    terminal.print_result(
        f"backups checked: {len(files)}; memories erased from them: {erased.memories}"
    )
    return 1 if erased.problems else 0
