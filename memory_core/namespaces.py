"""Whose memories lie where: (user, character) to folder and back, without loss for any name.

Names are compared by their exact code points. Normalising (case, NFC) would give two people
whose names merely look alike one memory; a rename or merge is a decision of the user.
"""

import hashlib
import json
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from . import durable, ordinary
from .errors import StorageCorrupt, StorageError
from .visible import visible_name

MANIFEST = "manifest.json"
MANIFEST_FORMAT = 1
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
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_log = logging.getLogger(__name__)


class Scope(StrEnum):
    """How far memories reach. Only CHARACTER's folder bears a name that somebody chose."""

    CHARACTER = "character"
    INSTRUCT = "instruct"
    SHARED = "shared"
    WORLD = "world"


_RESERVED = {Scope.INSTRUCT: "_instruct", Scope.SHARED: "_shared"}
_SCOPE_OF = {folder: scope for scope, folder in _RESERVED.items()}
_WORLD = "_world"


@dataclass(frozen=True, slots=True)
class Namespace:
    """Whose memories: equal if and only if their folders are."""

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
        """For all characters of a user."""
        return cls(user, scope=Scope.SHARED)

    @classmethod
    def world(cls) -> "Namespace":
        """For all users."""
        return cls("", scope=Scope.WORLD)

    @property
    def label(self) -> str:
        """For messages to people."""
        return visible_name(f"{self.user} / {self.character or self.scope}")

    def folder(self, root: Path) -> Path:
        """Where these memories lie: always below `root`."""
        return _folder(self, root)


@lru_cache(maxsize=4096)  # each hook asks for the same few several times
def _folder(namespace: Namespace, root: Path) -> Path:
    if namespace.scope is Scope.WORLD:
        return root / _WORLD
    own = _RESERVED.get(namespace.scope) or encode(namespace.character)
    return root / encode(namespace.user) / own


def encode(name: str) -> str:
    """A name as one part of a path that every file system accepts and keeps apart.

    Lower-case ASCII letters, digits, "-" and "_" stay, all other bytes of its UTF-8 become %xx;
    so does the first one of a leading "-" or "_" and of Windows' device names. What gets too
    long ends in "~" and a digest instead; then only the manifest knows the name.
    """
    if not name:
        return _EMPTY
    data = _bytes(name)
    escaped = "".join(map(_escape, data))
    if escaped[0] in "-_" or escaped in _DEVICES:
        escaped = _always_escape(data[0]) + escaped[1:]
    return escaped if len(escaped) <= _LONGEST else _shortened(escaped, data)


def decode(folder: str) -> str | None:
    """The name that `encode` gave this folder; None for digests and for foreign folders."""
    if folder == _EMPTY:
        return ""
    name = _unescaped(folder)
    return name if name and encode(name) == folder else None


def list_namespaces(root: Path) -> list[Namespace]:
    """All namespaces whose folders exist, in the folders' order; foreign folders are ignored."""
    found = [Namespace.world()] if durable.is_folder(root / _WORLD) else []
    return found + [space for user in _folders(root) for space in _of_user(root, user)]


def write_manifest(
    namespace: Namespace, folder: Path, *, extra: Mapping[str, Any] = _NOTHING
) -> None:
    """Replaces the folder's manifest; `extra` holds what the store adds to the names."""
    names = {"user": namespace.user, "character": namespace.character, "scope": namespace.scope}
    manifest = {**extra, "format": MANIFEST_FORMAT, **names}
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    durable.replace(folder / MANIFEST, _bytes(text))


def read_manifest(folder: Path) -> Mapping[str, Any]:
    """The folder's manifest, empty where there is none yet; StorageCorrupt where it is none."""
    path = folder / MANIFEST
    data = ordinary.stored(path)
    return _NOTHING if data is None else _checked(path, data)


def _bytes(text: str) -> bytes:
    """UTF-8 that also tells lone surrogates apart, which JSON's escapes would join to pairs."""
    return text.encode("utf-8", "surrogatepass")


def _escape(byte: int) -> str:
    return chr(byte) if byte in _PLAIN else _always_escape(byte)


def _always_escape(byte: int) -> str:
    return f"%{byte:02x}"


def _shortened(escaped: str, data: bytes) -> str:
    digest = hashlib.sha256(data).hexdigest()[:_DIGEST]
    kept = escaped[: _LONGEST - _DIGEST - 1]
    return re.sub("%.?$", "", kept) + "~" + digest


def _unescaped(folder: str) -> str | None:
    parts = list(_CODED.finditer(folder))
    if sum(len(part[0]) for part in parts) != len(folder):
        return None
    data = bytes(int(part[1], 16) if part[1] else ord(part[0]) for part in parts)
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def _folders(parent: Path) -> list[Path]:
    if not durable.is_folder(parent):
        return []
    with durable.naming(parent):
        return sorted(child for child in parent.iterdir() if durable.is_folder(child))


def _of_user(root: Path, user_folder: Path) -> Iterator[Namespace]:
    if user_folder.name == _WORLD:
        return
    for folder in _folders(user_folder):
        space = _named_by_folders(folder) or _named_by_manifest(folder)
        if space and space.folder(root) == folder:
            yield space


def _named_by_folders(folder: Path) -> Namespace | None:
    user = decode(folder.parent.name)
    if user is None:
        return None
    if scope := _SCOPE_OF.get(folder.name):
        return Namespace(user, scope=scope)
    character = decode(folder.name)
    return None if character is None else Namespace(user, character)


def _named_by_manifest(folder: Path) -> Namespace | None:
    try:
        manifest = read_manifest(folder)
    except StorageError as exc:
        _log.warning("a namespace is not listed: %s", exc)
        return None
    return _from_manifest(manifest) if manifest else None


def _from_manifest(manifest: Mapping[str, Any]) -> Namespace:
    user, character = manifest["user"], manifest["character"]
    if not (isinstance(user, str) and isinstance(character, str)):
        raise TypeError("user and character must be texts")
    return Namespace(user, character, Scope(manifest["scope"]))


def _checked(path: Path, data: bytes) -> Mapping[str, Any]:
    try:
        manifest = json.loads(data.decode("utf-8", "surrogatepass"))
        _from_manifest(manifest)
        version = int(manifest["format"])
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as exc:
        raise StorageCorrupt(f"{path} is no manifest: {exc}") from exc
    if version > MANIFEST_FORMAT:
        raise StorageCorrupt(f"{path} has format {version}; this version knows {MANIFEST_FORMAT}")
    return dict(manifest)
