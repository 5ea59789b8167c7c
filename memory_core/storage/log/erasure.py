"""Erases the words of forgotten memories from the logs; what names and orders them stays."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...infra import durable_files
from ...infra.unicode import well_formed
from .event_log import CONVERSATIONS, EventLog
from .events import Event, EventType, pack
from .log_file import LogSlice

_WORDS = (
    "user",
    "assistant",
    "user_name",
    "assistant_name",
    "text",
    "turns",
    "metadata",
    "sources",
)
_ERASED_FIELDS = (*_WORDS, "channel")  # a foreign file may tell anything by that
DAMAGED = ".damaged"  # behind the name of a file
_TEXT_OPS = (EventType.ADD, EventType.EDIT, EventType.NOTE, EventType.REVISE)
_MIN_IDENTIFYING_BYTES = 16  # bytes: what is shorter may be anybody's


def purge_content(found: LogSlice, doomed: Collection[str]) -> bytes:
    """The log's new content: the same lines, those of the doomed memories without their words.

    A damaged line is kept for whoever can read it, unless it names a doomed memory or holds its
    words.
    """
    signs = _identifying_bytes(found, doomed)
    damaged = [data for data in found.damaged if not _mentions(data, signs)]
    kept = [_without_words(line) if _is_doomed(line, doomed) else line for line in found.events]
    return b"".join([*damaged, *map(pack, kept)])


def _identifying_bytes(found: LogSlice, doomed: Collection[str]) -> frozenset[bytes]:
    """By what bytes that are no line any more are known to be of one of the doomed: their names,
    and what they said here.
    """
    said = (text for line in found.events if _is_doomed(line, doomed) for text in _texts(line))
    written = (json.dumps(text, ensure_ascii=False)[1:-1] for text in said)
    words = {
        it for text in written if len(it := well_formed(text).encode()) >= _MIN_IDENTIFYING_BYTES
    }
    return frozenset(words | {memory_id.encode() for memory_id in doomed})


def _mentions(data: bytes, signs: Collection[bytes]) -> bool:
    return any(sign in data for sign in signs)


def _texts(line: Event) -> Iterator[str]:
    for fields in (line.fields, *line.fields.get("turns", ())):
        yield from (str(fields.get(key) or "") for key in ("user", "assistant", "text"))


def purge_damaged_lines(transcript: EventLog, logs: Iterable[str], doomed: Collection[str]) -> None:
    """Takes damaged lines of theirs out of what was put aside of any log, as long as those that
    have their words still tell what they said. Raises StorageFailed.
    """
    names = (f"{at}*.jsonl{DAMAGED}" for at in ("", f"{CONVERSATIONS}/"))
    with durable_files.naming_errors(transcript.folder):
        asides = [path for name in names for path in transcript.folder.glob(name) if path.is_file()]
    if asides and doomed:
        read = (transcript.read(log) for log in logs)
        signs = frozenset[bytes]().union(*(_identifying_bytes(it, doomed) for it in read))
        for aside in asides:
            _purge_damaged_file(aside, signs)


def damaged_lines_path(log: Path) -> Path:
    """Where what is taken out of this log is kept, for whoever can read it."""
    return log.with_name(log.name + DAMAGED)


def _purge_damaged_file(aside: Path, signs: Collection[bytes]) -> None:
    with durable_files.naming_errors(aside):
        lines = aside.read_bytes().split(b"\n")
    kept = [line for line in lines if not _mentions(line, signs)]
    if kept != lines:
        durable_files.replace(aside, b"\n".join(kept))


def has_text(line: Event) -> bool:
    """Whether any words of its memory stand in this line."""
    return line.op in _TEXT_OPS and any(line.fields.get(key) for key in _WORDS)


def _is_doomed(line: Event, doomed: Collection[str]) -> bool:
    return line.id in doomed and line.op in _TEXT_OPS


def _without_words(line: Event) -> Event:
    kept: Mapping[str, Any] = {k: v for k, v in line.fields.items() if k not in _ERASED_FIELDS}
    return replace(line, fields={**kept, "user": "", "assistant": "", "text": "", "purged": True})
