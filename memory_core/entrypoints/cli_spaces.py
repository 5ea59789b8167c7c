"""Whose memories the words of a command line name."""

import argparse

from ..aliases import aliases_in
from ..errors import ConfigError
from ..manifest import list_namespaces
from ..namespaces import Namespace
from ..naming import shown
from . import cli_home

CHARACTER = "the character's name, _instruct (instruct mode) or _shared (for all characters)"
_SCOPES = {"_instruct": Namespace.instruct, "_shared": Namespace.shared}


def add_space(parser: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """Adds the arguments that existing() reads."""
    many = "?" if is_optional else None
    parser.add_argument("user", nargs=many, help="whose memories ('default' without a profile)")
    parser.add_argument("character", nargs=many, help=CHARACTER)


def existing(args: argparse.Namespace) -> Namespace:
    """Returns the named namespace. Raises ConfigError with the existing names."""
    namespace, root = named(args.user, args.character), cli_home.storage(args, cli_home.settings())
    found, meant = list_namespaces(root), aliases_in(root)[0].resolve(namespace)
    if meant in found:
        return meant
    names = ", ".join(shown(it) for it in found) or "no memories at all"
    raise ConfigError(f"no memories of {shown(namespace)}; there are: {names}", key="character")


def named(user: str, character: str) -> Namespace:
    return _SCOPES[character](user) if character in _SCOPES else Namespace(user, character)
