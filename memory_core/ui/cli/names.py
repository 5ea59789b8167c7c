"""`names`: who has memories, under which other names; rename and merge."""

import argparse
import json
from typing import Any

from ...admin import names
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...memory.long_term_memory import LongTermMemory
from ...storage.manifest import list_namespaces
from ...storage.pauses import Switches
from . import common
from .common import Terminal, add_command, memories, named

_SPACE = ("USER", "CHARACTER")
_OLD = "The user and the character."  # a tuple as metavar of a positional breaks --help before 3.12
_NAME = "The new user and character (_instruct for instruct mode)."
_EITHER = "A user, or a user and a character."


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
    one.add_argument("old", nargs=2, metavar="NAME", help=_OLD)
    one.add_argument("--to", nargs=2, metavar=_SPACE, required=True, help=_NAME)
    one = add_command(
        actions, "merge", "Move all memories to another character, after a backup.", _merge
    )
    one.add_argument("old", nargs=2, metavar="NAME", help=_OLD)
    one.add_argument("--into", nargs=2, metavar=_SPACE, required=True, help=_NAME)
    one = add_command(actions, "alias", "Let a name without memories mean another name.", _alias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_EITHER)
    one.add_argument("--of", nargs="+", metavar="NAME", required=True, help=_EITHER)
    one = add_command(actions, "unalias", "Let a name mean itself again.", _unalias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_EITHER)


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    with common.memory(args) as memory:
        counts = {it: memory.counts(it)["live"] for it in list_namespaces(memory.root)}
        found = {
            "names": [{"name": _fields(it), "memories": n} for it, n in counts.items()],
            **_aliases(memory),
        }
        told = [f"{names.shown(it)}: {memories(n)}" for it, n in counts.items()]
        told += [f"{it} means {of}" for it, of in memory.aliases.users.items()]
        told += [
            f"{names.shown(it)} means {names.shown(of)}" for it, of in memory.aliases.spaces.items()
        ]
    return _tell(args, terminal, found, "\n".join(told) or "nobody has memories")


def _rename(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = named(*args.old), named(*args.to)
    with common.memory(args) as memory:
        names.rename(memory, Switches(memory.root), old, new)
    told = f"{names.shown(old)} is {names.shown(new)} now"
    return _tell(args, terminal, {"old": _fields(old), "new": _fields(new)}, told)


def _merge(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = named(*args.old), named(*args.into)
    with common.memory(args) as memory:
        count = memory.counts(old)["live"] if memory.resolve(old) in memory.namespaces() else 0
        saved = names.merge(memory, Switches(memory.root), old, new)
    told = f"{memories(count)} moved from {names.shown(old)} to {names.shown(new)}; backup: "
    return _tell(args, terminal, {"memories": count, "backup": str(saved)}, f"{told}{saved}")


def _alias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias, name = _either(args.alias), _either(args.of)
    with common.memory(args) as memory:
        if isinstance(alias, Namespace) and isinstance(name, Namespace):
            names.add_alias(memory, alias, name)
        elif isinstance(alias, str) and isinstance(name, str):
            names.add_user(memory, alias, name)
        else:
            raise ConfigError("both are users, or both are users and characters", key="--of")
        found = _aliases(memory)
    return _tell(args, terminal, found, f"{_shown(alias)} means {_shown(name)} from now on")


def _unalias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias = _either(args.alias)
    with common.memory(args) as memory:
        names.drop_alias(memory, alias)
        found = _aliases(memory)
    return _tell(args, terminal, found, f"{_shown(alias)} means itself again")


def _either(words: list[str]) -> Namespace | str:
    if len(words) > len(_SPACE):
        raise ConfigError(f"{' '.join(words)}: a user and a character are two words", key="NAME")
    return named(*words) if len(words) == len(_SPACE) else words[0]


def _shown(name: Namespace | str) -> str:
    return name if isinstance(name, str) else names.shown(name)


def _aliases(memory: LongTermMemory) -> dict[str, Any]:
    spaces = memory.aliases.spaces.items()
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


def _tell(args: argparse.Namespace, terminal: Terminal, found: dict[str, Any], told: str) -> int:
    terminal.say(json.dumps(found) if args.json else told)
    return 0
