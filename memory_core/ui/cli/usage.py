"""The command `usage`: shows disk use. It opens no namespace, so it can run beside the chat."""

import argparse
import shutil
from collections.abc import Mapping, Sequence
from typing import Any

from ... import bootstrap
from ...admin.names import display_name
from ...domain.namespaces import Namespace
from ...storage.disk_usage import Usage, format_size, usage
from . import common
from .common import Commands, Terminal, add_command
from .rich_output import Rows


def add_usage_command(commands: Commands) -> None:
    description = (
        "Show how much disk space memories take, the largest first. The index can be rebuilt."
    )
    add_command(
        commands, "usage", "Show how much disk space memories take.", _run, description=description
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    root = common.storage_folder(args, settings)
    with bootstrap.shared_storage(settings, root) as shared:
        storage = usage(root, shared.namespaces.all(), shared.measure)
        place = shared.place(root)
        has_disk = shared.is_in_files and root.is_dir()
    free = shutil.disk_usage(root).free if has_disk else None  # a database's disk is elsewhere
    spaces = [
        {"name": space.to_fields(), **_usage_fields(used)}
        for space, used in storage.namespaces.items()
    ]
    found = {"namespaces": spaces, "total": _usage_fields(storage.total), "free": free}
    left = "" if free is None else f"; {format_size(free)} free"
    all_used = f"all: {_usage_text(storage.total)}{left}"
    terminal.show(found, _rows(storage.namespaces, [all_used], place))
    return 0


def _rows(namespaces: Mapping[Namespace, Usage], remarks: Sequence[str], place: str) -> Rows:
    lines = [f"{display_name(space)}: {_usage_text(used)}" for space, used in namespaces.items()]
    return Rows(
        columns=("name", "all", "messages", "index", "backups"),
        cells=[
            (
                display_name(space),
                *map(format_size, (used.total, used.logs, used.derived)),
                format_size(used.backups),
            )
            for space, used in namespaces.items()
        ],
        lines=lines or [f"there are no memories in {place}"],
        remarks=remarks,
    )


def _usage_text(used: Usage) -> str:
    parts = ", ".join(f"{name} {format_size(count)}" for name, count in used.index.items())
    index = f"index {format_size(used.derived)} ({parts})" if parts else "no index"
    logs, backups = format_size(used.logs), format_size(used.backups)
    return f"{format_size(used.total)}: messages {logs}, {index}; backups {backups}"


def _usage_fields(used: Usage) -> dict[str, Any]:
    return {
        "logs": used.logs,
        "index": dict(used.index),
        "other": used.other,
        "total": used.total,
        "backups": used.backups,
    }
