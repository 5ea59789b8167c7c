"""`names`: who has memories, under which other names; rename and merge."""

import argparse
import json
from typing import Any

from .. import naming
from ..errors import ConfigError
from ..long_term_memory import LongTermMemory
from ..manifest import list_namespaces
from ..namespaces import Namespace
from ..switches import Switches
from . import cli_home
from .cli_home import add_command
from .cli_spaces import named
from .cli_terminal import Terminal

_SPACE = ("USER", "CHARACTER")
_OLD = "user and character"  # a tuple as metavar of a positional breaks --help before 3.12
_NAME = "a user and a character (_instruct for instruct mode)"
_EITHER = "a user, or a user and a character"


def add_names_command(commands: Any) -> None:  # noqa: ANN401  (argparse keeps its class private)
    told = (
        "list, rename and merge those who have memories; a program that runs already follows, "
        "but lets go of no character that it has open"
    )
    parser = commands.add_parser("names", help="rename, merge, other names", description=told)
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    add_command(actions, "list", "who has memories, and other names", _list)
    one = add_command(
        actions, "rename", "give a character another name; the old one goes on", _rename
    )
    one.add_argument("old", nargs=2, metavar="NAME", help=_OLD)
    one.add_argument("--to", nargs=2, metavar=_SPACE, required=True, help=_NAME)
    one = add_command(actions, "merge", "move all memories to another, after a backup", _merge)
    one.add_argument("old", nargs=2, metavar="NAME", help=_OLD)
    one.add_argument("--into", nargs=2, metavar=_SPACE, required=True, help=_NAME)
    one = add_command(actions, "alias", "have a name without memories mean another", _alias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_EITHER)
    one.add_argument("--of", nargs="+", metavar="NAME", required=True, help=_EITHER)
    one = add_command(actions, "unalias", "let a name mean itself again", _unalias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_EITHER)


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    with cli_home.memory(args) as memory:
        counts = {it: memory.counts(it)["live"] for it in list_namespaces(memory.root)}
        found = {
            "names": [{"name": _fields(it), "memories": n} for it, n in counts.items()],
            **_aliases(memory),
        }
        told = [f"{naming.shown(it)}: {n:,} memories" for it, n in counts.items()]
        told += [f"{it} means {of}" for it, of in memory.aliases.users.items()]
        told += [
            f"{naming.shown(it)} means {naming.shown(of)}"
            for it, of in memory.aliases.spaces.items()
        ]
    return _tell(args, terminal, found, "\n".join(told) or "nobody has memories")


def _rename(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = named(*args.old), named(*args.to)
    with cli_home.memory(args) as memory:
        naming.rename(memory, Switches(memory.root), old, new)
    told = f"{naming.shown(old)} is {naming.shown(new)} now"
    return _tell(args, terminal, {"old": _fields(old), "new": _fields(new)}, told)


def _merge(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = named(*args.old), named(*args.into)
    with cli_home.memory(args) as memory:
        count = memory.counts(old)["live"] if memory.resolve(old) in memory.namespaces() else 0
        saved = naming.merge(memory, Switches(memory.root), old, new)
    told = f"{count:,} memories of {naming.shown(old)} are {naming.shown(new)}'s now; backup: "
    return _tell(args, terminal, {"memories": count, "backup": str(saved)}, f"{told}{saved}")


def _alias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias, name = _either(args.alias), _either(args.of)
    with cli_home.memory(args) as memory:
        if isinstance(alias, Namespace) and isinstance(name, Namespace):
            naming.add_alias(memory, alias, name)
        elif isinstance(alias, str) and isinstance(name, str):
            naming.add_user(memory, alias, name)
        else:
            raise ConfigError("both are users, or both are users and characters", key="--of")
        found = _aliases(memory)
    return _tell(args, terminal, found, f"{_shown(alias)} means {_shown(name)} from now on")


def _unalias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias = _either(args.alias)
    with cli_home.memory(args) as memory:
        naming.drop_alias(memory, alias)
        found = _aliases(memory)
    return _tell(args, terminal, found, f"{_shown(alias)} means itself again")


def _either(words: list[str]) -> Namespace | str:
    if len(words) > len(_SPACE):
        raise ConfigError(f"{' '.join(words)}: a user and a character are two words", key="NAME")
    return named(*words) if len(words) == len(_SPACE) else words[0]


def _shown(name: Namespace | str) -> str:
    return name if isinstance(name, str) else naming.shown(name)


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
