"""Adds what another program made of its chats: summaries and diary pages, with their sources."""

from collections.abc import Mapping

from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind
from ...memory.chat_notes import notes_not_yet_known
from ...memory.derived_memories import DerivedMemories, NewDerived
from ...memory.long_term_memory import LongTermMemory
from ...storage.contract import DerivedFilter
from ...storage.log.projection import MemoryStatus
from .base import DerivedNote, ImportChat

_MAX_SOURCES = 2_000


def add_derived_notes(memory: LongTermMemory, chat: ImportChat) -> int:
    """Adds the chat's derived notes that are new and were not forgotten; returns how many.

    A note whose sources are named but not stored is left out: they were forgotten, or are not to be
    remembered.
    """
    with memory.open_namespace(chat.namespace) as archive:
        new = set(notes_not_yet_known(archive, [derived.note for derived in chat.derived]))
    added = 0
    for derived in chat.derived:
        if derived.note not in new or _has_page(memory, chat.namespace, derived):
            continue
        sources = _sources(memory, chat.namespace, derived)
        if derived.source_keys and not sources:
            continue
        DerivedMemories(memory).add(
            chat.namespace,
            NewDerived(
                kind=derived.note.kind,
                text=derived.note.text,
                sources=sources,
                derived=derived.derivation,
                ts=derived.note.ts,
            ),
        )
        added += 1
    return added


def _has_page(memory: LongTermMemory, namespace: Namespace, derived: DerivedNote) -> bool:
    """Returns whether a diary page is left out because its day has one already."""
    if derived.note.kind is not MemoryKind.DIARY:
        return False
    only = DerivedFilter(kinds=frozenset({MemoryKind.DIARY}), key=derived.derivation.key)
    return bool(DerivedMemories(memory).find(namespace, only))


def _sources(
    memory: LongTermMemory, namespace: Namespace, derived: DerivedNote
) -> Mapping[str, int]:
    """Returns id → seq of the live exchanges that a note was made of."""
    if derived.source_conversation:
        said = memory.conversation(namespace, derived.source_conversation, _MAX_SOURCES)
        ids = [exchange.id for exchange in said]
    else:
        with memory.open_namespace(namespace) as archive:
            ids = archive.query(lambda store: store.ids_by_content(derived.source_keys))
    with memory.open_namespace(namespace) as archive:
        records = archive.records(ids)
    return {
        memory_id: record.seq
        for memory_id, record in records.items()
        if record.status is MemoryStatus.LIVE
    }
