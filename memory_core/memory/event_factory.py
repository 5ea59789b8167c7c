"""What is to be written down of a difference, of an exchange, of something forgotten."""

from collections.abc import Iterator, Mapping, Sequence

from ..domain.records import Exchange, Note
from ..storage.log.diff import Added, Changed, Diff
from ..storage.log.events import Draft, Op
from ..storage.log.projection import Entry, exchange_fields, seal


def differences(log: str, diff: Diff, met: Mapping[int, str], now: float) -> Iterator[Draft]:
    """`met` says which of the added exchanges, and behind them of the changed, is a memory that
    there was before: index → id.
    """
    for memory_id in diff.removed:
        yield Draft(op=Op.REMOVE, id=memory_id, log=log, ts=now)
    for at, change in enumerate(diff.changed, start=len(diff.added)):
        if at in met:
            yield Draft(op=Op.REMOVE, id=change.id, log=log, ts=now)
            yield _placing(log, met[at], change.place, now)
        else:
            yield _edit(log, change, now)
    for at, added in enumerate(diff.added):
        yield _placing(log, met[at], added.place, now) if at in met else addition(log, added)


def addition(log: str, added: Added) -> Draft:
    ordinal = {"turn_id": int(added.place), "place": added.place}
    fields = ordinal | exchange_fields(added.exchange)
    return Draft(op=Op.ADD, log=log, ts=added.exchange.ts, fields=fields)


def noted(note: Note) -> Draft:
    return Draft(op=Op.NOTE, id=note.id, ts=note.ts, fields={"kind": note.kind, "text": note.text})


def tombstone(entry: Entry, secret: str, now: float) -> Draft:
    """With the keyed hash by which the chat's words are known again."""
    chat = entry.chat or Exchange(user=entry.memory.text, assistant="")
    fields = {"sealed": seal(secret, chat.user, chat.assistant)}
    return Draft(op=Op.FORGET, id=entry.memory.id, ts=now, fields=fields)


def brought_back(entries: Sequence[Entry], now: float) -> list[Draft]:
    return [Draft(op=Op.UNFORGET, id=it.memory.id, ts=now) for it in entries]


def _edit(log: str, change: Changed, now: float) -> Draft:
    said_at = change.exchange.ts
    told = {} if said_at is None else {"said_at": said_at}
    fields = told | exchange_fields(change.exchange)
    return Draft(op=Op.EDIT, id=change.id, log=log, ts=now, fields=fields)


def _placing(log: str, memory_id: str, place: float, now: float) -> Draft:
    return Draft(op=Op.PLACE, id=memory_id, log=log, ts=now, fields={"place": place})
