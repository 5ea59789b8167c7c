"""Keeps the state of a folder of copies, and a record of all folders that were ever used for them.

`state.json` in the folder outlives the extension's own. `backups/copies.json` lies beside the
memories and is deleted with them. A new installation without it knows that the copies are foreign.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace, Scope
from ...infra import durable_files
from ...storage.log.events import FORMAT

_STATE = "state.json"
_RECORD = "copies.json"
_BACKUPS = "backups"
_UNUSABLE = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destroyed:
    """A namespace that must leave all copies made until then."""

    namespace: Namespace
    before: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyState:
    """What is known of a folder of copies: of which state of the memories the newest one is
    (`fingerprint`, `log_format`), what was erased (a digest) and which of them are clean of it, and
    what has to go.
    """

    newest: str = ""
    fingerprint: str = ""
    log_format: int = FORMAT
    erased: str = ""
    clean: tuple[str, ...] = ()
    destroyed: tuple[Destroyed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyRecord:
    """What this installation knows: the folders that it used, and the copies that are its own or
    were decided about. It goes with the extension's folder.
    """

    folders: tuple[str, ...] = ()
    known: tuple[str, ...] = ()


def _record_path(root: Path) -> Path:
    return root.parent / _BACKUPS / _RECORD


def read_record(root: Path) -> CopyRecord:
    """One that cannot be read is as none: at worst a copy is offered once more."""
    try:
        found = json.loads(_record_path(root).read_bytes())
        folders, known = tuple(map(str, found["folders"])), tuple(map(str, found["known"]))
    except _UNUSABLE:
        return CopyRecord()
    return CopyRecord(folders=folders, known=known)


def read_state(folder: Path) -> CopyState:
    """One that cannot be read is as none: at worst a copy more is made, and all are looked at."""
    try:
        found = json.loads((folder / _STATE).read_bytes())
        return CopyState(
            newest=Path(str(found["newest"])).name,
            fingerprint=str(found["fingerprint"]),
            log_format=int(found["log_format"]),
            erased=str(found["erased"]),
            clean=tuple(map(str, found["clean"])),
            destroyed=tuple(map(_destroyed, found["destroyed"])),
        )
    except _UNUSABLE:
        return CopyState()


def _destroyed(found: dict[str, Any]) -> Destroyed:
    names = str(found["user"]), str(found["character"]), Scope(found["scope"])
    return Destroyed(namespace=Namespace(*names), before=float(found["before"]))


def write_record(root: Path, *, folders: Iterable[str], known: Iterable[str]) -> None:
    """Raises StorageFailed."""
    data = {"folders": list(dict.fromkeys(folders)), "known": sorted(set(known))}
    durable_files.make_folder(_record_path(root).parent)
    durable_files.replace(_record_path(root), json.dumps(data).encode())


def write_state(folder: Path, state: CopyState) -> None:
    """Raises StorageFailed."""
    destroyed = [
        {
            "user": it.namespace.user,
            "character": it.namespace.character,
            "scope": it.namespace.scope,
            "before": it.before,
        }
        for it in state.destroyed
    ]
    data = {
        "newest": state.newest,
        "fingerprint": state.fingerprint,
        "log_format": state.log_format,
        "erased": state.erased,
        "clean": state.clean,
        "destroyed": destroyed,
    }
    durable_files.replace(folder / _STATE, json.dumps(data).encode())
