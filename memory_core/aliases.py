"""Which names mean the same person or character: a decision of the user, kept beside the memories.

`aliases.json` in the storage folder: {"format": 1, "users": {"Anon": "anon"}, "spaces": [[{"user",
"character", "scope"}, {the same of what it means}], …]}.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import durable
from .errors import ConfigError, StorageCorrupt
from .namespaces import Namespace, Scope

ALIASES = "aliases.json"
_FORMAT = 1


@dataclass(frozen=True, kw_only=True)
class Aliases:
    """Other name → the name that counts. No name that counts is itself an alias."""

    users: Mapping[str, str] = field(default_factory=dict)
    spaces: Mapping[Namespace, Namespace] = field(default_factory=dict)

    def resolve(self, namespace: Namespace) -> Namespace:
        """The namespace that is meant by this one."""
        user = self.users.get(namespace.user, namespace.user)
        meant = replace(namespace, user=user) if user != namespace.user else namespace
        return self.spaces.get(meant, meant)

    def with_user(self, alias: str, user: str) -> "Aliases":
        """Raises ConfigError where the two would mean each other."""
        meant = self.users.get(user, user)
        if alias == meant:
            raise ConfigError(f"{alias!r} cannot be an alias of itself", key=ALIASES)
        known = {it: meant if of == alias else of for it, of in self.users.items()}
        return replace(self, users={**known, alias: meant})

    def with_space(self, alias: Namespace, namespace: Namespace) -> "Aliases":
        """The same for one namespace."""
        meant = self.resolve(namespace)
        if alias == meant:
            raise ConfigError(f"{alias.label} cannot be an alias of itself", key=ALIASES)
        known = {it: meant if of == alias else of for it, of in self.spaces.items()}
        return replace(self, spaces={**known, alias: meant})

    def without(self, name: Namespace | str) -> "Aliases":
        """Lets a name mean itself again."""
        users = {it: of for it, of in self.users.items() if it != name}
        spaces = {it: of for it, of in self.spaces.items() if it != name}
        return Aliases(users=users, spaces=spaces)


def read_aliases(root: Path) -> Aliases:
    """Raises StorageCorrupt for a file that is none; without one there are none."""
    path = root / ALIASES
    with durable.naming(path):
        if not path.exists():
            return Aliases()
        data = path.read_bytes()
    return unpacked(data, str(path))


def unpacked(data: bytes, name: str) -> Aliases:
    """Raises StorageCorrupt, which names the file."""
    try:
        found = json.loads(data)
        if found["format"] != _FORMAT:
            raise StorageCorrupt(f"{name} has format {found['format']}, not {_FORMAT}")
        users = {str(alias): str(user) for alias, user in found["users"].items()}
        spaces = {_space(alias): _space(meant) for alias, meant in found["spaces"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise StorageCorrupt(f"{name} is no list of aliases: {exc}") from exc
    return Aliases(users=users, spaces=spaces)


def aliases_in(root: Path) -> tuple[Aliases, list[str]]:
    """A damaged list is told and left alone: names mean themselves until somebody mends it."""
    try:
        return read_aliases(root), []
    except StorageCorrupt as exc:
        return Aliases(), [f"{exc}; until it is mended or deleted, every name means itself"]


def write_aliases(root: Path, aliases: Aliases) -> None:
    durable.make_folder(root)
    durable.replace(root / ALIASES, packed(aliases))


def packed(aliases: Aliases) -> bytes:
    spaces = [[_fields(alias), _fields(meant)] for alias, meant in aliases.spaces.items()]
    told = {"format": _FORMAT, "users": dict(aliases.users), "spaces": spaces}
    return (json.dumps(told, ensure_ascii=True, indent=2) + "\n").encode()


def _fields(namespace: Namespace) -> dict[str, str]:
    return {
        "user": namespace.user,
        "character": namespace.character,
        "scope": namespace.scope.value,
    }


def _space(fields: Mapping[str, Any]) -> Namespace:
    return Namespace(str(fields["user"]), str(fields["character"]), Scope(fields["scope"]))
