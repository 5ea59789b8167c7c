"""What the store still knows of a damaged line, as lines to write."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ...domain.records import Exchange, Memory
from ...storage.contract import MemoryStore, Page
from ...storage.log.event_log import Transcript
from ...storage.log.events import Draft, Op
from ...storage.log.projection import Entry, State, exchange_fields
from ...text.utterances import as_remembered
from . import index_check
from .log_check import Seen

_NOTES = 10_000  # looked at, the latest first


def known_of(store: MemoryStore, transcript: Transcript, seen: Seen) -> dict[str, Entry]:
    """What the store still knows of the memories that damaged lines speak of, as far as these
    lines bear it out; a store that was copied from elsewhere says other things.
    """
    named = {it for piece in seen.damaged for it in piece.ids}
    found = store.get(sorted(named))
    nameless = store.get(sorted(_nameless(store, seen) - seen.begun.keys() - named))
    found |= {it: entry for it, entry in nameless.items() if _is_told(entry, seen)}
    for part in index_check.entries(transcript, transcript.logs()):
        kept = store.get(list(part))
        later = (it for it, entry in kept.items() if entry.seq > part[it].seq)
        found |= {it: kept[it] for it in later if kept[it].seq not in seen.seqs}
    return found


def _nameless(store: MemoryStore, seen: Seen) -> set[str]:
    """Whom damaged lines may speak of whose id itself was hit."""
    logs = {piece.log for piece in seen.damaged}
    found = {it.id for log in logs if log for it in store.known(log)}
    return found | {it.id for it in store.latest(Page(limit=_NOTES)) if "" in logs}


def _is_told(entry: Entry, seen: Seen) -> bool:
    """Whether its words stand in a damaged line."""
    exchange = entry.chat
    texts = (exchange.user, exchange.assistant) if exchange else (entry.memory.text,)
    words = [json.dumps(it, ensure_ascii=False)[1:-1].encode() for it in texts if it]
    return any(it in piece.data for it in words for piece in seen.damaged)


def rescued(known: Entry, told: Entry | None) -> Sequence[Draft]:
    """What has to be written so that lines that tell `told` give again what is `known`."""
    drafts = [*_words(known, told), *_places(known, told)]
    if known.memory.pinned != (told is not None and told.memory.pinned):
        op = Op.PIN if known.memory.pinned else Op.UNPIN
        drafts.append(Draft(op=op, id=known.memory.id, ts=known.memory.ts))
    was_forgotten = told is not None and told.state is State.FORGOTTEN
    if known.state is State.FORGOTTEN and not was_forgotten:
        fields = {"sealed": known.sealed}
        drafts.append(Draft(op=Op.FORGET, id=known.memory.id, ts=known.forgotten_at, fields=fields))
    return drafts


def _words(known: Entry, told: Entry | None) -> Iterator[Draft]:
    memory = known.memory
    if told is None:
        yield _beginning(known)
    elif known.chat is not None and told.chat != known.chat:
        log = next(iter(known.places), memory.conversation)
        fields = {"said_at": known.chat.ts, **exchange_fields(known.chat)}
        yield Draft(op=Op.EDIT, id=memory.id, log=log, ts=memory.ts, fields=fields)
    if memory.exchange is None:
        if told is not None and _note_fields(told.memory) != _note_fields(memory):
            fields = _note_fields(memory)
            yield Draft(op=Op.REVISE, id=memory.id, ts=memory.ts, fields=fields)
    elif _sides(memory.exchange) != _sides(_exchange_after(known, told)):
        user, assistant = _sides(memory.exchange)
        fields = {"user": user, "assistant": assistant}
        yield Draft(op=Op.REVISE, id=memory.id, ts=memory.ts, fields=fields)


def _note_fields(memory: Memory) -> dict[str, Any]:
    return {"text": memory.text, "conversation": memory.conversation}


def _exchange_after(known: Entry, told: Entry | None) -> Exchange | None:
    """What the memory says once the chat's words are written anew, where they have to be."""
    if told is None or told.chat != known.chat:
        return as_remembered(known.chat) if known.chat else None
    return told.memory.exchange


def _sides(exchange: Exchange | None) -> tuple[str, str]:
    return (exchange.user, exchange.assistant) if exchange else ("", "")


def _beginning(known: Entry) -> Draft:
    memory = known.memory
    if known.chat is None:
        fields: dict[str, Any] = {
            "kind": memory.kind,
            "text": memory.text,
            "conversation": memory.conversation,
            "sources": memory.sources,
        }
        return Draft(op=Op.NOTE, id=memory.id, ts=memory.ts, fields=fields)
    fields = {"turn_id": memory.turn_id, "place": known.place, **exchange_fields(known.chat)}
    return Draft(op=Op.ADD, id=memory.id, log=memory.conversation, ts=memory.ts, fields=fields)


def _places(known: Entry, told: Entry | None) -> Iterator[Draft]:
    memory = known.memory
    if known.chat is None:
        return
    there = {memory.conversation: known.place} if told is None else told.places
    for log in there.keys() - known.places.keys():
        yield Draft(op=Op.REMOVE, id=memory.id, log=log, ts=memory.ts)
    for log, place in known.places.items():
        if there.get(log) != place:
            fields = {"place": place}
            yield Draft(op=Op.PLACE, id=memory.id, log=log, ts=memory.ts, fields=fields)
