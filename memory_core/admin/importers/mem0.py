"""Reads mem0's memories, from get_all or its export, as notes: they are single facts."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind, Note
from ...text.cleaning import clean_answer
from .base import ImportChat, MemoryOwner, Reader
from .json_input import as_list, as_object, as_text, read_json
from .text_input import read_beginning
from .timestamps import parse_timestamp

_MEMORY_KEY = re.compile(r'"memory"\s*:\s*"')
_LIST_KEYS = ("results", "memories")


class Mem0Reader(Reader):
    name = "mem0"

    def recognises(self, path: Path) -> bool:
        start = read_beginning(path)
        return start.lstrip()[:1] in ("{", "[") and bool(_MEMORY_KEY.search(start))

    def read(self, path: Path, owner: MemoryOwner) -> Iterator[ImportChat]:
        for namespace, notes in _notes(path, owner).items():
            unique = tuple(notes.values())
            yield ImportChat(
                namespace=namespace, conversation="", exchanges=(), source=path, notes=unique
            )


def _notes(path: Path, owner: MemoryOwner) -> dict[Namespace, dict[str, Note]]:
    """Returns the notes by namespace and text, so that each fact comes once."""
    found: dict[Namespace, dict[str, Note]] = {}
    for row in _rows(read_json(path)):
        if text := clean_answer(as_text(row.get("memory"))):
            user = as_text(row.get("user_id")) or owner.user
            character = as_text(row.get("agent_id")) or owner.character
            note = Note(text=text, kind=MemoryKind.OBSERVATION, ts=_created_at(row))
            found.setdefault(Namespace(user, character), {}).setdefault(text, note)
    return found


def _rows(value: object) -> Iterator[Mapping[str, Any]]:
    """Yields the memories of a list, of a page, or of a list of pages."""
    for item in as_list(value) or [value]:
        row = as_object(item)
        lists = [as_list(row[key]) for key in _LIST_KEYS if key in row]
        yield from (as_object(item) for rows in lists for item in rows)
        if not lists:
            yield row


def _created_at(row: Mapping[str, Any]) -> float | None:
    dates = (parse_timestamp(row.get(key), zone=UTC) for key in ("updated_at", "created_at"))
    return next((date for date in dates if date is not None), None)
