"""Notes that hold in one chat alone: they go where it goes, and along with a branch of it.

A branch gets notes of its own, so that from then on each chat's are its own.
"""

from collections.abc import Iterator, Sequence

from ..domain.namespaces import Namespace, Scope, encode
from ..domain.records import Exchange, Memory, MemoryKind, Note, content_key
from ..storage.contract import MemoryStore
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryStatus, tombstone_hash
from ..storage.log.same_exchange import match_known
from ..storage.log.tombstones import read_tombstones
from .namespace_memory import NamespaceMemory

_CLOCK_S = 60.0  # a host may tell an exchange's time by the minute
_ID = 16


def log_name_of(conversation: str) -> str:
    """By which notes name a conversation; empty for none."""
    return encode(conversation) if conversation else ""


def scope_field(namespace: Namespace, kind: MemoryKind, conversation: str) -> dict[str, str]:
    """The field by which a new note holds there alone, nothing where it names no conversation.

    Raises ValueError for what cannot: a chat is one character's.
    """
    if not conversation:
        return {}
    if kind is not MemoryKind.KNOWLEDGE or namespace.scope in (Scope.SHARED, Scope.WORLD):
        raise ValueError(f"no {kind} of {namespace.label} can be for one chat alone")
    return {"conversation": log_name_of(conversation)}


def notes_for_chat(archive: NamespaceMemory, log: str) -> list[Memory]:
    """What holds in this conversation alone."""
    return [it for it in _notes(archive) if it.only_in_conversation == log]


def notes_for_other_chats(archive: NamespaceMemory, log: str) -> frozenset[str]:
    """The ids of what holds in some other conversation alone."""
    return frozenset(it.id for it in _notes(archive) if it.only_in_conversation != log)


def moved_notes(archive: NamespaceMemory, log: str, to: str, now: float) -> list[NewEvent]:
    """The notes of a conversation as the other one's, also those that can be brought back."""
    forgotten = (it.memory for it in archive.query(lambda store: store.forgotten()))
    notes = [
        *notes_for_chat(archive, log),
        *(it for it in forgotten if it.only_in_conversation == log),
    ]
    return [
        NewEvent(
            op=EventType.REVISE, id=it.id, ts=now, fields={"text": it.text, "conversation": to}
        )
        for it in notes
    ]


def copy_notes_to_branch(archive: NamespaceMemory, log: str, shown: Sequence[Exchange]) -> None:
    """Before a conversation is written for the first time: where it goes on from another, what
    was to hold there up to then holds here too.
    """
    notes = _notes(archive)
    if notes and not archive.query(lambda store: store.last_position(log)):
        drafts = {it.id: it for it in _notes_to_copy(archive, log, shown, notes)}
        known = archive.query(lambda store: store.get(list(drafts)))
        archive.write_all([it for name, it in drafts.items() if name not in known])


def _notes(archive: NamespaceMemory) -> list[Memory]:
    return [it for it in archive.always_in_prompt() if it.only_in_conversation]


def _notes_to_copy(
    archive: NamespaceMemory, log: str, shown: Sequence[Exchange], notes: Sequence[Memory]
) -> Iterator[NewEvent]:
    said = archive.query(lambda store: store.exchanges_by_content({it.key for it in shown}))
    shared = set(match_known(log, shown, said).values())
    parents = {it.only_in_conversation for it in notes}
    ends = archive.query(lambda store: {it: _has_branched_off(store, it, shared) for it in parents})
    for note in notes:
        until = ends[note.only_in_conversation]
        if until is not None and (note.ts or 0.0) < until:
            fields = {"kind": note.kind, "text": note.text, "conversation": log}
            name = content_key(log, note.text)[:_ID]
            yield NewEvent(op=EventType.NOTE, id=name, ts=note.ts, fields=fields)


def _has_branched_off(store: MemoryStore, parent: str, shared: set[str]) -> float | None:
    """When something was said in the parent that the branch lacks; None where it is no parent."""
    known = [it.id for it in store.known_exchanges(parent)]
    last = max((at for at, it in enumerate(known) if it in shared), default=None)
    if last is None:
        return None
    entries = store.get(known[last + 1 :])
    said = (entries[it] for it in known[last + 1 :] if it in entries)
    times = (it.chat.ts for it in said if it.status is MemoryStatus.LIVE and it.chat)
    return next((ts + _CLOCK_S for ts in times if ts is not None), float("inf"))


def notes_not_yet_known(archive: NamespaceMemory, notes: Sequence[Note]) -> list[Note]:
    """What somebody kept by hand bears no id by which its words are known."""
    if not notes:
        return []  # nobody has to read all logs for the forgotten
    keys = [content_key(it.text, "") for it in notes]
    same = archive.query(lambda store: store.get(store.ids_by_content(keys)))
    memories = [it.memory for it in same.values()]
    kept = {
        (it.kind, it.text) for it in memories if it.exchange is None and not it.only_in_conversation
    }
    secrets, seals = read_tombstones(archive.folder)
    return [
        it
        for it in notes
        if (it.kind, it.text) not in kept
        and seals.isdisjoint(tombstone_hash(secret, it.text, "") for secret in secrets)
    ]
