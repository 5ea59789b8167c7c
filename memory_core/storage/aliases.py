"""Aliases: names that mean another user or character. The user decides; a file stores them.

`aliases.json` in the storage folder: {"format": 1, "users": {"Anon": "anon"}, "spaces": [[{"user",
"character", "scope"}, {target}], …], "chats": [[{namespace}, "character", "log", "conversation"],
…]}. "chats" is for merged characters that have chats of one name.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..domain.errors import ConfigError, StorageCorrupt, StorageError, StorageFailed, StorageLocked
from ..domain.namespaces import Namespace, encode
from ..infra import durable_files
from ..infra.file_locks import try_file_lock
from ..infra.json_codec import UNUSABLE_JSON
from ..infra.regular_files import WatchedFile
from .small_files import LOCAL_FILES, SmallFiles

ALIASES = "aliases.json"
ALIASES_LOCK = ".aliases.lock"
_TIMEOUT_S = 10.0
_FORMAT = 1

ChatKey = tuple[Namespace, str, str]


@dataclass(frozen=True, kw_only=True)
class Aliases:
    """Maps aliases to targets. No target is itself an alias.

    `chats` maps (namespace, character, log) to the conversation's name, if the host's differs.
    """

    users: Mapping[str, str] = field(default_factory=dict)
    namespaces: Mapping[Namespace, Namespace] = field(default_factory=dict)
    chats: Mapping[ChatKey, str] = field(default_factory=dict)

    def resolve(self, namespace: Namespace) -> Namespace:
        """Returns the namespace that this one means. A character's alias precedes its user's."""
        if own := self.namespaces.get(namespace):
            return own
        user = self.users.get(namespace.user, namespace.user)
        if user == namespace.user:
            return namespace
        target = replace(namespace, user=user)
        return self.namespaces.get(target, target)

    def with_user(self, alias: str, user: str) -> "Aliases":
        """Adds an alias of a user. Raises ConfigError if the two would mean each other."""
        return replace(self, users={**self.users, alias: user}).resolve_chains()

    def with_namespace(self, alias: Namespace, namespace: Namespace) -> "Aliases":
        """Adds an alias of a namespace. Raises ConfigError if the two would mean each other."""
        return replace(self, namespaces={**self.namespaces, alias: namespace}).resolve_chains()

    def with_merge(
        self, alias: Namespace, namespace: Namespace, renamed: Mapping[str, str]
    ) -> "Aliases":
        """Adds an alias of a namespace whose memories have moved; `renamed` is log → new name.

        Raises ConfigError if the two would mean each other.
        """
        before = {key: name for key, name in self.chats.items() if key[0] == alias}
        after = {key: renamed.get(encode(name), name) for key, name in before.items()}
        taken = {encode(name) for name in before.values()}  # names that no chat of the host has
        sources = [
            alias,
            *(source for source, target in self.namespaces.items() if target == alias),
        ]
        own = {
            (alias, source.character, log): name
            for source in sources
            for log, name in renamed.items()
            if log not in taken
        }
        return replace(self, chats={**self.chats, **own, **after}).with_namespace(alias, namespace)

    def with_chat(self, namespace: Namespace, character: str, log: str, name: str) -> "Aliases":
        """Stores this character's chat under this name."""
        return replace(self, chats={**self.chats, (namespace, character, log): name})

    def chat_name(self, namespace: Namespace, character: str, conversation: str) -> str:
        """Returns the name under which the host's chat with this character is stored."""
        return self.resolve_chat(namespace, character, conversation)[1]

    def resolve_chat(
        self, namespace: Namespace, character: str, conversation: str
    ) -> tuple[Namespace, str]:
        """Returns the namespace that is meant, and its name for this chat."""
        target = self.resolve(namespace)
        return target, self.chats.get((target, character, encode(conversation)), conversation)

    def resolve_chains(self) -> "Aliases":
        """Maps every alias to its final target. Raises ConfigError for a circle."""
        users = {alias: self._final_user(alias) for alias in self.users}
        known = replace(self, users=users)
        namespaces = {alias: known._final_namespace(alias) for alias in self.namespaces}
        known = replace(known, namespaces=namespaces)
        chats = {
            (known.resolve(namespace), character, log): name
            for (namespace, character, log), name in self.chats.items()
        }
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
        """Removes an alias, so that the name means itself again."""
        users = {alias: user for alias, user in self.users.items() if alias != name}
        namespaces = {alias: of for alias, of in self.namespaces.items() if alias != name}
        return replace(self, users=users, namespaces=namespaces)


