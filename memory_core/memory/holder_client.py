"""Writes through the program that holds a namespace, which is the only one that may append.

A write without an answer may nevertheless be on disk. A retry leaves out the memories that already
exist: their ids are chosen before the first try.
"""

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..domain.errors import StorageError, StorageFailed, StorageLocked
from ..infra.json_codec import dump_json, load_json
from ..infra.loopback_calls import CallFailed, call
from ..storage.holder import HolderAddress
from ..storage.log.events import CREATING_EVENTS, Event, EventType, NewEvent

if TYPE_CHECKING:
    from .namespace_memory import NamespaceMemory

T = TypeVar("T")
_ANSWER_S = 10.0
_TIMEOUT_S = 5.0  # to wait for a program that is announced but does not answer
_PAUSE_S = 0.05
_SECRET = "secret"  # noqa: S105  (the name of a call)
WRITE = "write"


class HolderUnavailable(StorageError):
    """The program that holds the namespace gave no answer, or holds it no longer."""


class Holder:
    """The program that writes the namespace of this folder.

    Raises HolderUnavailable, StorageFailed.
    """

    def __init__(self, folder: Path, address: HolderAddress) -> None:
        self._folder = folder
        self._address = address

    def write(self, events: Sequence[NewEvent]) -> list[Event]:
        """Lets the holder append these events; on return they are on disk and in the index."""
        answer = self._ask(WRITE, [_fields_of(event) for event in events])
        return [event_from(fields) for fields in answer["events"]]

    def make_secret(self) -> str:
        """Returns the namespace's key for tombstone hashes, which the holder creates if needed."""
        return str(self._ask(_SECRET, [])["secret"])

    def _ask(self, what: str, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        asked = {"do": what, "folder": str(self._folder), "events": events}
        try:
            data = call(
                self._address.port, self._address.token, dump_json(asked), timeout_s=_ANSWER_S
            )
            answer: dict[str, Any] = load_json(data)
        except (CallFailed, ValueError) as exc:
            raise HolderUnavailable(str(exc)) from exc
        if answer.get("is_locked"):
            raise HolderUnavailable("it holds the namespace no longer")
        if "error" in answer:
            raise StorageFailed(str(answer["error"]))
        return answer


def write_via_holder(opened: "NamespaceMemory", events: Sequence[NewEvent]) -> list[Event]:
    """Writes through the holder, or here if it ends. Raises StorageLocked if it does not answer."""
    named = [_with_id(event) for event in events]
    written = ask_holder(opened, lambda holder: holder.write(named))
    return write_missing(opened, named) if written is None else written


def ask_holder(opened: "NamespaceMemory", ask: Callable[[Holder], T]) -> T | None:
    """Returns the holder's answer; None if it ends, and this program is now the holder.

    Raises StorageLocked if it does not answer.
    """
    until = time.monotonic() + _TIMEOUT_S
    while (holder := opened.begin_writing()) is not None:
        try:
            return ask(holder)
        except HolderUnavailable as exc:
            if time.monotonic() >= until:
                message = f"another program writes {opened.folder} and does not answer"
                raise StorageLocked(f"{message}; try again when it ends") from exc
            time.sleep(_PAUSE_S)
    return None


def write_missing(opened: "NamespaceMemory", events: Sequence[NewEvent]) -> list[Event]:
    """Writes the events except those whose memories already exist; returns all of them."""
    created = [event.id for event in events if event.op in CREATING_EVENTS and event.id]
    known = opened.records(created) if created else {}
    is_new = [event.op not in CREATING_EVENTS or event.id not in known for event in events]
    wanted = [event for event, new in zip(events, is_new, strict=True) if new]
    written = iter(opened.write_all(wanted))
    return [
        next(written) if new else event.with_seq(known[event.id].seq)
        for event, new in zip(events, is_new, strict=True)
    ]


def _with_id(event: NewEvent) -> NewEvent:
    is_unnamed = event.op in CREATING_EVENTS and not event.id
    return replace(event, id=secrets.token_hex(8)) if is_unnamed else event


def _fields_of(event: NewEvent | Event) -> dict[str, Any]:
    return {
        "op": event.op,
        "ts": event.ts,
        "id": event.id,
        "fields": dict(event.fields),
        "log": event.log,
    }


def fields_of_written(event: Event) -> dict[str, Any]:
    """Returns a written event as the fields of a holder's answer; event_from() reads them."""
    return {"seq": event.seq, **_fields_of(event)}


def event_from(found: Mapping[str, Any]) -> Event:
    return Event(**{**found, "op": EventType(found["op"])})


def new_event_from(found: Mapping[str, Any]) -> NewEvent:
    """Returns the event that a call asks to write. Raises ValueError, KeyError, TypeError."""
    return NewEvent(**{**found, "op": EventType(found["op"])})
