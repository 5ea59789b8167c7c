"""Namespaces map (user, character) to a folder and back, without loss for any name.

Names are compared by their exact code points. Normalising (case, NFC) would give two people
with similar names one memory; a rename or merge is a decision of the user. A person on the page
and a user of the API never share a name.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from .unicode import visible_name

DEFAULT_USER = "default"
API_PREFIX = "api:"
_PAGE = "user:"
# Keys of a line, or columns of a table, in an export that holds several namespaces.
EXPORTED_KEYS = ("namespace_user", "namespace_character", "namespace_scope")

# Two folders and a conversation of this length still fit Windows' 260 characters per path
# below a usual installation, unless both the user's and the character's names are that long.
_LONGEST = 80
_DIGEST = 32
_EMPTY = "%empty"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789-_")
_CODED = re.compile(r"[a-z0-9_-]|%([0-9a-f]{2})")
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)]
)


class Scope(StrEnum):
    """Range of chats that share memories. Only a CHARACTER folder has a name chosen by a person."""

    CHARACTER = "character"
    INSTRUCT = "instruct"
    SHARED = "shared"
    WORLD = "world"


NAMED_SCOPES = (Scope.CHARACTER, Scope.INSTRUCT)
"""The scopes of chats. Their names can be changed, merged or made an alias of another."""

_RESERVED = {Scope.INSTRUCT: "_instruct", Scope.SHARED: "_shared"}
_SCOPE_OF = {folder: scope for scope, folder in _RESERVED.items()}
_WORLD = "_world"


@dataclass(frozen=True, slots=True)
class Namespace:
    """Owner of memories. Two namespaces are equal if and only if their folders are."""

    user: str
    character: str = ""
    scope: Scope = Scope.CHARACTER

    def __post_init__(self) -> None:
        if self.character and self.scope is not Scope.CHARACTER:
            raise ValueError(f"scope {self.scope} has no character, got {self.character!r}")
        if self.user and self.scope is Scope.WORLD:
            raise ValueError(f"scope {self.scope} has no user, got {self.user!r}")

    @classmethod
    def instruct(cls, user: str) -> "Namespace":
        return cls(user, scope=Scope.INSTRUCT)

    @classmethod
    def shared(cls, user: str) -> "Namespace":
        """Returns the namespace for all characters of a user."""
        return cls(user, scope=Scope.SHARED)

    @classmethod
    def world(cls) -> "Namespace":
        """Returns the namespace for all users."""
        return cls("", scope=Scope.WORLD)

    @classmethod
    def from_fields(cls, fields: Mapping[str, Any]) -> "Namespace":
        """Returns the namespace that to_fields() was called on.

        Raises KeyError, TypeError or ValueError for other fields.
        """
        user, character = fields["user"], fields["character"]
        if not (isinstance(user, str) and isinstance(character, str)):
            raise TypeError("user and character must be texts")
        return cls(user, character, Scope(fields["scope"]))

    def to_fields(self) -> dict[str, str]:
        """Returns the fields that name it in files and in the command line's JSON."""
        return {"user": self.user, "character": self.character, "scope": self.scope.value}

    @property
    def label(self) -> str:
        """Name to show in messages to people, control characters escaped."""
        return visible_name(f"{self.user} / {self.character or self.scope}")

    @property
    def relative_folder(self) -> str:
        """Path of the folder below any root, with slashes."""
        return self.folder(Path()).as_posix()

    def folder(self, root: Path) -> Path:
        """Returns the folder of these memories, always below `root`."""
        return _folder(self, root)


@lru_cache(maxsize=4096)  # each hook asks for the same few several times
def _folder(namespace: Namespace, root: Path) -> Path:
    if namespace.scope is Scope.WORLD:
        return root / _WORLD
    own = _RESERVED.get(namespace.scope) or encode(namespace.character)
    return root / encode(namespace.user) / own


@lru_cache(maxsize=4096)
def encode(name: str) -> str:
    """Returns the name as one part of a path, valid and distinct on every file system.

    Lower-case ASCII letters, digits, "-" and "_" stay. All other bytes of the UTF-8 become %xx,
    and so does the first byte of Windows' device names and a leading "-" or "_". A name that gets
    too long ends in "~" and a digest; then only the manifest holds the name.
    """
    if not name:
        return _EMPTY
    data = _bytes(name)
    escaped = "".join(map(_escape, data))
    if escaped[0] in "-_" or escaped in _DEVICES:
        escaped = _always_escape(data[0]) + escaped[1:]
    return escaped if len(escaped) <= _LONGEST else _shortened(escaped, data)


def log_name_of(conversation: str) -> str:
    """Returns the name by which notes refer to a conversation; empty for none."""
    return encode(conversation) if conversation else ""


def decode(folder: str) -> str | None:
    """Returns the name that `encode` turned into this folder; None for digests and others."""
    if folder == _EMPTY:
        return ""
    if len(folder) > _LONGEST:
        return None
    name = _unescaped(folder)
    return name if name and encode(name) == folder else None


def namespace_of(user: str, character: str) -> Namespace:
    """Returns the namespace of a character, or of _instruct or _shared, as commands name them."""
    scope = _SCOPE_OF.get(character)
    return Namespace(user, scope=scope) if scope else Namespace(user, character)


def named_by(folder: Path) -> Namespace | None:
    """Returns the namespace that a folder's path names; None for digests and foreign folders."""
    user = decode(folder.parent.name)
    if user is None:
        return None
    if scope := _SCOPE_OF.get(folder.name):
        return Namespace(user, scope=scope)
    character = decode(folder.name)
    return None if character is None else Namespace(user, character)


def scope_of(folder: Path) -> Scope:
    """Returns the scope of the namespace in this folder, also if the path does not name its user.

    encode() escapes a leading "_", so no person and no character has such a folder.
    """
    if folder.name == _WORLD:
        return Scope.WORLD
    return _SCOPE_OF.get(folder.name, Scope.CHARACTER)


def _bytes(text: str) -> bytes:
    """Returns UTF-8 that also keeps lone surrogates apart, which JSON's escapes would pair."""
    return text.encode("utf-8", "surrogatepass")


def _escape(byte: int) -> str:
    return chr(byte) if byte in _PLAIN else _always_escape(byte)


def _always_escape(byte: int) -> str:
    return f"%{byte:02x}"


def _shortened(escaped: str, data: bytes) -> str:
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST]
    prefix = escaped[: _LONGEST - _DIGEST - 1]
    return re.sub("%.?$", "", prefix) + "~" + digest


def _unescaped(folder: str) -> str | None:
    parts = list(_CODED.finditer(folder))
    if sum(len(part[0]) for part in parts) != len(folder):
        return None
    data = bytes(int(part[1], 16) if part[1] else ord(part[0]) for part in parts)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def page_user(profile: str | None) -> str:
    """Returns the user of a page without sign-in: the host's user profile, else `default`."""
    return _without_api_prefix(profile) if profile else DEFAULT_USER


def signed_in_user(name: str | None) -> str | None:
    """Returns the user of a page shared by several people; None (memory off) without sign-in."""
    return _without_api_prefix(name) if name else None


def api_user(user_field: str | None, default: str) -> str | None:
    """Returns the user of an API call; None (memory off) if neither call nor setting names one.

    `default` (api.default_user) is used as it is, without the API's prefix: the name of a user
    profile lets API calls share the memories of the page.
    """
    return API_PREFIX + user_field if user_field else default or None


def _without_api_prefix(name: str) -> str:
    return _PAGE + name if name.startswith((API_PREFIX, _PAGE)) else name
