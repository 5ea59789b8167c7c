"""Moves a conversation's exchanges to another conversation of the same namespace."""

from ..storage import held
from ..storage.log.events import EventType, NewEvent
from .chat_notes import moved_notes
from .namespace_memory import NamespaceMemory


def move_conversation(opened: NamespaceMemory, log: str, to: str, *, now: float) -> None:
    """Moves the exchanges, and the notes that apply only in this conversation.

    It can be repeated after a crash; until then both conversations may show the exchanges. Raises
    StorageCorrupt, StorageFailed, StorageLocked.
    """
    known = opened.query(lambda store: store.catalog.known_exchanges(log))
    additions = [
        NewEvent(op=EventType.PLACE, id=old.id, log=to, ts=now, fields={"place": old.position})
        for old in known
    ]
    removals = [NewEvent(op=EventType.REMOVE, id=old.id, log=log, ts=now) for old in known]
    opened.write_all([*additions, *removals, *moved_notes(opened, log, to, now)])
    held.move(opened.folder, log, to, opened.files)
