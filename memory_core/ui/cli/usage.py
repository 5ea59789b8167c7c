"""`usage`: how much room memories take on disk; opens nothing, so it runs beside the chat."""

import argparse
import json
import shutil
from typing import Any

from ...admin.names import shown
from ...domain.namespaces import Namespace
from ...storage.disk_usage import Usage, size, usage
from . import common
from .common import Terminal, add_command


def add_usage_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    told = "Show how much room memories take on disk, the largest first. The index can be rebuilt."
    add_command(
        commands, "usage", "Show how much room memories take on disk.", _run, description=told
    )


def _run(args: argparse.Namespace, terminal: Terminal) -> int:
    root = common.storage(args, common.settings())
    storage = usage(root)
    free = shutil.disk_usage(root).free if root.is_dir() else None
    if args.json:
        spaces = [{"name": _name(it), **_fields(of)} for it, of in storage.spaces.items()]
        found = {"namespaces": spaces, "total": _fields(storage.whole), "free": free}
        terminal.say(json.dumps(found))
        return 0
    told = [f"{shown(it)}: {_told(used)}" for it, used in storage.spaces.items()]
    told = told or [f"there are no memories in {root}"]
    left = "" if free is None else f"; {size(free)} free"
    terminal.say("\n".join([*told, f"all: {_told(storage.whole)}{left}"]))
    return 0


def _told(used: Usage) -> str:
    parts = ", ".join(f"{name} {size(count)}" for name, count in used.index.items())
    index = f"index {size(used.derived)} ({parts})" if parts else "no index"
    return f"{size(used.total)}: messages {size(used.logs)}, {index}; backups {size(used.backups)}"


def _name(namespace: Namespace) -> dict[str, str]:
    scope = namespace.scope.value
    return {"user": namespace.user, "character": namespace.character, "scope": scope}


def _fields(used: Usage) -> dict[str, Any]:
    return {
        "logs": used.logs,
        "index": dict(used.index),
        "other": used.other,
        "total": used.total,
        "backups": used.backups,
    }
