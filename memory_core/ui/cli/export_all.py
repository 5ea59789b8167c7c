"""`export --all`: every character's memories in one file, or in a folder with a file for each."""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...admin.backup.writer import write_backup
from ...admin.exporters.export import ENDINGS, ExportFormat, export_all, export_namespace
from ...admin.exporters.file_names import file_names
from ...admin.names import display_name
from ...domain.errors import ConfigError, StorageError
from ...domain.namespaces import Namespace
from ...memory.long_term_memory import LongTermMemory
from ...storage.aliases import read_aliases
from ...storage.manifest import list_namespaces
from . import common
from .common import Terminal, counted, memories

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
    """Exports all characters. Without --force one existing file stops the whole export."""
    with common.open_memory(args) as memory:
        spaces = _selected_namespaces(memory, args.user)
        path = args.output.expanduser().absolute()
        _refuse_other_ending(path, args.format)
        done: list[_ExportedFile | _FailedExport]
        if _is_one_file(path, args.format):
            _refuse_existing([path], args)
            done = list(_export_together(memory, spaces, args.format, path))
        else:
            names = file_names(spaces, _ending(args.format))
            paths = {it: path / name for it, name in names.items()}
            _refuse_existing(list(paths.values()), args)
            done = [_export_one(memory, it, args.format, file) for it, file in paths.items()]
    return _print_result(args, terminal, path, done)


def _selected_namespaces(memory: LongTermMemory, user: str | None) -> list[Namespace]:
    """Returns the namespaces of one user, or of all, by their valid names.

    Raises ConfigError if there are none.
    """
    spaces = list(dict.fromkeys(map(memory.resolve, list_namespaces(memory.root))))
    found = [it for it in spaces if user is None or it.user == user]
    if not found:
        of = "" if user is None else f" of {user}"
        raise ConfigError(f"there are no memories{of} in {memory.root}", key="--all")
    return found


def _is_one_file(path: Path, form: str) -> bool:
    return path.suffix.lower() == _ending(form) and not os.path.isdir(path)


def _refuse_other_ending(path: Path, form: str) -> None:
    """Raises ConfigError for a name such as one.jsonl with --format csv: nobody means a folder."""
    found, own = path.suffix.lower(), _ending(form)
    if found != own and found in {".zip", *ENDINGS.values()} and not os.path.isdir(path):
        raise ConfigError(
            f"{path.name} ends in {found}, but --format {form} writes {own} files; nothing was "
            f"written. Name a file that ends in {own}, a folder, or another --format",
            key="--format",
        )


def _ending(form: str) -> str:
    return ".zip" if form == ZIP else ENDINGS[ExportFormat(form)]


def _refuse_existing(paths: Sequence[Path], args: argparse.Namespace) -> None:
    there = [it for it in paths if os.path.lexists(it)]
    if there and not args.force:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        raise ConfigError(
            f"{there[0]}{more} exists already; nothing was written. Name another folder or file, "
            "or give --force to replace what is there",
            key="--force",
        )


def _export_together(
    memory: LongTermMemory, spaces: Sequence[Namespace], form: str, path: Path
) -> Iterator[_ExportedFile]:
    if form == ZIP:
        write_backup(path, memory.root, spaces, now=time.time(), aliases=read_aliases(memory.root))
        counts = {it: memory.counts(it)["live"] for it in spaces}
    else:
        counts = dict(export_all(memory, spaces, ExportFormat(form), path))
    for namespace, count in counts.items():
        yield _ExportedFile(namespace=namespace, path=path, memories=count)


def _export_one(
    memory: LongTermMemory, namespace: Namespace, form: str, path: Path
) -> _ExportedFile | _FailedExport:
    """Exports one character; a failure is returned, so that the others are still written."""
    try:
        if form == ZIP:
            write_backup(path, memory.root, [namespace], now=time.time())
            count = memory.counts(namespace)["live"]
        else:
            count = export_namespace(memory, namespace, ExportFormat(form), path)
    except StorageError as exc:
        return _FailedExport(namespace=namespace, reason=str(exc))
    return _ExportedFile(namespace=namespace, path=path, memories=count)


def _print_result(
    args: argparse.Namespace,
    terminal: Terminal,
    path: Path,
    done: Sequence[_ExportedFile | _FailedExport],
) -> int:
    written = [it for it in done if isinstance(it, _ExportedFile)]
    failed = [it for it in done if isinstance(it, _FailedExport)]
    count = sum(it.memories for it in written)
    if args.json:
        files = [
            {"path": str(it.path), "memories": it.memories, **_namespace_fields(it.namespace)}
            for it in written
        ]
        failures = [{"reason": it.reason, **_namespace_fields(it.namespace)} for it in failed]
        found = {"path": str(path), "memories": count, "files": files, "failures": failures}
        terminal.print_result(json.dumps(found))
    else:
        of = counted(len(written), "character")
        terminal.print_result(f"{memories(count)} of {of} written to {path}")
    for it in failed:
        terminal.print_note(f"{display_name(it.namespace)} was not exported: {it.reason}")
    return 1 if failed else 0


def _namespace_fields(namespace: Namespace) -> dict[str, Any]:
    return {
        "user": namespace.user,
        "character": namespace.character,
        "scope": namespace.scope.value,
    }
