"""Reads ChatMemory's summaries, knowledge and diaries, as GET /summary, /knowledge and /diary
answer: {"summaries": [...]}, {"knowledge": [...]}, {"diaries": [...]}.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date
from pathlib import Path
from typing import Any

from ...domain.derivations import Derivation
from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind, Note
from ...memory.diary import page_of_day
from ...recall.session_groups import SESSION_KEY
from .base import ImportChat, MemoryOwner
from .json_input import as_list, as_object, as_text, read_json
from .timestamps import parse_timestamp

Row = Mapping[str, Any]
Sessions = Mapping[str, Sequence[str]]

_PAGES = ("summaries", "knowledge", "diaries")
# A key of the page, then one of its rows: files of other programs have at most one of the two.
_NOTES = re.compile(
    r'"summaries"\s*:\s*\[.*?"summary"\s*:|"knowledge"\s*:\s*\[.*?"knowledge"\s*:'
    r'|"diaries"\s*:\s*\[.*?"diary_date"\s*:',
    re.DOTALL,
)


def has_notes(beginning: str) -> bool:
    """Returns whether a file that begins like this holds summaries, knowledge or diaries."""
    return _NOTES.search(beginning) is not None


def is_page_of_notes(page: Mapping[str, Any]) -> bool:
    return any(isinstance(page.get(name), list) for name in _PAGES)


def note_chats(
    path: Path, owner: MemoryOwner, *, program: str, sessions: Mapping[str, Sequence[str]]
) -> Iterator[ImportChat]:
    """Yields the notes of each user.

    `sessions` is session id → content keys of its exchanges, as far as the file holds them.
    """
    value = read_json(path)
    found: dict[str, list[Note]] = {}
    for page in as_list(value) or [value]:
        around = as_object(page)
        for name in _PAGES:
            for entry in as_list(around.get(name)):
                row = {**around, **as_object(entry)}
                if note := _NOTES_OF[name](row, program, sessions):
                    user = as_text(row.get("user_id")) or owner.user
                    found.setdefault(user, []).append(note)
    for user, notes in found.items():
        yield ImportChat(
            namespace=Namespace(user, owner.character),
            conversation="",
            exchanges=(),
            source=path,
            notes=tuple(notes),
        )


def _knowledge(row: Row, program: str, sessions: Sessions) -> Note | None:
    text = as_text(row.get("knowledge")).strip()
    return Note(text=text, kind=MemoryKind.KNOWLEDGE, ts=_created(row)) if text else None


def _summary(row: Row, program: str, sessions: Sessions) -> Note | None:
    text = as_text(row.get("summary")).strip()
    if not text:
        return None
    sources = tuple(sessions.get(as_text(row.get("session_id")), ()))
    return Note(
        text=text,
        kind=MemoryKind.SUMMARY,
        ts=_created(row),
        sources=sources,
        derived=Derivation(made_by=program, key=SESSION_KEY if sources else ""),
    )


def _page(row: Row, program: str, sessions: Sessions) -> Note | None:
    day, text = _day(row), as_text(row.get("content")).strip()
    if day is None or not text:
        return None
    derived = page_of_day(day, made_by=program)
    return Note(text=text, kind=MemoryKind.DIARY, ts=_created(row), derived=derived)


_NOTES_OF = {"knowledge": _knowledge, "summaries": _summary, "diaries": _page}


def _created(row: Row) -> float | None:
    return parse_timestamp(row.get("created_at"), zone=UTC)


def _day(row: Row) -> date | None:
    try:
        return date.fromisoformat(as_text(row.get("diary_date")))
    except ValueError:
        return None
