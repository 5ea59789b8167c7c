"""The target of an export: standard output, or a file that must not exist yet."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...infra.scratch_folders import temporary_folder
from . import common
from .common import OutputClosed, Terminal, memories
from .export_all import ending, write_all, write_one

STANDARD_OUTPUT = "-"


def refuse_existing(path: Path, *, is_forced: bool) -> None:
    """Raises ConfigError for a file that exists, unless it may be replaced."""
    if os.path.lexists(path) and not is_forced:
        raise ConfigError(
            f"{path} exists already; nothing was written. Name another file, or use --force to "
            "replace it",
            key="--force",
        )


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
