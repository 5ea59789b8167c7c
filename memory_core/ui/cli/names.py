"""`names`: who has memories, under which other names; rename and merge."""

import argparse
import json
from typing import Any

from ...admin import names
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...memory.long_term_memory import LongTermMemory
from ...storage.manifest import list_namespaces
from ...storage.pauses import ChatPauses
from . import common
from .common import Terminal, add_command, memories, namespace_of

_NAME_PARTS = ("USER", "CHARACTER")
_OLD_HELP = (
    "The user and the character."  # a tuple as metavar of a positional breaks --help before 3.12
)
_NAME_HELP = "The new user and character (_instruct for instruct mode)."
_USER_OR_NAME_HELP = "A user, or a user and a character."


def add_names_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    told = (
        "List, rename and merge the names that have memories. A running program takes over new "
        "names, but keeps each character that it has open."
    )
    parser = commands.add_parser("names", help="List, rename and merge names.", description=told)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_command(actions, "list", "List all names that have memories, and their other names.", _list)
    one = add_command(
        actions, "rename", "Give a character another name; the old one still works.", _rename
    )
    one.add_argument("old", nargs=2, metavar="NAME", help=_OLD_HELP)
    one.add_argument("--to", nargs=2, metavar=_NAME_PARTS, required=True, help=_NAME_HELP)
    one = add_command(
        actions, "merge", "Move all memories to another character, after a backup.", _merge
    )
    one.add_argument("old", nargs=2, metavar="NAME", help=_OLD_HELP)
    one.add_argument("--into", nargs=2, metavar=_NAME_PARTS, required=True, help=_NAME_HELP)
    one = add_command(actions, "alias", "Let a name without memories mean another name.", _alias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_USER_OR_NAME_HELP)
    one.add_argument("--of", nargs="+", metavar="NAME", required=True, help=_USER_OR_NAME_HELP)
    one = add_command(actions, "unalias", "Let a name mean itself again.", _unalias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_USER_OR_NAME_HELP)


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    with common.open_memory(args) as memory:
        counts = {it: memory.counts(it)["live"] for it in list_namespaces(memory.root)}
        found = {
            "names": [{"name": _fields(it), "memories": n} for it, n in counts.items()],
            **_aliases(memory),
        }
        told = [f"{names.display_name(it)}: {memories(n)}" for it, n in counts.items()]
        told += [f"{it} means {of}" for it, of in memory.aliases.users.items()]
        told += [
            f"{names.display_name(it)} means {names.display_name(of)}"
            for it, of in memory.aliases.namespaces.items()
        ]
    return _print_result(args, terminal, found, "\n".join(told) or "nobody has memories")


def _rename(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = namespace_of(*args.old), namespace_of(*args.to)
    with common.open_memory(args) as memory:
        names.rename(memory, ChatPauses(memory.root), old, new)
    told = f"{names.display_name(old)} is {names.display_name(new)} now"
    return _print_result(args, terminal, {"old": _fields(old), "new": _fields(new)}, told)


def _merge(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = namespace_of(*args.old), namespace_of(*args.into)
    with common.open_memory(args) as memory:
        count = memory.counts(old)["live"] if memory.resolve(old) in memory.namespaces() else 0
        saved = names.merge(memory, ChatPauses(memory.root), old, new)
    told = f"{memories(count)} moved from {names.display_name(old)} "
    told += f"to {names.display_name(new)}; backup: "
    return _print_result(
        args, terminal, {"memories": count, "backup": str(saved)}, f"{told}{saved}"
    )


def _alias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias, name = _parse_name(args.alias), _parse_name(args.of)
    with common.open_memory(args) as memory:
        if isinstance(alias, Namespace) and isinstance(name, Namespace):
            names.add_alias(memory, alias, name)
        elif isinstance(alias, str) and isinstance(name, str):
            names.add_user(memory, alias, name)
        else:
            raise ConfigError("both are users, or both are users and characters", key="--of")
        found = _aliases(memory)
    return _print_result(
        args, terminal, found, f"{_display_name(alias)} means {_display_name(name)} from now on"
    )


def _unalias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias = _parse_name(args.alias)
    with common.open_memory(args) as memory:
        names.drop_alias(memory, alias)
        found = _aliases(memory)
    return _print_result(args, terminal, found, f"{_display_name(alias)} means itself again")


def _parse_name(words: list[str]) -> Namespace | str:
    if len(words) > len(_NAME_PARTS):
        raise ConfigError(f"{' '.join(words)}: a user and a character are two words", key="NAME")
    return namespace_of(*words) if len(words) == len(_NAME_PARTS) else words[0]


def _display_name(name: Namespace | str) -> str:
    return name if isinstance(name, str) else names.display_name(name)


def _aliases(memory: LongTermMemory) -> dict[str, Any]:
    spaces = memory.aliases.namespaces.items()
    return {
        "users": dict(memory.aliases.users),
        "aliases": [{"alias": _fields(it), "name": _fields(of)} for it, of in spaces],
    }


def _fields(namespace: Namespace) -> dict[str, str]:
    return {
        "user": namespace.user,
        "character": namespace.character,
        "scope": namespace.scope.value,
    }


def _print_result(
    args: argparse.Namespace, terminal: Terminal, found: dict[str, Any], told: str
) -> int:
    terminal.print_result(json.dumps(found) if args.json else told)
    return 0
