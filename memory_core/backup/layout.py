"""What stands in a backup: for each namespace its logs and a manifest that vouches for them.

With one namespace the members lie at the zip's root, else below <user>/<character>/, as they do
in the storage folder; unpacked by hand there, they are a storage that works. A manifest is the
namespace's own (manifest.write_manifest) and has one key more:
`"backup": {"format":1,"made":"2026-01-31T12:00:00Z","counts":{…},"members":{"notes.jsonl":
{"sha256":"…","bytes":…,"lines":…},"conversations/<conversation>.jsonl":{…}},"switches":{…}}`, the
last with what switches.json holds, where there is one.
"""

import calendar
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .. import switches
from ..errors import ImportFailed
from ..manifest import MANIFEST, MANIFEST_FORMAT
from ..namespaces import Namespace, Scope
from ..records import nothing
from ..transcript.transcript import Transcript

FORMAT = 1
_KEY = "backup"
_MOST_COUNTED = 1 << 53
_MADE = "%Y-%m-%dT%H:%M:%SZ"
_DIGEST = re.compile("[0-9a-f]{64}")
_NAMES = ("format", "user", "character", "scope")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One log in the file, as it has to be."""

    sha256: str
    size: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """One namespace in the file. `about` is what its manifest holds beside the names, `switches`
    what is paused and withheld there (switches.saved_in).
    """

    namespace: Namespace
    members: Mapping[str, Member]
    counts: Mapping[str, int] = field(default_factory=nothing)
    about: Mapping[str, Any] = field(default_factory=nothing)
    switches: Mapping[str, Any] | None = None
    prefix: str = ""

    @property
    def size(self) -> int:
        """Of all logs, in bytes."""
        return sum(it.size for it in self.members.values())


def manifest_of(contents: Contents, *, now: float) -> bytes:
    names = contents.namespace
    members = {
        name: {"sha256": it.sha256, "bytes": it.size, "lines": it.lines}
        for name, it in contents.members.items()
    }
    made = time.strftime(_MADE, time.gmtime(now))
    own = {"format": FORMAT, "made": made, "counts": dict(contents.counts), "members": members}
    if contents.switches is not None:
        own["switches"] = contents.switches
    manifest = {
        **contents.about,
        "format": MANIFEST_FORMAT,
        "user": names.user,
        "character": names.character,
        "scope": names.scope,
        _KEY: own,
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def made_at(data: bytes) -> float:
    """When the backup with this manifest was made, in seconds since the epoch.

    Raises ImportFailed.
    """
    try:
        made = json.loads(data.decode("utf-8", "surrogatepass"))[_KEY]["made"]
        return float(calendar.timegm(time.strptime(made, _MADE)))
    except (ValueError, OverflowError, KeyError, TypeError, RecursionError) as exc:
        raise ImportFailed(f"the manifest does not tell when it was made: {exc!r}") from exc


def about(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a manifest holds beside the names."""
    return {key: value for key, value in manifest.items() if key not in (*_NAMES, _KEY)}


def contents_of(data: bytes, prefix: str) -> Contents:
    """Reads what manifest_of wrote. Raises ImportFailed, which says what is wrong."""
    where = f"{prefix}{MANIFEST}"
    try:
        manifest = json.loads(data.decode("utf-8", "surrogatepass"))
        own = manifest[_KEY]
        _refuse_newer(where, int(manifest["format"]), MANIFEST_FORMAT)
        _refuse_newer(where, int(own["format"]), FORMAT)
        return Contents(
            namespace=_namespace(manifest),
            members={name: _member(name, it) for name, it in own["members"].items()},
            counts=_counts(own.get("counts")),
            about=about(manifest),
            switches=_switches(own.get("switches")),
            prefix=prefix,
        )
    except (
        ValueError,
        OverflowError,
        KeyError,
        TypeError,
        AttributeError,
        RecursionError,
    ) as exc:
        raise ImportFailed(f"{where} is no manifest of a backup: {exc!r}") from exc


def _switches(saved: Any) -> Mapping[str, Any] | None:  # noqa: ANN401
    if saved is not None:
        switches.check(saved)
    return saved if isinstance(saved, dict) else None


def _counts(told: Any) -> Mapping[str, int]:  # noqa: ANN401
    """For people only: what is no count is left out."""
    found = told.items() if isinstance(told, dict) else ()
    return {key: it for key, it in found if type(it) is int and 0 <= it < _MOST_COUNTED}


def _refuse_newer(where: str, version: int, known: int) -> None:
    if version > known:
        raise ImportFailed(
            f"{where} has format {version}, this version knows {known}: update the extension"
        )


def _namespace(manifest: Mapping[str, Any]) -> Namespace:
    user, character = manifest["user"], manifest["character"]
    if not (isinstance(user, str) and isinstance(character, str)):
        raise TypeError("user and character must be texts")
    return Namespace(user, character, Scope(manifest["scope"]))


def _member(name: str, told: Mapping[str, Any]) -> Member:
    if Transcript.log_at(name) is None:
        raise ValueError(f"{name!r} is no log of a namespace")
    if not _DIGEST.fullmatch(told["sha256"]):
        raise ValueError(f"{name!r} has no SHA-256")
    size, lines = told["bytes"], told["lines"]
    if type(size) is not int or type(lines) is not int or min(size, lines) < 0:
        raise ValueError(f"{name!r} has no size")
    return Member(sha256=told["sha256"], size=size, lines=lines)
