"""An entry as a row of the catalogue, and back."""

import hashlib
import json
from typing import Any

from ..records import Exchange, Memory, MemoryKind, side_key
from ..transcript.entries import Entry, State, exchange_fields, exchange_of, text_of
from ..transcript.reconcile import Known

_POSITIVE = (1 << 63) - 1


def row_of(entry: Entry) -> dict[str, Any]:
    """Column → value. What is searched by stands in columns, all else in `data`."""
    memory = entry.memory
    return {
        "id": memory.id,
        "conversation": memory.conversation,
        "place": entry.place,
        "kind": memory.kind.value,
        "ts": memory.ts,
        "state": entry.state.value,
        "key": memory.key if memory.text else "",
        **_chat_keys(entry),
        "vector_id": vector_id_of(memory),
        "stands": int(memory.stands),
        "born": entry.seq,
        "seq": entry.seq,
        "data": json.dumps(_fields(entry), ensure_ascii=False),
    }


def _chat_keys(entry: Entry) -> dict[str, str]:
    """By what reconcile knows the exchange again, whatever the user made of the memory."""
    chat = entry.chat or Exchange(user="", assistant="")
    return {
        "chat_key": entry.sealed or chat.key,
        "user_key": side_key(chat.user),
        "assistant_key": side_key(chat.assistant),
    }


def known_of(entry: Entry) -> Known:
    """The entry as reconcile wants it."""
    keys = _chat_keys(entry)
    return Known(
        id=entry.memory.id,
        key=keys["chat_key"],
        place=entry.place,
        user_key=keys["user_key"],
        assistant_key=keys["assistant_key"],
        forgotten=entry.state is State.FORGOTTEN,
    )


def vector_id_of(memory: Memory) -> int:
    """Names the vector of this text of this memory: positive, never 0, 63 bits of BLAKE2b."""
    content = f"{memory.id}\0{memory.text}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "big") & _POSITIVE or 1


def _fields(entry: Entry) -> dict[str, Any]:
    memory = entry.memory
    fields = {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text if memory.exchange is None else None,
        "ts": memory.ts,
        "conversation": memory.conversation,
        "turn_id": memory.turn_id,
        "exchange": _exchange(memory.exchange),
        "pinned": memory.pinned,
        "sources": memory.sources,
        "place": entry.place,
        "chat": None if entry.chat == memory.exchange else _exchange(entry.chat),
        "gone": entry.gone,
        "forgotten_at": entry.forgotten_at,
        "sealed": entry.sealed,
        "seq": entry.seq,
    }
    return {name: value for name, value in fields.items() if not _is_default(value)}


def _is_default(value: object) -> bool:
    return value is None or value is False or value in ("", ())


def _exchange(exchange: Exchange | None) -> dict[str, Any] | None:
    return None if exchange is None else exchange_fields(exchange) | {"ts": exchange.ts}


def entry_of(data: str) -> Entry:
    """Reads what row_of wrote in `data`."""
    fields = json.loads(data)
    exchange = _exchange_of(fields.get("exchange"))
    memory = Memory(
        id=fields["id"],
        kind=MemoryKind(fields["kind"]),
        text=text_of(exchange) if exchange else fields.get("text", ""),
        ts=fields.get("ts"),
        conversation=fields.get("conversation", ""),
        turn_id=fields.get("turn_id", 0),
        exchange=exchange,
        pinned=fields.get("pinned", False),
        sources=tuple(fields.get("sources", ())),
    )
    return Entry(
        memory=memory,
        place=fields.get("place", 0.0),
        chat=_exchange_of(fields.get("chat")) or exchange,
        gone=fields.get("gone", False),
        forgotten_at=fields.get("forgotten_at"),
        sealed=fields.get("sealed", ""),
        seq=fields.get("seq", 0),
    )


def _exchange_of(fields: dict[str, Any] | None) -> Exchange | None:
    return None if fields is None else exchange_of(fields, fields.get("ts"))
