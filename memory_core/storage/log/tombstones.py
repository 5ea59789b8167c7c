"""What was forgotten is known by its seal alone; where a chat shows it again, by its content."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from pathlib import Path

from ...domain.records import Exchange
from .diff import KnownExchange
from .event_log import NOTES
from .events import EventType
from .log_file import readable_lines
from .projection import tombstone_hash


def read_tombstones(folder: Path) -> tuple[Sequence[str], AbstractSet[str]]:
    """The namespace's secrets and its seals: merged ones brought theirs along."""
    secrets: list[str] = []
    seals: set[str] = set()
    for line in readable_lines(folder / NOTES, ""):
        if line.op is EventType.INIT:
            secrets.append(str(line.fields["secret"]))
        elif line.op is EventType.FORGET:
            seals.add(str(line.fields.get("sealed", "")))
    return (secrets, seals) if seals else ((), frozenset())


def keys_by_tombstone(secrets: Sequence[str], said: Sequence[Exchange]) -> Mapping[str, str]:
    """seal → content key of what is said, by each secret that seals may be made with."""
    return {
        tombstone_hash(secret, it.user, it.assistant): it.key for secret in secrets for it in said
    }


def resolve_tombstones(
    known: Sequence[KnownExchange], shown: Sequence[Exchange], secrets: Callable[[], Sequence[str]]
) -> Sequence[KnownExchange]:
    """What is known, of the forgotten what is shown by its content; `secrets` only if need be."""
    if not any(entry.is_forgotten for entry in known):
        return known
    keys = keys_by_tombstone(secrets(), shown)
    return [
        replace(entry, key=keys.get(entry.key, entry.key)) if entry.is_forgotten else entry
        for entry in known
    ]
