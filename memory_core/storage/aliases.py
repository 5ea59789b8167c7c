"""Which names mean the same person or character: a decision of the user, kept beside the memories.

`aliases.json` in the storage folder: {"format": 1, "users": {"Anon": "anon"}, "spaces": [[{"user",
"character", "scope"}, {the same of what it means}], …], "chats": [[{whose}, "character", "log",
"conversation"], …]}, the last where characters that mean the same have chats of one name.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..domain.errors import ConfigError, StorageCorrupt, StorageError, StorageFailed
from ..domain.namespaces import Namespace, Scope, encode
from ..infra import durable_files, regular_files
from ..infra.watched_file import WatchedFile

ALIASES = "aliases.json"
_FORMAT = 1
_UNUSABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError, ConfigError)

ChatKey = tuple[Namespace, str, str]


@dataclass(frozen=True, kw_only=True)
class Aliases:
    """Other name → the name that counts. No name that counts is itself an alias.

    `chats`: (whose, character, log) → the conversation's name, where it is not what the host says.
    """

    users: Mapping[str, str] = field(default_factory=dict)
    namespaces: Mapping[Namespace, Namespace] = field(default_factory=dict)
    chats: Mapping[ChatKey, str] = field(default_factory=dict)

    def resolve(self, namespace: Namespace) -> Namespace:
        """The namespace that is meant by this one. What is said of a user's character goes before
        what is said of the user.
        """
        if own := self.namespaces.get(namespace):
            return own
        user = self.users.get(namespace.user, namespace.user)
        if user == namespace.user:
            return namespace
        meant = replace(namespace, user=user)
        return self.namespaces.get(meant, meant)

    def with_user(self, alias: str, user: str) -> "Aliases":
        """Raises ConfigError where the two would mean each other."""
        return replace(self, users={**self.users, alias: user}).resolve_chains()

    def with_namespace(self, alias: Namespace, namespace: Namespace) -> "Aliases":
        """The same for one namespace."""
        return replace(self, namespaces={**self.namespaces, alias: namespace}).resolve_chains()

    def with_merge(
        self, alias: Namespace, namespace: Namespace, renamed: Mapping[str, str]
    ) -> "Aliases":
        """with_space() once the memories have moved, these conversations (log → name) to others."""
        before = {it: name for it, name in self.chats.items() if it[0] == alias}
        after = {it: renamed.get(encode(name), name) for it, name in before.items()}
        taken = {encode(name) for name in before.values()}  # no chat of the host's is called so
        them = [alias, *(it for it, of in self.namespaces.items() if of == alias)]
        own = {
            (alias, it.character, log): name
            for it in them
            for log, name in renamed.items()
            if log not in taken
        }
        return replace(self, chats={**self.chats, **own, **after}).with_namespace(alias, namespace)

    def with_chat(self, whose: Namespace, character: str, log: str, name: str) -> "Aliases":
        """This character's chat is kept under this name."""
        return replace(self, chats={**self.chats, (whose, character, log): name})

    def chat_name(self, namespace: Namespace, character: str, conversation: str) -> str:
        """Under which name the chat that the host has of this character is kept."""
        return self.resolve_chat(namespace, character, conversation)[1]

    def resolve_chat(
        self, namespace: Namespace, character: str, conversation: str
    ) -> tuple[Namespace, str]:
        """Returns the namespace that is meant, and under which name it keeps this chat."""
        meant = self.resolve(namespace)
        return meant, self.chats.get((meant, character, encode(conversation)), conversation)

    def resolve_chains(self) -> "Aliases":
        """With every name meaning what counts in the end. Raises ConfigError for a circle."""
        users = {it: self._final_user(it) for it in self.users}
        known = replace(self, users=users)
        spaces = {it: known._final_namespace(it) for it in self.namespaces}
        known = replace(known, namespaces=spaces)
        chats = {(known.resolve(it), who, log): name for (it, who, log), name in self.chats.items()}
        return replace(known, chats=chats)

    def _final_user(self, alias: str) -> str:
        name = self.users[alias]
        for _ in self.users:
            if name == alias:
                raise ConfigError(f"{alias!r} cannot be an alias of itself", key=ALIASES)
            name = self.users.get(name, name)
        return name

    def _final_namespace(self, alias: Namespace) -> Namespace:
        name = self.namespaces[alias]
        for _ in range(len(self.namespaces) + 1):
            if name == alias:
                raise ConfigError(f"{alias.label} cannot be an alias of itself", key=ALIASES)
            name = self.resolve(name)
        if self.resolve(name) != name:
            raise ConfigError(f"{alias.label} and {name.label} would mean each other", key=ALIASES)
        return name

    def without(self, name: Namespace | str) -> "Aliases":
        """Lets a name mean itself again."""
        users = {it: of for it, of in self.users.items() if it != name}
        spaces = {it: of for it, of in self.namespaces.items() if it != name}
        return replace(self, users=users, namespaces=spaces)


