"""mem0's memories as get_all or its export gives them: single facts, so they become notes."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC
from pathlib import Path
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind, Note
from ...text.cleaning import clean
from .base import Chat, Owner
from .json_input import list_of, object_of, text_of, whole
from .text_input import beginning
from .timestamps import seconds
from .two_pass import checked

_LOOKS = re.compile(r'"memory"\s*:\s*"')
_LISTS = ("results", "memories")


class Mem0:
    name = "mem0"

    def recognises(self, path: Path) -> bool:
        start = beginning(path)
        return start.lstrip()[:1] in ("{", "[") and bool(_LOOKS.search(start))

    def read(self, path: Path, owner: Owner) -> Iterator[Chat]:
        return checked(lambda: self._chats(path, owner))

    def _chats(self, path: Path, owner: Owner) -> Iterator[Chat]:
        for namespace, notes in _notes(path, owner).items():
            unique = tuple(notes.values())
            yield Chat(
                namespace=namespace, conversation="", exchanges=(), source=path, notes=unique
            )


def _notes(path: Path, owner: Owner) -> dict[Namespace, dict[str, Note]]:
    """By whose they are; the same fact is kept once."""
    found: dict[Namespace, dict[str, Note]] = {}
    for row in _rows(whole(path)):
        if text := clean(text_of(row.get("memory"))):
            user = text_of(row.get("user_id")) or owner.user
            character = text_of(row.get("agent_id")) or owner.character
            note = Note(text=text, kind=MemoryKind.OBSERVATION, ts=_learned_at(row))
            found.setdefault(Namespace(user, character), {}).setdefault(text, note)
    return found


def _rows(value: object) -> Iterator[Mapping[str, Any]]:
    """The memories: a list, a page of one, or a list of pages."""
    for item in list_of(value) or [value]:
        row = object_of(item)
        lists = [list_of(row[key]) for key in _LISTS if key in row]
        yield from (object_of(it) for rows in lists for it in rows)
        if not lists:
            yield row


def _learned_at(row: Mapping[str, Any]) -> float | None:
    dates = (seconds(row.get(key), zone=UTC) for key in ("updated_at", "created_at"))
    return next((date for date in dates if date is not None), None)
