"""The API keys of the server: `api_keys.json` in the storage folder holds their hashes.

A key has 32 random bytes, so it cannot be found from its plain SHA-256 by search.
"""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...config.server_settings import KEYS_FILE
from ...domain.errors import ConfigError
from ...infra.json_codec import UNUSABLE_JSON
from ...infra.regular_files import WatchedFile
from ...storage.small_files import LOCAL_FILES, SmallFiles

ANY_USER = "*"
_FORMAT = 1
_PREFIX = "ltm-"
_BYTES = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as stored. It may act for `users`; ANY_USER means all of them."""

    name: str
    hash: str
    users: tuple[str, ...]


class KeyFile:
    """Reads and changes the keys of one storage folder, including other programs' changes."""

    def __init__(self, root: Path, files: SmallFiles = LOCAL_FILES) -> None:
        self.path = root / KEYS_FILE
        self._files = files
        self._watched: WatchedFile[Sequence[ApiKey]] = WatchedFile(
            self.path, lambda path: _decode(files.read(path), path), files.stamp
        )

    def keys(self) -> Sequence[ApiKey]:
        """Returns the stored keys. Raises ConfigError for a damaged file."""
        return self._watched.get()

    def find(self, key: str) -> ApiKey | None:
        """Returns the stored key that this text is, or None."""
        hashed = hash_of(key)
        matches = [known for known in self.keys() if hmac.compare_digest(known.hash, hashed)]
        return matches[0] if matches else None

    def add(self, name: str, users: Sequence[str]) -> str:
        """Makes a key and returns it; afterwards only its hash is known. Raises ConfigError."""
        if not name.strip():
            raise ConfigError("a key needs a name", key="name")
        key = _PREFIX + secrets.token_urlsafe(_BYTES)
        with self._files.changing(self.path):
            known = self.keys()
            if any(key.name == name for key in known):
                raise ConfigError(f"there is a key {name!r} already: remove it first", key="name")
            self._save([*known, ApiKey(name=name, hash=hash_of(key), users=tuple(users))])
        return key

    def remove(self, name: str) -> None:
        """Removes a key, which is refused from now on. Raises ConfigError for an unknown one."""
        with self._files.changing(self.path):
            known = self.keys()
            left = [key for key in known if key.name != name]
            if len(left) == len(known):
                names = ", ".join(key.name for key in known) or "none"
                raise ConfigError(f"there is no key {name!r}; there are: {names}", key="name")
            self._save(left)

    def _save(self, keys: Sequence[ApiKey]) -> None:
        rows = [{"name": key.name, "hash": key.hash, "users": list(key.users)} for key in keys]
        text = json.dumps({"format": _FORMAT, "keys": rows}, ensure_ascii=False, indent=2) + "\n"
        self._files.replace(self.path, text.encode("utf-8"))


def hash_of(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


def _decode(data: bytes | None, path: Path) -> Sequence[ApiKey]:
    if data is None:
        return ()
    try:
        found = json.loads(data)
        if found["format"] != _FORMAT:
            raise ValueError(f"format {found['format']!r} is unknown")
        return tuple(map(_key, found["keys"]))
    except UNUSABLE_JSON as exc:
        message = f"{path} is damaged ({exc}): restore it, or delete it and make new keys"
        raise ConfigError(message, key=KEYS_FILE) from exc


def _key(row: Mapping[str, Any]) -> ApiKey:
    name, users = str(row["name"]), row["users"]
    if not (isinstance(users, list) and users):  # an empty list must not count as every user
        raise ValueError(f"the key {name!r} has no list of users")
    return ApiKey(name=name, hash=str(row["hash"]), users=tuple(map(str, users)))
