"""`export`, `backup`, `restore`: memories as files, and back."""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..aliases import read_aliases
from ..backup.writing import Saved, save
from ..errors import ConfigError
from ..exporting.readable import Readable, export
from ..exporting.restoring import Mode, Restored, restore
from ..manifest import list_namespaces
from ..naming import shown
from . import cli_export_all, cli_home
from .cli_export_all import ZIP
from .cli_home import add_command
from .cli_spaces import CHARACTER, add_space, existing, named
from .cli_terminal import Terminal
from .rolling_copies import decide_about


def add_export_commands(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    _add_export_command(commands)
    whole = add_command(commands, "backup", "write all memories into one zip file", _backup)
    _add_output(whole)
    back = add_command(commands, "restore", "bring a backup or an exported zip back", _restore)
    back.add_argument("file", type=Path)
    back.add_argument("--user", help="restore under this user's name, or this user's alone")
    back.add_argument("--character", help=CHARACTER)
    there = back.add_mutually_exclusive_group()
    there.add_argument("--merge", action="store_true", help="add what is missing, change nothing")
    there.add_argument("--replace", action="store_true", help="after a backup of what is there")


def _add_export_command(commands: Any) -> None:  # noqa: ANN401
    told = "write the memories of one character, or of all, into files"
    one = add_command(commands, "export", told, _export)
    add_space(one, is_optional=True)
    one.add_argument(
        "--format",
        choices=[ZIP, *map(str, Readable)],
        default=ZIP,
        help="zip (default): for restore",
    )
    one.add_argument(
        "--all",
        action="store_true",
        help="all characters (of USER, if named): into one file if the output's name has the "
        "format's ending (.zip, .csv, .jsonl, .md), else into a folder with a file for each",
    )
    one.add_argument(
        "--force", action="store_true", help="with --all: replace files that are there already"
    )
    _add_output(one)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file to write; for export --all also a folder",
    )


def _export(args: argparse.Namespace, terminal: Terminal) -> int:
    if args.all and args.character is None:
        return cli_export_all.run(args, terminal)
    if args.all or args.character is None:
        raise ConfigError(
            "name a user and a character, or give --all without a character", key="--all"
        )
    namespace = existing(args)
    path = _absolute(args.output)
    if args.format == ZIP:
        return _tell_saved(args, terminal, save(path, _root(args), [namespace], now=time.time()))
    with cli_home.memory(args) as memory:
        count = export(memory, namespace, Readable(args.format), path)
    found = {"path": str(path), "memories": count}
    return _tell(args, terminal, found, lambda: f"{count:,} memories are in {path}")


def _backup(args: argparse.Namespace, terminal: Terminal) -> int:
    root = _root(args)
    spaces = list_namespaces(root)
    if not spaces:
        raise ConfigError(f"there are no memories in {root}", key="--storage")
    path, aliases = _absolute(args.output), read_aliases(root)
    saved = save(path, root, spaces, now=time.time(), aliases=aliases)
    return _tell_saved(args, terminal, saved)


def _restore(args: argparse.Namespace, terminal: Terminal) -> int:
    if (args.user is None) != (args.character is None):
        raise ConfigError("--user and --character belong together", key="--user")
    to = None if args.user is None else named(args.user, args.character)
    mode = Mode.MERGE if args.merge else Mode.REPLACE if args.replace else Mode.REFUSE
    with cli_home.memory_to_fill(args) as memory:
        done = restore(memory, _absolute(args.file), mode=mode, to=to)
        decide_about(cli_home.home(), memory.root, _absolute(args.file))
    found = {"restored": [_restored_fields(it) for it in done]}
    return _tell(args, terminal, found, lambda: "\n".join(map(_restored_told, done)))


def _root(args: argparse.Namespace) -> Path:
    return cli_home.storage(args, cli_home.settings())


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


def _tell_saved(args: argparse.Namespace, terminal: Terminal, saved: Saved) -> int:
    found = {
        "path": str(saved.path),
        "namespaces": saved.namespaces,
        "exchanges": saved.exchanges,
        "notes": saved.notes,
        "forgotten": saved.forgotten,
        "damaged": saved.damaged,
    }
    return _tell(args, terminal, found, lambda: saved_told(saved))


def saved_told(saved: Saved) -> str:
    told = f"{saved.exchanges:,} exchanges and {saved.notes:,} notes are in {saved.path}"
    if saved.forgotten:
        told += f"; {saved.forgotten:,} of them are forgotten: their words were left out"
    if saved.damaged:
        told += f"; {saved.damaged:,} damaged lines were left out"
    return told


def _restored_fields(done: Restored) -> dict[str, Any]:
    return {
        "user": done.namespace.user,
        "character": done.namespace.character,
        "scope": done.namespace.scope.value,
        "memories": done.memories,
        "backup": str(done.backup) if done.backup else None,
    }


def _restored_told(done: Restored) -> str:
    kept = f"; what was there is in {done.backup}" if done.backup else ""
    return f"{shown(done.namespace)}: {done.memories:,} memories restored{kept}"


def _tell(
    args: argparse.Namespace,
    terminal: Terminal,
    found: dict[str, Any],
    told: Callable[[], str],
) -> int:
    terminal.say(json.dumps(found) if args.json else told())
    return 0
