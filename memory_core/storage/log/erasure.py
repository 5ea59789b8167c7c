"""Erases the text of forgotten memories from the logs; their ids and their order stay.

Tombstones are keyed hashes that identify a forgotten exchange when a chat shows it again.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from ...domain.derivations import DERIVATION_FIELDS, VALIDITY_FIELDS
from ...domain.records import Exchange
from ...domain.unicode import well_formed
from ...infra import durable_files
from .contract import Log
from .diff import KnownExchange
from .event_log import CONVERSATIONS, NOTES
from .events import Event, EventType, is_of_type, pack
from .log_file import LogSlice, complete_lines, readable_lines
from .projection import WORDINGS, tombstone_hashes

_TEXT_FIELDS = (
    "user",
    "assistant",
    "user_name",
    "assistant_name",
    "text",
    "turns",
    "metadata",
    "sources",
)
# An imported file's channel may hold anything.
_ERASED_FIELDS = (*_TEXT_FIELDS, "channel", *sorted(DERIVATION_FIELDS - VALIDITY_FIELDS))
DAMAGED = ".damaged"  # suffix of a log's name
_TEXT_OPS = (EventType.ADD, EventType.EDIT, EventType.NOTE, EventType.REVISE)
_MIN_IDENTIFYING_BYTES = 16  # a shorter text may belong to any memory


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
    messages = [Exchange(user=one.user, assistant="") for one in shown if one.user]
    user_keys = keys_by_tombstone(secrets, messages) if has_changed else {}
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


def purge_content(found: LogSlice, doomed: Collection[str]) -> bytes:
    """Returns the log's new content: all lines, those of the doomed memories without their text.

    A damaged line is kept for a later repair, unless it contains a doomed memory's id or text.
    """
    signs = _identifying_bytes(found, doomed)
    damaged = [data for data in found.damaged if not _mentions(data, signs)]
    kept = [_without_text(line) if _is_doomed(line, doomed) else line for line in found.events]
    return b"".join([*damaged, *map(pack, kept)])


def _identifying_bytes(found: LogSlice, doomed: Collection[str]) -> frozenset[bytes]:
    """Returns the ids and texts that mark a damaged line as part of a doomed memory."""
    texts = (text for line in found.events if _is_doomed(line, doomed) for text in _texts(line))
    escaped = (well_formed(json.dumps(text, ensure_ascii=False)[1:-1]).encode() for text in texts)
    long_texts = {data for data in escaped if len(data) >= _MIN_IDENTIFYING_BYTES}
    return frozenset(long_texts | {memory_id.encode() for memory_id in doomed})


def _mentions(data: bytes, signs: Collection[bytes]) -> bool:
    return any(sign in data for sign in signs)


def _texts(line: Event) -> Iterator[str]:
    for fields in (line.fields, *line.fields.get("turns", ())):
        yield from (str(fields.get(key) or "") for key in ("user", "assistant", "text"))


def doomed_texts(event_log: Log, logs: Iterable[str], doomed: Collection[str]) -> frozenset[str]:
    """Returns all texts that these memories ever had, earlier ones too. Raises StorageFailed."""
    events = (line for log in logs for line in event_log.read(log).events)
    texts = (text for line in events if _is_doomed(line, doomed) for text in _texts(line))
    return frozenset(text.strip() for text in texts if text.strip())


def remaining_texts(
    event_log: Log, logs: Iterable[str], doomed: Collection[str]
) -> Mapping[str, AbstractSet[str]]:
    """Returns log → all texts in it, earlier ones too, without those of the doomed.

    Raises StorageFailed.
    """
    return {
        log: {
            text.strip()
            for line in event_log.read(log).events
            if line.op in _TEXT_OPS and line.id not in doomed
            for text in _texts(line)
        }
        for log in logs
    }


def purge_damaged_lines(event_log: Log, logs: Iterable[str], doomed: Collection[str]) -> None:
    """Removes damaged lines of the doomed memories from the files that keep them.

    Call it while `logs` still hold the doomed memories' text. Raises StorageFailed.
    """
    patterns = (f"{folder}*.jsonl{DAMAGED}" for folder in ("", f"{CONVERSATIONS}/"))
    with durable_files.naming_errors(event_log.folder):
        found = (path for pattern in patterns for path in event_log.folder.glob(pattern))
        damaged_files = [path for path in found if path.is_file()]
    if damaged_files and doomed:
        slices = (event_log.read(log) for log in logs)
        signs = frozenset[bytes]().union(*(_identifying_bytes(part, doomed) for part in slices))
        for path in damaged_files:
            _purge_damaged_file(path, signs)


def damaged_lines_path(log: Path) -> Path:
    """Returns the path of the file that keeps the damaged lines taken out of this log."""
    return log.with_name(log.name + DAMAGED)


def _purge_damaged_file(path: Path, signs: Collection[bytes]) -> None:
    with durable_files.naming_errors(path):
        lines = path.read_bytes().split(b"\n")
    kept = [line for line in lines if not _mentions(line, signs)]
    if kept != lines:
        durable_files.replace(path, b"\n".join(kept))


def has_text(line: Event) -> bool:
    """Returns whether the event holds any text of its memory."""
    return line.op in _TEXT_OPS and any(line.fields.get(key) for key in _TEXT_FIELDS)


def _is_doomed(line: Event, doomed: Collection[str]) -> bool:
    return line.id in doomed and line.op in _TEXT_OPS


def _without_text(line: Event) -> Event:
    kept: Mapping[str, Any] = {k: v for k, v in line.fields.items() if k not in _ERASED_FIELDS}
    return replace(line, fields={**kept, "user": "", "assistant": "", "text": "", "purged": True})
