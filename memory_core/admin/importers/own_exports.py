"""Reads what only our own exports have: ids of memories, and the derivations of notes.

A row is recognised by its id, although its text was edited since, or a table lacks the fraction of
its second. The ids that a derivation names are not valid in this storage, so they become content
keys.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...domain.derivations import Derivation, derivation_of
from ...domain.records import Exchange, Note, content_key
from ...storage.log.projection import MemoryRecord, MemoryStatus
from ...text.cleaning import clean_answer, clean_user_message
from .base import ImportChat
from .json_input import as_text

TableRow = Mapping[str, Any]

_ID = re.compile(r"[0-9a-f]{16}")


def own_id(text: str) -> str:
    """Returns the text if it may be an id of this program, else an empty text."""
    return text if _ID.fullmatch(text) else ""


def without_edited(chat: ImportChat, known: Mapping[str, MemoryRecord]) -> ImportChat:
    """Returns the chat without memories that have another text by now, or were forgotten.

    `known` holds the records of the chat's ids. Those that no chat shows any more may come back.
    """
    said = zip(chat.exchanges, _padded(chat.exchange_ids, chat.exchanges), strict=True)
    notes = zip(chat.notes, _padded(chat.note_ids, chat.notes), strict=True)
    return replace(
        chat,
        exchanges=[
            _at_known_time(one, known.get(name))
            for one, name in said
            if not _was_edited(one, known.get(name))
        ],
        notes=[note for note, name in notes if not _was_revised(note, known.get(name))],
        exchange_ids=(),
        note_ids=(),
    )


def _padded(ids: Sequence[str], rows: Sequence[object]) -> Sequence[str]:
    return ids or ("",) * len(rows)


def _at_known_time(exchange: Exchange, record: MemoryRecord | None) -> Exchange:
    said = record.chat if record else None
    if said is None or said.ts is None or exchange.ts is None or said.key != exchange.key:
        return exchange
    return replace(exchange, ts=said.ts) if abs(said.ts - exchange.ts) < 1.0 else exchange


def _was_edited(exchange: Exchange, record: MemoryRecord | None) -> bool:
    if record is None or record.chat is None:
        return False
    if record.status is MemoryStatus.FORGOTTEN:
        return bool(record.tombstone_hash)  # without one, its import was undone
    return record.status is MemoryStatus.LIVE and record.chat.key != exchange.key


def _was_revised(note: Note, record: MemoryRecord | None) -> bool:
    """Returns whether the note has another text by now, or is one for a chat that is here."""
    if record is None or record.status is not MemoryStatus.LIVE:
        return False
    return bool(note.conversation) or record.memory.text != note.text


def content_keys_by_id(rows: Iterable[TableRow]) -> dict[str, str]:
    """Returns id in the file → content key of the memory as it is imported."""
    return {as_text(row["id"]): _content_key(row) for row in rows if as_text(row.get("id"))}


def _content_key(row: TableRow) -> str:
    if text := as_text(row.get("text")) or as_text(row.get("note")):
        return content_key(clean_answer(text), "")
    user, assistant = as_text(row.get("user")), as_text(row.get("assistant"))
    return content_key(clean_user_message(user), clean_answer(assistant))


def with_derivation(note: Note, row: TableRow, keys: Mapping[str, str]) -> Note:
    """Returns the note with its derivation, which refers to other memories by content key.

    A derivation that cannot be read is left out, and the note counts as an ordinary one.
    """
    derived, sources = _derivation(_parsed(row.get("derived"))), _parsed(row.get("sources"))
    if derived is None:
        return note
    names = [as_text(name) for name in sources] if isinstance(sources, list) else []
    newer = keys.get(derived.superseded_by, derived.superseded_by)
    return replace(
        note,
        sources=tuple(keys.get(name, name) for name in names),
        derived=replace(derived, superseded_by=newer),
    )


def _parsed(value: object) -> object:
    """Returns the value of a cell of a table, which is JSON, or a value of JSON as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _derivation(value: object) -> Derivation | None:
    if not isinstance(value, dict):
        return None
    try:
        return derivation_of(value)
    except (ValueError, TypeError):
        return None
