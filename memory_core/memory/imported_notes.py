"""Adds imported notes: sources that are named by content become ids."""

import secrets
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..domain.derivations import Derivation
from ..domain.records import Note, content_key
from ..storage.log.events import NewEvent
from ..storage.log.projection import MemoryStatus
from .chat_notes import notes_not_yet_known
from .event_factory import note_event
from .namespace_memory import NamespaceMemory

_ID_BYTES = 8


def add_new_notes(
    archive: NamespaceMemory, notes: Sequence[Note], taken: Container[str]
) -> list[str]:
    """Adds the notes that are neither stored nor forgotten; returns their ids.

    Ids in `taken` are given to other notes already.
    """
    new = _note_events(archive, notes_not_yet_known(archive, notes), taken)
    return [event.id for event in archive.write_all(new)]


def _note_events(
    archive: NamespaceMemory, notes: Sequence[Note], taken: Container[str]
) -> list[NewEvent]:
    """Returns the events of the notes; one whose id is taken gets another.

    Leaves out derived notes whose sources are not here. Those would stay behind when their sources
    are forgotten; they can be made anew.
    """
    names = {
        note.id: secrets.token_hex(_ID_BYTES) if note.id in taken else note.id for note in notes
    }
    if any(note.sources or note.derived for note in notes):
        ids = _ids_by_key(archive, notes)
        ids |= {content_key(note.text, ""): names[note.id] for note in notes}
        notes = list(_resolved(notes, ids))
    return [replace(note_event(note), id=names[note.id]) for note in notes]


def _ids_by_key(archive: NamespaceMemory, notes: Iterable[Note]) -> dict[str, str]:
    """Returns content key → id of the live memories to which these notes refer."""
    asked = {key for note in notes for key in (*note.sources, _successor(note)) if key}
    records = archive.query(lambda store: store.catalog.get(store.catalog.ids_by_content(asked)))
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
