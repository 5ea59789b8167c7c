"""Recognises rows of our own exports by their ids, although their text was edited since."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...domain.records import Exchange, Note
from ...storage.log.projection import MemoryRecord, MemoryStatus
from .base import ImportChat

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
        exchanges=[one for one, name in said if not _was_edited(one, known.get(name))],
        notes=[note for note, name in notes if not _was_revised(note, known.get(name))],
        exchange_ids=(),
        note_ids=(),
    )


def _padded(ids: Sequence[str], rows: Sequence[object]) -> Sequence[str]:
    return ids or ("",) * len(rows)


def _was_edited(exchange: Exchange, record: MemoryRecord | None) -> bool:
    if record is None or record.chat is None:
        return False
    if record.status is MemoryStatus.FORGOTTEN:
        return bool(record.tombstone_hash)  # without one, its import was undone
    return record.status is MemoryStatus.LIVE and record.chat.key != exchange.key


def _was_revised(note: Note, record: MemoryRecord | None) -> bool:
    if record is None:
        return False
    return record.status is MemoryStatus.LIVE and record.memory.text != note.text
