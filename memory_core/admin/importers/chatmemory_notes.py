"""Reads ChatMemory's summaries, knowledge and diaries, as GET /summary, /knowledge and /diary
answer: {"summaries": [...]}, {"knowledge": [...]}, {"diaries": [...]}.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date
from pathlib import Path
from typing import Any

from ...domain.derivations import Derivation
from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind, Note
from ...memory.diary import page_of_day
from .base import DerivedNote, ImportChat, MemoryOwner
from .json_input import as_list, as_object, as_text, read_json
from .timestamps import parse_timestamp

_PAGES = ("summaries", "knowledge", "diaries")
# A key of the page, then one of its rows: other programs have one of the two at most.
_NOTES = re.compile(
    r'"summaries"\s*:\s*\[.*?"summary"\s*:|"knowledge"\s*:\s*\[.*?"knowledge"\s*:'
    r'|"diaries"\s*:\s*\[.*?"diary_date"\s*:',
    re.DOTALL,
)


@dataclass(slots=True)
class _Found:
    """What one user has: notes, and what was derived of sessions or is a diary."""

    notes: list[Note] = field(default_factory=list)
    derived: list[DerivedNote] = field(default_factory=list)


def has_notes(beginning: str) -> bool:
    """Returns whether a file that begins like this holds summaries, knowledge or diaries."""
    return _NOTES.search(beginning) is not None


def is_page_of_notes(page: Mapping[str, Any]) -> bool:
    return any(isinstance(page.get(name), list) for name in _PAGES)


def note_chats(path: Path, owner: MemoryOwner, *, program: str) -> Iterator[ImportChat]:
    """Yields the notes of each user. `program` also begins the names of its conversations."""
    value = read_json(path)
    found: dict[str, _Found] = {}
    for page in as_list(value) or [value]:
        around = as_object(page)
        for name in _PAGES:
            for entry in as_list(around.get(name)):
                row = {**around, **as_object(entry)}
                user = as_text(row.get("user_id")) or owner.user
                _add(found.setdefault(user, _Found()), name, row, program)
    for user, notes in found.items():
        if notes.notes or notes.derived:
            yield ImportChat(
                namespace=Namespace(user, owner.character),
                conversation="",
                exchanges=(),
                source=path,
                notes=tuple(notes.notes),
                derived=tuple(notes.derived),
            )


def _add(found: _Found, page: str, row: Mapping[str, Any], program: str) -> None:
    said_at = parse_timestamp(row.get("created_at"), zone=UTC)
    if page == "knowledge":
        if text := as_text(row.get("knowledge")).strip():
            found.notes.append(Note(text=text, kind=MemoryKind.KNOWLEDGE, ts=said_at))
    elif page == "summaries":
        if text := as_text(row.get("summary")).strip():
            found.derived.append(
                DerivedNote(
                    note=Note(text=text, kind=MemoryKind.SUMMARY, ts=said_at),
                    derivation=Derivation(made_by=program),
                    source_conversation=f"{program}-{as_text(row.get('session_id')) or 'session'}",
                )
            )
    elif (day := _day(row)) and (text := as_text(row.get("content")).strip()):
        found.derived.append(
            DerivedNote(
                note=Note(text=text, kind=MemoryKind.DIARY, ts=said_at),
                derivation=page_of_day(day, made_by=program),
            )
        )


def _day(row: Mapping[str, Any]) -> date | None:
    try:
        return date.fromisoformat(as_text(row.get("diary_date")))
    except ValueError:
        return None
