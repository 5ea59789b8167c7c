"""Reads the derivations in our own JSONL exports, whose ids are not valid in this storage."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...domain.derivations import Derivation, derivation_of
from ...domain.records import Note, content_key
from ...text.cleaning import clean_answer, clean_user_message
from .json_input import as_text

TableRow = Mapping[str, Any]


def content_keys_by_id(rows: Iterable[TableRow]) -> dict[str, str]:
    """Returns id in the file → content key of the memory as it is imported."""
    return {as_text(row["id"]): _content_key(row) for row in rows if as_text(row.get("id"))}


def _content_key(row: TableRow) -> str:
    if text := as_text(row.get("text")):
        return content_key(clean_answer(text), "")
    user, assistant = as_text(row.get("user")), as_text(row.get("assistant"))
    return content_key(clean_user_message(user), clean_answer(assistant))


def with_derivation(note: Note, row: TableRow, keys: Mapping[str, str]) -> Note:
    """Returns the note with its derivation, which refers to other memories by content key.

    A derivation that cannot be read is left out, and the note counts as an ordinary one.
    """
    derived, sources = _derivation(row.get("derived")), row.get("sources")
    if derived is None:
        return note
    names = [as_text(name) for name in sources] if isinstance(sources, list) else []
    newer = keys.get(derived.superseded_by, derived.superseded_by)
    return replace(
        note,
        sources=tuple(keys.get(name, name) for name in names),
        derived=replace(derived, superseded_by=newer),
    )


def _derivation(value: object) -> Derivation | None:
    if not isinstance(value, dict):
        return None
    try:
        return derivation_of(value)
    except (ValueError, TypeError):
        return None
