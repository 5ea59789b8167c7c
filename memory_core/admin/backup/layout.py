"""The layout of a backup: each namespace's logs, and a manifest with their checksums.

The members of a single namespace lie at the zip's root. Those of several lie below
<user>/<character>/, as in the storage folder. Unpacked there by hand, they are a working storage.
The manifest is the namespace's own (manifest.write_manifest) plus one key:
`"backup": {"format":1,"made":"2026-01-31T12:00:00Z","counts":{…},"members":{"notes.jsonl":
{"sha256":"…","bytes":…,"lines":…},"conversations/<conversation>.jsonl":{…}},"switches":{…},"held":{…}}`.
`switches` and `held` are the contents of switches.json and held.json, if those files exist.
"""

import calendar
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...domain.errors import ImportFailed
from ...domain.namespaces import Namespace
from ...domain.records import empty_mapping
from ...infra.json_codec import UNUSABLE_JSON
from ...storage import held as held_file
from ...storage import pauses as pauses_file
from ...storage.log.event_log import EventLog
from ...storage.manifest import MANIFEST, MANIFEST_FORMAT

FORMAT = 1
_KEY = "backup"
_MAX_COUNT = 1 << 53
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%SZ"
_DIGEST = re.compile("[0-9a-f]{64}")
_NAMES = ("format", "user", "character", "scope")


@dataclass(frozen=True, slots=True, kw_only=True)
class LogMember:
    """The checksum, bytes and lines that a manifest promises for one log."""

    sha256: str
    size: int
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceContents:
    """One namespace in a backup.

    `extra_fields` are the manifest's fields beside the names. `pauses` are its paused and excluded
    chats as switches.json has them (pauses.read_saved), and `held` are the exchanges that wait for
    a review as held.json has them.
    """

    namespace: Namespace
    members: Mapping[str, LogMember]
    counts: Mapping[str, int] = field(default_factory=empty_mapping)
    extra_fields: Mapping[str, Any] = field(default_factory=empty_mapping)
    pauses: Mapping[str, Any] | None = None
    held: Mapping[str, Any] | None = None
    prefix: str = ""

    @property
    def size(self) -> int:
        """The size of all logs, in bytes."""
        return sum(member.size for member in self.members.values())


def build_manifest(contents: NamespaceContents, *, now: float) -> bytes:
    names = contents.namespace
    members = {
        name: {"sha256": member.sha256, "bytes": member.size, "lines": member.lines}
        for name, member in contents.members.items()
    }
    made = time.strftime(_TIME_FORMAT, time.gmtime(now))
    own = {"format": FORMAT, "made": made, "counts": dict(contents.counts), "members": members}
    if contents.pauses is not None:
        own["switches"] = contents.pauses
    if contents.held is not None:
        own["held"] = contents.held
    manifest = {
        **contents.extra_fields,
        "format": MANIFEST_FORMAT,
        **names.to_fields(),
        _KEY: own,
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def manifest_time(data: bytes) -> float:
    """Returns the time of the backup with this manifest, in seconds since the epoch.

    Raises ImportFailed.
    """
    try:
        made = json.loads(data.decode("utf-8", "surrogatepass"))[_KEY]["made"]
        return float(calendar.timegm(time.strptime(made, _TIME_FORMAT)))
    except UNUSABLE_JSON as exc:
        raise ImportFailed(f"the manifest does not tell when it was made: {exc!r}") from exc


def manifest_extras(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the manifest's fields beside the names and the backup's own."""
    return {key: value for key, value in manifest.items() if key not in (*_NAMES, _KEY)}


def parse_manifest(data: bytes, prefix: str) -> NamespaceContents:
    """Reads a manifest that build_manifest() wrote. Raises ImportFailed with the reason."""
    where = f"{prefix}{MANIFEST}"
    try:
        manifest = json.loads(data.decode("utf-8", "surrogatepass"))
        own = manifest[_KEY]
        _refuse_newer(where, int(manifest["format"]), MANIFEST_FORMAT)
        _refuse_newer(where, int(own["format"]), FORMAT)
        return NamespaceContents(
            namespace=Namespace.from_fields(manifest),
            members={name: _parse_member(name, member) for name, member in own["members"].items()},
            counts=_parse_counts(own.get("counts")),
            extra_fields=manifest_extras(manifest),
            pauses=_parse_pauses(own.get("switches")),
            held=_parse_held(own.get("held")),
            prefix=prefix,
        )
    except UNUSABLE_JSON as exc:
        raise ImportFailed(f"{where} is no manifest of a backup: {exc!r}") from exc


def _parse_pauses(saved: Any) -> Mapping[str, Any] | None:  # noqa: ANN401
    if saved is not None:
        pauses_file.check_saved(saved)
    return saved if isinstance(saved, dict) else None


def _parse_held(saved: Any) -> Mapping[str, Any] | None:  # noqa: ANN401
    return None if saved is None else held_file.to_fields(held_file.check_saved(saved))


def _parse_counts(value: Any) -> Mapping[str, int]:  # noqa: ANN401
    """Returns the valid counts and drops the rest: counts are only shown to people."""
    found = value.items() if isinstance(value, dict) else ()
    return {key: count for key, count in found if type(count) is int and 0 <= count < _MAX_COUNT}


def _refuse_newer(where: str, version: int, known: int) -> None:
    if version > known:
        raise ImportFailed(
            f"{where} has format {version}, this version knows {known}: update the extension"
        )


def _parse_member(name: str, promised: Mapping[str, Any]) -> LogMember:
    if EventLog.log_at(name) is None:
        raise ValueError(f"{name!r} is no log of a namespace")
    if not _DIGEST.fullmatch(promised["sha256"]):
        raise ValueError(f"{name!r} has no SHA-256")
    size, lines = promised["bytes"], promised["lines"]
    if type(size) is not int or type(lines) is not int or min(size, lines) < 0:
        raise ValueError(f"{name!r} has no size")
    return LogMember(sha256=promised["sha256"], size=size, lines=lines)
