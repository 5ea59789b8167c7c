"""Keeps the state of a folder of copies, and a record of all folders that were ever used for them.

`state.json` lies in that folder, which outlives the extension's. `backups/copies.json` lies beside
the memories and is deleted with them, so a new installation knows that the copies are foreign.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...infra.json_codec import UNUSABLE_JSON
from ...storage.log.events import FORMAT

_STATE = "state.json"
_RECORD = "copies.json"
_BACKUPS = "backups"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedNamespace:
    """A namespace to remove from all copies made until `deleted_at`, in seconds since the epoch.

    `ids` are those of its memories: an older copy may hold them under a name that it had before.
    """

    namespace: Namespace
    deleted_at: float
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyState:
    """The state of a folder of copies.

    `fingerprint` and `log_format` are those of the memories in the newest copy. `clean_names` are
    the copies without the memories of `erased_digest`. `deleted` has yet to be removed.
    """

    newest_name: str = ""
    fingerprint: str = ""
    log_format: int = FORMAT
    erased_digest: str = ""
    clean_names: tuple[str, ...] = ()
    deleted: tuple[DeletedNamespace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRecord:
    """This installation's record: the folders it used, and the copies that it made or dismissed.

    Deleted together with the extension's folder.
    """

    folders: tuple[str, ...] = ()
    known_names: tuple[str, ...] = ()


def _record_path(root: Path) -> Path:
    return root.parent / _BACKUPS / _RECORD


def read_record(root: Path) -> CopyRecord:
    """Returns an empty record for an unreadable one: at worst a copy is offered again."""
    try:
        found = json.loads(_record_path(root).read_bytes())
        folders, known = tuple(map(str, found["folders"])), tuple(map(str, found["known"]))
    except (OSError, *UNUSABLE_JSON):
        return CopyRecord()
    return CopyRecord(folders=folders, known_names=known)


def read_state(folder: Path) -> CopyState:
    """Returns an empty state for an unreadable one: at worst one more copy is made and checked."""
    try:
        found = json.loads((folder / _STATE).read_bytes())
        return CopyState(
            newest_name=Path(str(found["newest"])).name,
            fingerprint=str(found["fingerprint"]),
            log_format=int(found["log_format"]),
            erased_digest=str(found["erased"]),
            clean_names=tuple(map(str, found["clean"])),
            deleted=tuple(map(_parse_deleted, found["destroyed"])),
        )
    except (OSError, *UNUSABLE_JSON):
        return CopyState()


def _parse_deleted(found: dict[str, Any]) -> DeletedNamespace:
    return DeletedNamespace(
        namespace=Namespace.from_fields(found),
        deleted_at=float(found["before"]),
        ids=tuple(map(str, found.get("ids", ()))),
    )


def write_record(root: Path, *, folders: Iterable[str], known: Iterable[str]) -> None:
    """Replaces the record of this installation. Raises StorageFailed."""
    data = {"folders": list(dict.fromkeys(folders)), "known": sorted(set(known))}
    durable_files.make_folder(_record_path(root).parent)
    durable_files.replace(_record_path(root), json.dumps(data).encode())


def write_state(folder: Path, state: CopyState) -> None:
    """Replaces the state of a folder of copies. Raises StorageFailed."""
    destroyed = [
        {**entry.namespace.to_fields(), "before": entry.deleted_at, "ids": entry.ids}
        for entry in state.deleted
    ]
    data = {
        "newest": state.newest_name,
        "fingerprint": state.fingerprint,
        "log_format": state.log_format,
        "erased": state.erased_digest,
        "clean": state.clean_names,
        "destroyed": destroyed,
    }
    durable_files.replace(folder / _STATE, json.dumps(data).encode())
