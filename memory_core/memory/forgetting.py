"""What was forgotten: what of it is to be erased by now, and what went together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace
from ..storage.log.projection import Entry, State

Times = tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """Tells whoever keeps something derived from memories that these are forgotten.

    `messages` are the user's sides of them.
    """

    namespace: Namespace
    ids: frozenset[str]
    messages: frozenset[str]

    @classmethod
    def of(cls, namespace: Namespace, ids: Iterable[str], entries: Iterable[Entry]) -> "Forgotten":
        exchanges = (it.memory.exchange for it in entries)
        messages = frozenset(it.user for it in exchanges if it)
        return cls(namespace=namespace, ids=frozenset(ids), messages=messages)


def first_and_last(forgotten: Iterable[Entry]) -> Times:
    """When these were forgotten, at the earliest and at the latest; empty where there are none."""
    times = [it.forgotten_at or 0.0 for it in forgotten]
    return (min(times), max(times)) if times else ()


def is_any_due(times: Times, *, now: float, kept_s: float) -> bool:
    """Also what was forgotten in a future: a clock went wrong, and may never get there."""
    return any(abs(now - it) >= kept_s for it in times)


def due(forgotten: Iterable[Entry], *, now: float, kept_s: float) -> list[Entry]:
    """Those whose words were kept for so long."""
    return [it for it in forgotten if is_any_due((it.forgotten_at or 0.0,), now=now, kept_s=kept_s)]


def went_with(entry: Entry, forgotten: Sequence[Entry]) -> list[Entry]:
    """Itself, and what says the same, holds where it holds and was forgotten with it."""
    return [entry, *(it for it in forgotten if it != entry and _sign(it) == _sign(entry))]


def _sign(entry: Entry) -> tuple[str, str, float | None]:
    return entry.memory.key, entry.memory.only_in, entry.forgotten_at


def keys_of(named: Iterable[Entry]) -> set[str]:
    """What is to be forgotten, by its content."""
    return {it.memory.key for it in named if it.state is not State.FORGOTTEN}


def also_meant(named: Sequence[Entry], found: Iterable[Entry]) -> list[Entry]:
    """What says the same and holds where they hold: each chat's notes are its own."""
    ids = {it.memory.id for it in named}
    same = {(it.memory.key, it.memory.only_in) for it in named if it.state is not State.FORGOTTEN}
    others = (it for it in found if it.memory.id not in ids and it.state is not State.FORGOTTEN)
    return [it for it in others if (it.memory.key, it.memory.only_in) in same]
