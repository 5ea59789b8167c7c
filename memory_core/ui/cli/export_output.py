"""The target of an export: standard output, or a file that must not exist yet."""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from ...admin.backup.log_files import log_files
from ...admin.backup.writer import write_backup
from ...admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from . import common
from .common import OutputClosed, Terminal, memories
from .export_all import ZIP

STANDARD_OUTPUT = "-"


def refuse_existing(path: Path, *, is_forced: bool) -> None:
    """Raises ConfigError for a file that exists, unless it may be replaced."""
    if os.path.lexists(path) and not is_forced:
        raise ConfigError(
            f"{path} exists already; nothing was written. Name another file, or use --force to "
            "replace it",
            key="--force",
        )


def to_standard_output(args: argparse.Namespace, terminal: Terminal, namespace: Namespace) -> int:
    """Writes one character's memories to standard output; the summary goes to standard error."""
    if args.json:
        raise ConfigError("--json and --output - both write to standard output", key="--json")
    ending = ".zip" if args.format == ZIP else ENDINGS[ExportFormat(args.format)]
    with tempfile.TemporaryDirectory() as folder, common.open_memory(args) as memory:
        path = Path(folder) / f"memories{ending}"
        if args.format == ZIP:
            with log_files(memory, [namespace]) as root:
                write_backup(path, root, [namespace], now=time.time())
            count = memory.counts(namespace)["live"]
        else:
            count = export_namespace(memory, namespace, ExportFormat(args.format), path)
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
