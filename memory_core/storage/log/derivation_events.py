"""Applies the events that change a memory's derivation, such as SUPERSEDE and REFLECT."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...domain.derivations import (
    DERIVATION_FIELDS,
    NO_DERIVATION,
    Derivation,
    derivation_of,
    derivation_or_none,
)
from ...domain.records import Memory
from .events import Event, EventType


def with_derivation_event(memory: Memory, line: Event) -> Memory:
    """Returns the memory after an event of DERIVATION_EVENTS; an exchange stays as it is."""
    if memory.exchange is not None:
        return memory
    changed = _HANDLERS[line.op](memory, memory.derived or NO_DERIVATION, line)
    return replace(memory, derived=derivation_or_none(changed))


def _superseded(_: Memory, derived: Derivation, line: Event) -> Derivation:
    valid_to = line.fields.get("valid_to", derived.valid_to)
    newer = str(line.fields["superseded_by"])
    return replace(
        derived, superseded_by=newer, valid_to=None if valid_to is None else float(valid_to)
    )


def _reinstated(_: Memory, derived: Derivation, __: Event) -> Derivation:
    return replace(derived, superseded_by="", valid_to=None)


def _reflected(memory: Memory, derived: Derivation, line: Event) -> Derivation:
    if not memory.text:  # erased
        return derived
    ids = (*derived.reflected_into, *map(str, line.fields["into"]))
    return replace(derived, reflected_into=tuple(dict.fromkeys(ids)))


def _doubted(_: Memory, derived: Derivation, line: Event) -> Derivation:
    return replace(derived, in_doubt_with=tuple(map(str, line.fields.get("with", ()))))


def _reviewed(_: Memory, derived: Derivation, line: Event) -> Derivation:
    return replace(derived, is_rejected=bool(line.fields.get("rejected", False)))


_HANDLERS: Mapping[EventType, Callable[[Memory, Derivation, Event], Derivation]] = {
    EventType.SUPERSEDE: _superseded,
    EventType.REINSTATE: _reinstated,
    EventType.REFLECT: _reflected,
    EventType.DOUBT: _doubted,
    EventType.REVIEW: _reviewed,
}
DERIVATION_EVENTS = frozenset(_HANDLERS)


def revised_derivation(memory: Memory, text: str, fields: Mapping[str, Any]) -> Derivation | None:
    """Returns the derivation after the memory's text was revised, with the event's own fields.

    A value that the event does not repeat may contradict the new text, so it is dropped.
    """
    if not text:
        return erased_derivation(memory.derived)
    if memory.derived is None:
        return derivation_of(fields)
    kept = memory.derived if text == memory.text else replace(memory.derived, value="")
    return derivation_of({**kept.to_fields(), **_own(fields)})


def erased_derivation(derived: Derivation | None) -> Derivation | None:
    """Returns the part of a derivation that stays when the memory's text is erased."""
    if derived is None:
        return None
    return derivation_or_none(
        Derivation(superseded_by=derived.superseded_by, valid_to=derived.valid_to)
    )


def _own(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in DERIVATION_FIELDS}