class AliasFile:
    """Those of a storage folder, as they are at any time: another program may change them."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._cache = WatchedFile(root / ALIASES, lambda _: _read_unless_corrupt(root))

    @property
    def current(self) -> Aliases:
        return self._load()[0]

    @property
    def faults(self) -> list[str]:
        return self._load()[1]

    def _load(self) -> tuple[Aliases, list[str]]:
        """Those known last count where the list cannot be read for now."""
        try:
            return self._cache.get()
        except StorageFailed as exc:
            return _report_unreadable(exc)

    def save(self, aliases: Aliases) -> None:
        """Raises StorageFailed, also where the list is damaged: nobody knows what would be lost."""
        if faults := self.faults:
            raise StorageFailed(faults[0])
        write_aliases(self._root, aliases)
        self._cache.set_cached((aliases, []))


def read_aliases(root: Path) -> Aliases:
    """Raises StorageCorrupt for a file that is none; without one there are none."""
    path = root / ALIASES
    data = regular_files.read_own_file(path)
    return Aliases() if data is None else decode_aliases(data, str(path))


def decode_aliases(data: bytes, name: str) -> Aliases:
    """Raises StorageCorrupt, which names the file."""
    try:
        found = json.loads(data)
        if found["format"] != _FORMAT:
            raise StorageCorrupt(f"{name} has format {found['format']}, not {_FORMAT}")
        users = {str(alias): str(user) for alias, user in found["users"].items()}
        spaces = {
            _namespace_from(alias): _namespace_from(meant) for alias, meant in found["spaces"]
        }
        chats = {
            (_namespace_from(whose), str(character), str(log)): str(name)
            for whose, character, log, name in found.get("chats", ())
        }
        return Aliases(users=users, namespaces=spaces, chats=chats).resolve_chains()
    except _UNUSABLE as exc:
        raise StorageCorrupt(f"{name} is no list of aliases: {exc}") from exc


def read_aliases_or_none(root: Path) -> tuple[Aliases, list[str]]:
    """A list that cannot be read is told and left alone: names mean themselves until somebody
    mends it.
    """
    try:
        return _read_unless_corrupt(root)
    except StorageFailed as exc:
        return _report_unreadable(exc)


def _read_unless_corrupt(root: Path) -> tuple[Aliases, list[str]]:
    """Raises StorageFailed, which may pass."""
    try:
        return read_aliases(root), []
    except StorageCorrupt as exc:
        return _report_unreadable(exc)


def _report_unreadable(exc: StorageError) -> tuple[Aliases, list[str]]:
    return Aliases(), [f"{exc}; until it is mended or deleted, every name means itself"]


def write_aliases(root: Path, aliases: Aliases) -> None:
    durable_files.make_folder(root)
    durable_files.replace(root / ALIASES, encode_aliases(aliases))


def encode_aliases(aliases: Aliases) -> bytes:
    spaces = [
        [_namespace_fields(alias), _namespace_fields(meant)]
        for alias, meant in aliases.namespaces.items()
    ]
    told: dict[str, Any] = {"format": _FORMAT, "users": dict(aliases.users), "spaces": spaces}
    if aliases.chats:
        told["chats"] = [
            [_namespace_fields(it), *key, name] for (it, *key), name in aliases.chats.items()
        ]
    return (json.dumps(told, ensure_ascii=True, indent=2) + "\n").encode()


def _namespace_fields(namespace: Namespace) -> dict[str, str]:
    return {
        "user": namespace.user,
        "character": namespace.character,
        "scope": namespace.scope.value,
    }


def _namespace_from(fields: Mapping[str, Any]) -> Namespace:
    return Namespace(str(fields["user"]), str(fields["character"]), Scope(fields["scope"]))
