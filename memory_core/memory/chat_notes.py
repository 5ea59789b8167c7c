"""Notes that apply in one chat alone: they move with it and are copied to its branches.

A branch gets copies of its own, so that a later change in one chat leaves the other alone.
"""

from collections.abc import Iterator, Sequence

from ..domain.namespaces import Namespace, Scope, log_name_of
from ..domain.records import Exchange, Memory, MemoryKind, Note, content_key
from ..recall.derived_memories import outdated_ids
from ..storage.contract import Catalog
from ..storage.log.diff import match_known
from ..storage.log.erasure import tombstones_in
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus, tombstone_hashes
from .namespace_memory import NamespaceMemory

_CLOCK_S = 60.0  # a host may round the time of an exchange to the minute
_ID = 16


def scope_field(namespace: Namespace, kind: MemoryKind, conversation: str) -> dict[str, str]:
    """Returns the field that limits a new note to its conversation; nothing if it names none.

    Raises ValueError for a kind or a namespace that cannot be limited to one chat.
    """
    if not conversation:
        return {}
    if kind is not MemoryKind.KNOWLEDGE or namespace.scope in (Scope.SHARED, Scope.WORLD):
        raise ValueError(f"{kind} of {namespace.label} cannot be limited to one chat")
    return {"conversation": log_name_of(conversation)}


def notes_for_chat(opened: NamespaceMemory, log: str) -> list[Memory]:
    """Returns the notes that apply in this conversation alone."""
    return [note for note in _notes(opened) if note.only_in_conversation == log]


def notes_for_other_chats(opened: NamespaceMemory, log: str) -> frozenset[str]:
    """Returns the ids of notes that apply in another conversation alone."""
    return frozenset(note.id for note in opened.always_in_prompt() if not note.applies_to(log))


def moved_notes(opened: NamespaceMemory, log: str, to: str, now: float) -> list[NewEvent]:
    """Returns events that move a conversation's notes to another one, the forgotten ones too."""
    forgotten = (record.memory for record in opened.query(lambda store: store.catalog.forgotten()))
    notes = [
        *notes_for_chat(opened, log),
        *(memory for memory in forgotten if memory.only_in_conversation == log),
    ]
    return [
        NewEvent(
            op=EventType.REVISE, id=note.id, ts=now, fields={"text": note.text, "conversation": to}
        )
        for note in notes
    ]


def copy_notes_to_branch(opened: NamespaceMemory, log: str, shown: Sequence[Exchange]) -> None:
    """Copies the notes of the chat from which a new conversation branched off.

    To be called before the conversation is first written. Copies the notes older than the branch.
    """
    notes = _notes(opened)
    replaced = outdated_ids(opened.records, notes, None)
    notes = [note for note in notes if note.id not in replaced]
    if notes and not opened.query(lambda store: store.catalog.last_position(log)):
        copies = {event.id: event for event in _notes_to_copy(opened, log, shown, notes)}
        known = opened.query(lambda store: store.catalog.get(list(copies)))
        opened.write_all([event for note_id, event in copies.items() if note_id not in known])


def _notes(opened: NamespaceMemory) -> list[Memory]:
    return [memory for memory in opened.always_in_prompt() if memory.only_in_conversation]


def _notes_to_copy(
    opened: NamespaceMemory, log: str, shown: Sequence[Exchange], notes: Sequence[Memory]
) -> Iterator[NewEvent]:
    keys = {exchange.key for exchange in shown}
    known = opened.query(lambda store: store.catalog.exchanges_by_content(keys))
    shared = set(match_known(log, shown, known).values())
    parents = {note.only_in_conversation for note in notes}
    branch_times = opened.query(
        lambda store: {parent: _branch_time(store.catalog, parent, shared) for parent in parents}
    )
    for note in notes:
        branched_at = branch_times[note.only_in_conversation]
        if branched_at is not None and (note.ts or 0.0) < branched_at:
            fields = {"kind": note.kind, "text": note.text, "conversation": log}
            note_id = content_key(log, note.text)[:_ID]
            yield NewEvent(op=EventType.NOTE, id=note_id, ts=note.ts, fields=fields)


def _branch_time(catalog: Catalog, parent: str, shared: set[str]) -> float | None:
    """Returns the time of the parent's first exchange that the branch lacks.

    None if it is no parent, infinity if the branch lacks nothing. In seconds since the epoch.
    """
    ids = [exchange.id for exchange in catalog.known_exchanges(parent)]
    last = max((index for index, memory_id in enumerate(ids) if memory_id in shared), default=None)
    if last is None:
        return None
    records = catalog.get(ids[last + 1 :])
    lacking = (records[memory_id] for memory_id in ids[last + 1 :] if memory_id in records)
    times = (entry.chat.ts for entry in lacking if entry.status is MemoryStatus.LIVE and entry.chat)
    return next((ts + _CLOCK_S for ts in times if ts is not None), float("inf"))


def is_taken_back(record: MemoryRecord) -> bool:
    """Returns whether a memory was taken back, so that its text may be stored again."""
    return record.status is MemoryStatus.FORGOTTEN and not record.tombstone_hash


def notes_not_yet_known(opened: NamespaceMemory, notes: Sequence[Note]) -> list[Note]:
    """Returns the notes whose text is neither stored nor forgotten, whatever their ids."""
    if not notes:
        return []  # saves reading all logs for tombstones
    keys = [content_key(note.text, "") for note in notes]
    same = opened.query(lambda store: store.catalog.get(store.catalog.ids_by_content(keys)))
    memories = [record.memory for record in same.values()]
    known = {
        (memory.kind, memory.key, memory.only_in_conversation)
        for memory in memories
        if memory.exchange is None
    }
    secrets, tombstones = tombstones_in(opened.event_log.read("").events)
    return [
        note
        for note, key in zip(notes, keys, strict=True)
        if (note.kind, key, log_name_of(note.conversation)) not in known
        and all(tombstones.isdisjoint(tombstone_hashes(one, note.text, "")) for one in secrets)
    ]
