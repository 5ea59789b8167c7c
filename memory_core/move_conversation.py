"""Gives a conversation's exchanges another conversation of the same namespace."""

from .archive import Archive
from .chat_notes import moved
from .transcript.lines import Draft, Op


def move_conversation(archive: Archive, log: str, to: str, *, now: float) -> None:
    """With what holds in it alone. After a crash it can be repeated: at worst both conversations
    show it meanwhile.

    Raises StorageFailed, StorageLocked.
    """
    known = archive.read(lambda store: store.known(log))
    there = [
        Draft(op=Op.PLACE, id=it.id, log=to, ts=now, fields={"place": it.place}) for it in known
    ]
    here = [Draft(op=Op.REMOVE, id=it.id, log=log, ts=now) for it in known]
    archive.write_all([*there, *here, *moved(archive, log, to, now)])
