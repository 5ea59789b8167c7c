"""Imported notes as the guard admits them; notes name each other by their texts, also redacted."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction, PrivatePart
from ..domain.records import Note, content_key
from ..storage.log.projection import MemoryRecord
from ..text.private_parts import find_parts, redact_parts
from .chat_notes import is_taken_back, notes_not_yet_known
from .guard import Guard
from .imported_notes import add_new_notes
from .namespace_memory import NamespaceMemory


def add_admitted_notes(
    archive: NamespaceMemory,
    guard: Guard,
    namespace: Namespace,
    notes: Sequence[Note],
    *,
    known: Mapping[str, MemoryRecord],
) -> list[str]:
    """Adds the notes that are neither stored nor forgotten nor to be skipped; returns their ids.

    `known` are the memories that have these notes' ids already.
    """
    wanted = {note.id: note for note in notes if note.text.strip()}
    taken = {name for name, record in known.items() if not is_taken_back(record)}
    new = [note for note_id, note in wanted.items() if note_id not in taken]
    return add_new_notes(archive, _admitted(archive, guard, namespace, new), known)


def _admitted(
    archive: NamespaceMemory, guard: Guard, namespace: Namespace, notes: Sequence[Note]
) -> Sequence[Note]:
    """Returns the notes as they may be stored, without those to be skipped; reports them."""
    if not any(map(guard.is_forbidden, map(_words, notes))):
        return notes
    new = notes_not_yet_known(archive, notes)
    kept = [note for note in new if not find_parts(_words(note)) & guard.refused]
    redacted = [_redacted(note, guard.redacted) for note in kept]
    names = {
        content_key(old.text, ""): content_key(note.text, "")
        for old, note in zip(kept, redacted, strict=True)
    }
    admitted = notes_not_yet_known(archive, [with_names(note, names) for note in redacted])
    found = [find_parts(_words(note)) & guard.refused for note in new]
    guard.report_all(namespace, GuardAction.SKIP, found)
    stored = {note.text for note in admitted}
    found = [
        find_parts(_words(old)) & guard.redacted
        for old, note in zip(kept, redacted, strict=True)
        if note.text in stored
    ]
    guard.report_all(namespace, GuardAction.REDACT, found)
    return admitted


def _words(note: Note) -> str:
    """Returns all words of a note that the guard looks at."""
    return f"{note.text}\n{note.derived.value}" if note.derived else note.text


def _redacted(note: Note, parts: Collection[PrivatePart]) -> Note:
    derived = note.derived
    if derived is not None:
        derived = replace(derived, value=redact_parts(derived.value, parts))
    return replace(note, text=redact_parts(note.text, parts), derived=derived)


def with_names(note: Note, names: Mapping[str, str]) -> Note:
    """Returns the note with other content keys for its sources and its successor."""
    derived = note.derived
    if derived is not None:
        newer = derived.superseded_by
        derived = replace(derived, superseded_by=names.get(newer, newer))
    return replace(
        note, derived=derived, sources=tuple(names.get(key, key) for key in note.sources)
    )
