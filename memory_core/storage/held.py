"""Exchanges that the guard holds back until somebody decides about them.

Each namespace has them in its folder's held.json: outside the logs, so that no index ever sees
them. Their words leave the file with the decision. An event in the log then marks their ids as
erased, so that the automatic backups drop them, too.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..domain.errors import StorageCorrupt, StorageFailed
from ..domain.namespaces import decode, encode
from ..domain.private_parts import PrivatePart
from ..domain.records import Exchange
from ..infra.file_locks import try_file_lock
from ..infra.json_codec import UNUSABLE_JSON
from .log.events import Event, EventType, NewEvent
from .log.projection import exchange_fields, exchange_of
from .small_files import LOCAL_FILES, SmallFiles

FILE = "held.json"
FORMAT = 1
LOCK = ".held.lock"
_LOCK_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldExchange:
    """An exchange of the conversation `log`, with the private `parts` that were asked about.

    `position` is its place among the conversation's stored exchanges; `held_at` is in seconds
    since the epoch. `completes` is the id of the stored message whose answer this is, if any.
    """

    id: str
    log: str
    position: float
    exchange: Exchange
    parts: frozenset[PrivatePart]
    held_at: float
    completes: str = ""

    @property
    def conversation(self) -> str:
        return decode(self.log) or self.log


class HeldFile:
    """The held exchanges of the namespace in this folder. Raises StorageFailed."""

    def __init__(self, folder: Path, files: SmallFiles = LOCAL_FILES) -> None:
        self._path = folder / FILE
        self._files = files

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps all other threads and programs from changing the held exchanges."""
        with try_file_lock(self._path.with_name(LOCK), timeout_s=_LOCK_TIMEOUT_S) as is_ours:
            if not is_ours:
                raise StorageFailed(f"{self._path} is in use by another program: try again")
            with self._files.changing(self._path):
                yield

    def exists(self) -> bool:
        return self._files.stamp(self._path) is not None

    def read(self) -> tuple[HeldExchange, ...]:
        """Returns the held exchanges, oldest first. Raises StorageCorrupt, too."""
        data = self._files.read(self._path)
        if data is None:
            return ()
        try:
            return check_saved(json.loads(data))
        except UNUSABLE_JSON as exc:
            raise StorageCorrupt(
                f"{self._path} cannot be read, so it is unknown what waits for your review; repair "
                f"it or move it away: {type(exc).__name__}"
            ) from exc

    def write(self, held: Sequence[HeldExchange]) -> None:
        """Replaces the held exchanges; on disk on return."""
        if held:
            data = json.dumps(to_fields(held), ensure_ascii=True, indent=1) + "\n"
            self._files.replace(self._path, data.encode())
        else:
            self._files.remove(self._path)
        self._files.scrub_later(self._path)

    def move(self, log: str, to: str) -> None:
        """Moves held exchanges to another conversation. Raises StorageCorrupt, too."""
        if self.exists():
            with self.locked():
                self.write([replace(one, log=to) if one.log == log else one for one in self.read()])


def erased_events(held: Iterable[HeldExchange], now: float) -> list[NewEvent]:
    """Returns events that mark the held words as erased, so that backups drop them, too."""
    return [
        NewEvent(op=EventType.FORGET, id=one.id, ts=now, fields={"purged": True}) for one in held
    ]


def marks_held_as_erased(event: Event) -> bool:
    """Returns whether erased_events() made this event, which names no memory."""
    return event.op is EventType.FORGET and "purged" in event.fields


def merge(source: Path, target: Path, fresh: Path, renamed: Mapping[str, str]) -> None:
    """Writes the held exchanges of both into a new folder; `renamed` is log → conversation.

    Raises StorageCorrupt, StorageFailed.
    """
    added = [
        replace(one, log=encode(renamed[one.log])) if one.log in renamed else one
        for one in HeldFile(source).read()
    ]
    _write_joined(fresh, HeldFile(target).read(), added)


def restore(saved: Mapping[str, Any] | None, folder: Path, existing: Path | None) -> None:
    """Writes the exchanges of a backup's fields and of `existing` into a new folder.

    Raises StorageCorrupt, StorageFailed.
    """
    own = HeldFile(existing).read() if existing is not None else ()
    _write_joined(folder, own, check_saved(saved) if saved else ())


def _write_joined(folder: Path, own: Sequence[HeldExchange], added: Sequence[HeldExchange]) -> None:
    known = {(one.log, one.exchange.key) for one in own}
    new = [one for one in added if (one.log, one.exchange.key) not in known]
    HeldFile(folder).write([*own, *new])


def to_fields(held: Iterable[HeldExchange]) -> dict[str, Any]:
    """Returns the fields that the file and a backup store."""
    return {"format": FORMAT, "held": list(map(_fields, held))}


def without(saved: Mapping[str, Any], ids: Collection[str]) -> Mapping[str, Any]:
    """Returns a backup's fields without the exchanges of these ids."""
    return to_fields(one for one in check_saved(saved) if one.id not in ids)


def check_saved(saved: Mapping[str, Any]) -> tuple[HeldExchange, ...]:
    """Returns the exchanges in these fields. Raises one of UNUSABLE_JSON."""
    if saved["format"] != FORMAT:
        raise ValueError("another format")
    return tuple(map(_held, saved["held"]))


def _fields(one: HeldExchange) -> dict[str, Any]:
    return {
        "id": one.id,
        "log": one.log,
        "place": one.position,
        "parts": sorted(one.parts),
        "held_at": one.held_at,
        "ts": one.exchange.ts,
        **({"completes": one.completes} if one.completes else {}),
        **exchange_fields(one.exchange),
    }


def _held(fields: Mapping[str, Any]) -> HeldExchange:
    ts = fields["ts"]
    return HeldExchange(
        id=str(fields["id"]),
        log=str(fields["log"]),
        position=float(fields["place"]),
        exchange=exchange_of(fields, None if ts is None else float(ts)),
        parts=frozenset(map(PrivatePart, fields["parts"])),
        held_at=float(fields["held_at"]),
        completes=str(fields.get("completes", "")),
    )
