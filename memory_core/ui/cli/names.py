"""The command `names`: lists, renames and merges names."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from ...admin import names
from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace, namespace_of
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import ChatPauses
from . import common
from .common import Commands, Terminal, add_command, memories
from .rich_output import Rows

_NAME_PARTS = ("USER", "CHARACTER")
_OLD_HELP = (
    "The user and the character."  # a tuple as metavar of a positional breaks --help before 3.12
)
_NAME_HELP = "The new user and character (_instruct for instruct mode)."
_USER_OR_NAME_HELP = "A user, or a user and a character."


def add_names_command(commands: Commands) -> None:
    description = (
        "List, rename and merge the names that have memories. A running program adopts new "
        "names, except for characters that it has open."
    )
    parser = commands.add_parser(
        "names", help="List, rename and merge names.", description=description
    )
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
    one = add_command(
        actions, "alias", "Make a name without memories stand for another name.", _alias
    )
    one.add_argument("alias", nargs="+", metavar="NAME", help=_USER_OR_NAME_HELP)
    one.add_argument("--of", nargs="+", metavar="NAME", required=True, help=_USER_OR_NAME_HELP)
    one = add_command(actions, "unalias", "Remove an alias.", _unalias)
    one.add_argument("alias", nargs="+", metavar="NAME", help=_USER_OR_NAME_HELP)


def _list(args: argparse.Namespace, terminal: Terminal) -> int:
    with common.open_memory(args) as memory:
        counts = {space: memory.count_memories(space).memories for space in memory.namespaces()}
        found = {
            "names": [{"name": space.to_fields(), "memories": n} for space, n in counts.items()],
            **_aliases(memory),
        }
        rows = _rows(counts, _alias_lines(memory))
    terminal.show(found, rows)
    return 0


def _rows(counts: Mapping[Namespace, int], aliases: Sequence[str]) -> Rows:
    cells = [(names.display_name(space), memories(count)) for space, count in counts.items()]
    lines = list(map(": ".join, cells))
    if not lines and not aliases:
        lines = ["there are no memories"]
    return Rows(columns=("name", "memories"), cells=cells, lines=lines, remarks=aliases)


def _alias_lines(memory: LongTermMemory) -> list[str]:
    users = [f"{alias} means {name}" for alias, name in memory.aliases.users.items()]
    characters = memory.aliases.namespaces.items()
    return users + [
        f"{names.display_name(alias)} means {names.display_name(name)}"
        for alias, name in characters
    ]


def _rename(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = namespace_of(*args.old), namespace_of(*args.to)
    with common.open_memory(args) as memory:
        names.rename(memory, ChatPauses(memory.root, memory.shared.files), old, new)
    message = f"{names.display_name(old)} is now called {names.display_name(new)}"
    terminal.show({"old": old.to_fields(), "new": new.to_fields()}, message)
    return 0


def _merge(args: argparse.Namespace, terminal: Terminal) -> int:
    old, new = namespace_of(*args.old), namespace_of(*args.into)
    with common.open_memory(args) as memory:
        count = memory.counts(old)["live"] if memory.resolve(old) in memory.namespaces() else 0
        saved = names.merge(memory, ChatPauses(memory.root, memory.shared.files), old, new)
    message = f"{memories(count)} moved from {names.display_name(old)} "
    message += f"to {names.display_name(new)}; backup: "
    terminal.show({"memories": count, "backup": str(saved)}, f"{message}{saved}")
    return 0


def _alias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias, name = _parse_name(args.alias), _parse_name(args.of)
    with common.open_memory(args) as memory:
        if isinstance(alias, Namespace) and isinstance(name, Namespace):
            names.add_alias(memory, alias, name)
        elif isinstance(alias, str) and isinstance(name, str):
            names.add_user(memory, alias, name)
        else:
            raise ConfigError("give two users, or two users with their characters", key="--of")
        found = _aliases(memory)
    terminal.show(found, f"{_display_name(alias)} means {_display_name(name)} from now on")
    return 0


def _unalias(args: argparse.Namespace, terminal: Terminal) -> int:
    alias = _parse_name(args.alias)
    with common.open_memory(args) as memory:
        names.drop_alias(memory, alias)
        found = _aliases(memory)
    terminal.show(found, f"{_display_name(alias)} means itself again")
    return 0


def _parse_name(words: list[str]) -> Namespace | str:
    if len(words) > len(_NAME_PARTS):
        raise ConfigError(
            f"{' '.join(words)}: give a user and a character, and quote names with spaces",
            key="NAME",
        )
    return namespace_of(*words) if len(words) == len(_NAME_PARTS) else words[0]


def _display_name(name: Namespace | str) -> str:
    return name if isinstance(name, str) else names.display_name(name)


def _aliases(memory: LongTermMemory) -> dict[str, Any]:
    spaces = memory.aliases.namespaces.items()
    return {
        "users": dict(memory.aliases.users),
        "aliases": [
            {"alias": alias.to_fields(), "name": name.to_fields()} for alias, name in spaces
        ],
    }
