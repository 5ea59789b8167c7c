"""Tombstones: keyed hashes that identify a forgotten exchange when a chat shows it again."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ...domain.records import Exchange, side_key
from ...infra import durable_files
from .diff import KnownExchange
from .event_log import NOTES
from .events import Event, EventType, is_of_type
from .log_file import complete_lines, readable_lines
from .projection import WORDINGS, tombstone_hashes


def read_tombstones(folder: Path) -> tuple[Sequence[str], AbstractSet[str]]:
    """Returns tombstones_in() of the namespace in this folder."""
    return tombstones_in(readable_lines(folder / NOTES, ""))


def has_tombstones(folder: Path) -> bool:
    """Returns whether anything was ever forgotten in the namespace in this folder."""
    path = folder / NOTES
    lines = complete_lines(path) if durable_files.exists(path) else ()
    return any(is_of_type(EventType.FORGET, line) for line in lines)


def tombstones_in(notes: Iterable[Event]) -> tuple[Sequence[str], AbstractSet[str]]:
    """Returns the secrets and the tombstone hashes of a namespace, merged ones' included.

    Earlier wordings of forgotten memories count, too.
    """
    secrets: list[str] = []
    hashes: set[str] = set()
    for line in notes:
        if line.op is EventType.INIT:
            secrets.append(str(line.fields["secret"]))
        elif line.op is EventType.FORGET:
            hashes.add(str(line.fields.get("sealed", "")))
            hashes.update(map(str, line.fields.get(WORDINGS, ())))
    return (secrets, hashes) if hashes else ((), frozenset())


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenWordings:
    """Recognises what a forgotten exchange had become by an edit. No chat shows such texts, so
    they are not recognised by their place in one.
    """

    secrets: Sequence[str]
    hashes: AbstractSet[str]

    @classmethod
    def of(cls, notes: Iterable[Event]) -> "ForgottenWordings":
        events = list(notes)
        found = (line.fields.get(WORDINGS, ()) for line in events if line.op is EventType.FORGET)
        hashes = frozenset(map(str, chain.from_iterable(found)))
        return cls(secrets=tombstones_in(events)[0] if hashes else (), hashes=hashes)

    def without(self, said: Sequence[Exchange]) -> list[Exchange]:
        """Returns the exchanges without these."""
        keys = keys_by_tombstone(self.secrets, said).items()
        forgotten = {key for name, key in keys if name in self.hashes}
        return [exchange for exchange in said if exchange.key not in forgotten]


def keys_by_tombstone(secrets: Sequence[str], said: Sequence[Exchange]) -> Mapping[str, str]:
    """Returns tombstone hash → content key of these exchanges, under each of the secrets."""
    return {
        name: exchange.key
        for secret in secrets
        for exchange in said
        for name in tombstone_hashes(secret, exchange.user, exchange.assistant)
    }


def resolve_tombstones(
    known: Sequence[KnownExchange], shown: Sequence[Exchange], secrets: Sequence[str]
) -> Sequence[KnownExchange]:
    """Returns `known`, with the content keys of each forgotten exchange that `shown` holds."""
    keys = keys_by_tombstone(secrets, shown)
    forgotten = Counter(keys.get(entry.key, "") for entry in known if entry.is_forgotten)
    has_changed = bool(forgotten - Counter(exchange.key for exchange in shown))
    user_keys = _user_keys_by_tombstone(secrets, shown) if has_changed else {}
    return [
        replace(
            entry,
            key=keys.get(entry.key, entry.key),
            user_key=user_keys.get(entry.user_key, entry.user_key),
        )
        if entry.is_forgotten
        else entry
        for entry in known
    ]


def forgotten_messages(
    notes: Iterable[Event], said: Mapping[int, Exchange]
) -> Mapping[int, Sequence[str]]:
    """Returns index → ids of the exchanges that were forgotten with the message of this one."""
    events = [line for line in notes if line.op in (EventType.INIT, EventType.FORGET)]
    ids: dict[str, list[str]] = {}
    for line in events:
        if sealed := line.fields.get("sealed_message"):
            ids.setdefault(str(sealed), []).append(line.id)
    secrets = tombstones_in(events)[0] if ids else ()
    found = {
        index: [
            name
            for secret in secrets
            for sealed in tombstone_hashes(secret, one.user, "")
            for name in ids.get(sealed, ())
        ]
        for index, one in said.items()
        if one.user and one.ts is not None
    }
    return {index: names for index, names in found.items() if names}


def _user_keys_by_tombstone(secrets: Sequence[str], said: Sequence[Exchange]) -> Mapping[str, str]:
    """Returns tombstone hash → content key of these exchanges' messages alone."""
    return {
        name: side_key(exchange.user)
        for secret in secrets
        for exchange in said
        if exchange.user
        for name in tombstone_hashes(secret, exchange.user, "")
    }
