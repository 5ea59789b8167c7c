"""Gives a conversation's exchanges another conversation of the same namespace."""

from ..storage.log.events import EventType, NewEvent
from .chat_notes import moved_notes
from .namespace_memory import NamespaceMemory


def move_conversation(archive: NamespaceMemory, log: str, to: str, *, now: float) -> None:
    """With what holds in it alone. After a crash it can be repeated: at worst both conversations
    show it meanwhile.

    Raises StorageFailed, StorageLocked.
    """
    known = archive.query(lambda store: store.known_exchanges(log))
    there = [
        NewEvent(op=EventType.PLACE, id=it.id, log=to, ts=now, fields={"place": it.position})
        for it in known
    ]
    here = [NewEvent(op=EventType.REMOVE, id=it.id, log=log, ts=now) for it in known]
    archive.write_all([*there, *here, *moved_notes(archive, log, to, now)])
