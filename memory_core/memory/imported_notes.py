"""Adds imported notes as the guard admits them.

Notes name their sources and successors by content. These names follow when the guard redacts a
text, and become ids when the notes are stored.
"""

import secrets
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..domain.derivations import Derivation
from ..domain.namespaces import Namespace
from ..domain.private_parts import GuardAction, PrivatePart
from ..domain.records import Note, content_key
from ..storage.log.events import NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus
from ..text.private_parts import find_parts, redact_parts
from .chat_notes import is_taken_back, notes_not_yet_known
from .event_factory import note_event
from .guard import Guard
from .namespace_memory import NamespaceMemory

_ID_BYTES = 8


def add_admitted_notes(
    opened: NamespaceMemory,
    guard: Guard,
    namespace: Namespace,
    notes: Sequence[Note],
    *,
    known: Mapping[str, MemoryRecord],
) -> list[str]:
    """Adds the notes that are not stored, forgotten or refused by the guard; returns their ids.

    `known` are the memories that have these notes' ids already.
    """
    wanted = {note.id: note for note in notes if note.text.strip()}
    taken = {name for name, record in known.items() if not is_taken_back(record)}
    new = [note for note_id, note in wanted.items() if note_id not in taken]
    admitted = notes_not_yet_known(opened, _admitted(opened, guard, namespace, new))
    return [event.id for event in opened.write_all(_note_events(opened, admitted, known))]


def _admitted(
    opened: NamespaceMemory, guard: Guard, namespace: Namespace, notes: Sequence[Note]
) -> Sequence[Note]:
    """Returns the notes as they may be stored, without those to be skipped; reports them."""
    if not any(map(guard.is_forbidden, map(_words, notes))):
        return notes
    new = notes_not_yet_known(opened, notes)
    kept = [note for note in new if not find_parts(_words(note)) & guard.refused]
    redacted = [_redacted(note, guard.redacted) for note in kept]
    names = {
        content_key(old.text, ""): content_key(note.text, "")
        for old, note in zip(kept, redacted, strict=True)
    }
    admitted = notes_not_yet_known(opened, [with_names(note, names) for note in redacted])
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
    """Returns all words of a note that the guard checks."""
    if note.derived is None:
        return note.text
    return f"{note.text}\n{note.derived.value}\n{note.derived.search_words}"


def _redacted(note: Note, parts: Collection[PrivatePart]) -> Note:
    derived = note.derived
    if derived is not None:
        derived = replace(
            derived,
            value=redact_parts(derived.value, parts),
            search_words=redact_parts(derived.search_words, parts),
        )
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


def _note_events(
    opened: NamespaceMemory, notes: Sequence[Note], taken: Container[str]
) -> list[NewEvent]:
    """Returns the events of the notes; one whose id is taken gets another.

    Leaves out derived notes whose sources are not here. Those would stay behind when their sources
    are forgotten; they can be derived again.
    """
    names = {
        note.id: secrets.token_hex(_ID_BYTES) if note.id in taken else note.id for note in notes
    }
    if any(note.sources or note.derived for note in notes):
        ids = _ids_by_key(opened, notes)
        ids |= {content_key(note.text, ""): names[note.id] for note in notes}
        notes = list(_resolved(notes, ids))
    return [replace(note_event(note), id=names[note.id]) for note in notes]


def _ids_by_key(opened: NamespaceMemory, notes: Iterable[Note]) -> dict[str, str]:
    """Returns content key → id of the live memories to which these notes refer."""
    asked = {key for note in notes for key in (*note.sources, _successor(note)) if key}
    records = opened.query(lambda store: store.catalog.get(store.catalog.ids_by_content(asked)))
    return {
        record.memory.key: record.memory.id
        for record in records.values()
        if record.status is MemoryStatus.LIVE
    }


def _resolved(notes: Sequence[Note], ids: Mapping[str, str]) -> Iterator[Note]:
    """Yields the notes whose sources are known, with ids in place of content keys."""
    known = dict(ids)
    left = list(notes)
    while missing := [note for note in left if not known.keys() >= set(note.sources)]:
        left = [note for note in left if note not in missing]
        for note in missing:
            known.pop(content_key(note.text, ""), None)
    for note in left:
        sources = tuple(known[key] for key in note.sources)
        yield replace(note, sources=sources, derived=_with_ids(note.derived, known))


def _with_ids(derived: Derivation | None, ids: Mapping[str, str]) -> Derivation | None:
    if derived is None:
        return None
    newer = ids.get(derived.superseded_by, "")
    ended = derived.valid_to if newer or not derived.superseded_by else None
    return replace(
        derived, superseded_by=newer, valid_to=ended, reflected_into=(), in_doubt_with=()
    )


def _successor(note: Note) -> str:
    return note.derived.superseded_by if note.derived else ""