class AliasFile:
    """The aliases of a storage folder; re-read whenever another program has changed them.

    In a database, they may be up to a second old.
    """

    def __init__(self, root: Path, files: SmallFiles = LOCAL_FILES) -> None:
        self._path = root / ALIASES
        self._files = files
        self._known: tuple[Aliases, list[str]] = (Aliases(), [])
        self._look_again = 0.0
        self._cache = WatchedFile(
            self._path, lambda _: _read_unless_corrupt(root, files), files.stamp
        )

    @property
    def current(self) -> Aliases:
        """The aliases; the last known ones while the file is unreadable."""
        if time.monotonic() >= self._look_again:
            try:
                self._known = self._cache.get()
            except StorageFailed as exc:
                self._known = _report_unreadable(exc)
            self._look_again = time.monotonic() + self._files.pause_s
        return self._known[0]

    @property
    def faults(self) -> list[str]:
        _ = self.current  # updates them
        return self._known[1]

    def save(self, aliases: Aliases) -> None:
        """Writes the aliases. Raises StorageFailed, also if the file is damaged: a new one would
        replace aliases that nobody can read.
        """
        with self._files.changing(self._path):
            self._look_again = 0.0
            if faults := self.faults:
                raise StorageFailed(faults[0])
            self._files.replace(self._path, encode_aliases(aliases))
            self._known = aliases, []
            self._cache.set_cached(self._known)


@contextmanager
def lock_aliases(root: Path) -> Iterator[None]:
    """Keeps other programs and threads from changing names. Read the aliases inside the block.

    Raises StorageLocked if another one does not end, StorageFailed.
    """
    with try_file_lock(root / ALIASES_LOCK, timeout_s=_TIMEOUT_S) as is_ours:
        if not is_ours:
            raise StorageLocked(f"another program changes names in {root}: wait until it ends")
        yield


def read_aliases(root: Path, files: SmallFiles = LOCAL_FILES) -> Aliases:
    """Reads the aliases; empty without a file. Raises StorageCorrupt, StorageFailed."""
    path = root / ALIASES
    data = files.read(path)
    return Aliases() if data is None else decode_aliases(data, str(path))


def decode_aliases(data: bytes, name: str) -> Aliases:
    """Decodes the file's content. Raises StorageCorrupt, which names the file."""
    try:
        found = json.loads(data)
        if found["format"] != _FORMAT:
            raise StorageCorrupt(f"{name} has format {found['format']}, not {_FORMAT}")
        users = {str(alias): str(user) for alias, user in found["users"].items()}
        namespaces = {
            Namespace.from_fields(alias): Namespace.from_fields(target)
            for alias, target in found["spaces"]
        }
        chats = {
            (Namespace.from_fields(namespace), str(character), str(log)): str(name)
            for namespace, character, log, name in found.get("chats", ())
        }
        return Aliases(users=users, namespaces=namespaces, chats=chats).resolve_chains()
    except (*UNUSABLE_JSON, ConfigError) as exc:
        raise StorageCorrupt(f"{name} is not a list of aliases: {exc}") from exc


def read_aliases_or_none(root: Path) -> tuple[Aliases, list[str]]:
    """Returns the aliases and the faults. While a file is unreadable, there are no aliases."""
    try:
        return read_aliases(root), []
    except StorageError as exc:
        return _report_unreadable(exc)


def _read_unless_corrupt(root: Path, files: SmallFiles) -> tuple[Aliases, list[str]]:
    """Reads the aliases, none from a damaged file. Raises StorageFailed, which may be temporary."""
    try:
        return read_aliases(root, files), []
    except StorageCorrupt as exc:
        return _report_unreadable(exc)


def _report_unreadable(exc: StorageError) -> tuple[Aliases, list[str]]:
    return Aliases(), [f"{exc}; until it is repaired or deleted, every name means itself"]


def write_aliases(root: Path, aliases: Aliases) -> None:
    durable_files.make_folder(root)
    durable_files.replace(root / ALIASES, encode_aliases(aliases))


def encode_aliases(aliases: Aliases) -> bytes:
    spaces = [
        [alias.to_fields(), target.to_fields()] for alias, target in aliases.namespaces.items()
    ]
    fields: dict[str, Any] = {"format": _FORMAT, "users": dict(aliases.users), "spaces": spaces}
    if aliases.chats:
        fields["chats"] = [
            [namespace.to_fields(), *key, name] for (namespace, *key), name in aliases.chats.items()
        ]
    return (json.dumps(fields, ensure_ascii=True, indent=2) + "\n").encode()
