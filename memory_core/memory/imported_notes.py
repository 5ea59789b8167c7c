"""Adds imported notes: sources that are named by content become ids."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..domain.derivations import Derivation
from ..domain.records import Note, content_key
from ..storage.log.projection import MemoryStatus
from .chat_notes import notes_not_yet_known
from .event_factory import note_events
from .namespace_memory import NamespaceMemory


def add_new_notes(
    archive: NamespaceMemory, notes: Sequence[Note], taken: Container[str]
) -> list[str]:
    """Adds the notes that are neither stored nor forgotten; returns their ids.

    Ids in `taken` are given to other notes already.
    """
    new = _with_ids_of_sources(archive, notes_not_yet_known(archive, notes))
    return [event.id for event in archive.write_all(note_events(new, taken))]


def _with_ids_of_sources(archive: NamespaceMemory, notes: Sequence[Note]) -> list[Note]:
    """Returns the notes with ids as sources, without derived ones whose sources are not here.

    Those would stay behind when their sources are forgotten; they can be made anew.
    """
    if not any(note.sources or note.derived for note in notes):
        return list(notes)
    ids = _ids_by_key(archive, notes)
    return list(_resolved(notes, ids))


def _ids_by_key(archive: NamespaceMemory, notes: Iterable[Note]) -> dict[str, str]:
    """Returns content key → id of the live memories and new notes to which these refer."""
    asked = {key for note in notes for key in (*note.sources, _successor(note)) if key}
    records = archive.query(lambda store: store.get(store.ids_by_content(asked)))
    live = {
        record.memory.key: record.memory.id
        for record in records.values()
        if record.status is MemoryStatus.LIVE
    }
    return live | {content_key(note.text, ""): note.id for note in notes}


def _resolved(notes: Sequence[Note], ids: Mapping[str, str]) -> Iterator[Note]:
    """Yields the notes whose sources are known, with ids in place of content keys."""
    missing = {note.id for note in notes if not ids.keys() >= set(note.sources)}
    while more := {note.id for note in notes if _names_one_of(note, ids, missing)} - missing:
        missing |= more
    for note in notes:
        if note.id not in missing:
            sources = tuple(ids[key] for key in note.sources)
            yield replace(note, sources=sources, derived=_with_ids(note.derived, ids))


def _names_one_of(note: Note, ids: Mapping[str, str], missing: set[str]) -> bool:
    return any(ids.get(key) in missing for key in note.sources)


def _with_ids(derived: Derivation | None, ids: Mapping[str, str]) -> Derivation | None:
    if derived is None:
        return None
    newer = ids.get(derived.superseded_by, "")
    ended = derived.valid_to if newer or not derived.superseded_by else None
    return replace(derived, superseded_by=newer, valid_to=ended, reflected_into=())


def _successor(note: Note) -> str:
    return note.derived.superseded_by if note.derived else ""
