"""Conversion of records to catalog rows and back, and of search filters to SQL conditions."""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ....domain.derivations import NO_DERIVATION, derivation_of
from ....domain.records import EMPTY_MAPPING, Exchange, Memory, MemoryKind, uncached_content_key
from ....infra.calendar_time import to_datetime
from ....infra.json_codec import dump_json, load_json
from ....infra.lru_cache import memoize
from ....text.dates.find_dates import find_dates, may_contain_date, with_other_readings
from ....text.names import without_name
from ....text.search_terms import terms
from ....text.topics import topics
from ...contract import DerivedFilter, PendingEmbedding, SearchFilter, Side, StoredMemory
from ...log.diff import KnownExchange
from ...log.projection import (
    MemoryRecord,
    MemoryStatus,
    exchange_fields,
    exchange_of,
    exchange_text,
)
from .database import LIST, as_json_list

LONGEST_S = 100 * 86_400.0
_POSITIVE = (1 << 63) - 1
_SIDES = tuple(Side)
_INDEXED_CHARS = 50_000  # the rest of a longer text is kept, but not searchable
_TOPICAL_CHARS = 4_000
_PROPERTY_CHARS = 400
_DATED_CHARS = 20_000  # a pasted book mentions too many dates
_KEPT_CHARS = 6_000_000  # some 8,000 memories; consecutive searches return mostly the same ones
_SCOPED_KIND = MemoryKind.KNOWLEDGE.value
_SOURCE, _SUBJECT, _KEY, _SUPERSEDED_BY = "source", "subject", "key", "superseded_by"
_REFERS = f"row IN (SELECT row FROM derivation_refs WHERE relation = ? AND target IN {LIST})"  # noqa: S608
Condition = tuple[str, tuple[object, ...]]


def encode_record(entry: MemoryRecord) -> dict[str, Any]:
    """Returns column → value. Searchable fields are columns, all others are JSON in `data`."""
    memory, said = entry.memory, entry.memory.exchange
    chat = entry.chat or Exchange(user="", assistant="")
    blank_key = memory.id if entry.has_text else ""  # no text is left of an erased record
    return {
        "id": memory.id,
        "conversation": memory.conversation,
        "position": entry.first_position,
        "kind": memory.kind.value,
        "ts": memory.ts,
        "state": entry.status.value,
        "key": memory.key if memory.text else blank_key,
        # The keys by which the diff recognises an exchange, however the memory was edited.
        "chat_key": chat_key(entry),
        "user_key": entry.message_hash or uncached_content_key(chat.user, ""),
        "assistant_key": uncached_content_key(chat.assistant, ""),
        "user_name": said.user_name if said else "",
        "assistant_name": said.assistant_name if said else "",
        "always_in_prompt": int(memory.is_always_in_prompt),
        "first_seq": entry.seq,
        "seq": entry.seq,
        "data": dump_json(_fields(entry)).decode(),
    }


def chat_key(entry: MemoryRecord) -> str:
    """Returns the key of the chat's text; of a forgotten record, its tombstone's hash."""
    return entry.tombstone_hash or (entry.chat or Exchange(user="", assistant="")).key


def texts_to_embed(memory: Memory) -> tuple[str, str]:
    """Returns the texts of both sides for the embedder, without a speaker who is the subject.

    The texts of queries also omit the speakers' names.
    """
    if memory.derived is None or not memory.derived.is_about_speaker:
        return memory.sides
    return without_name(memory.text, memory.derived.subject), ""


def terms_of(memory: Memory) -> tuple[list[str], list[str]]:
    """Returns the words and topics by which each side is found."""
    user, assistant = (
        [*terms(text[:_INDEXED_CHARS]), *topics(text[:_TOPICAL_CHARS])] for text in memory.sides
    )
    return [*user, *_property_terms(memory, user)], assistant


def _property_terms(memory: Memory, own: Collection[str]) -> list[str]:
    """Returns the terms of a fact's property, such as "sport", and its search words.

    Leaves out those that the fact's text has.
    """
    derived = memory.derived
    if derived is None:
        return []
    named = terms(f"{derived.key}\n{derived.value}\n{derived.search_words}"[:_PROPERTY_CHARS])
    return list(dict.fromkeys(term for term in named if term not in own))


def known_exchange_from(row: Sequence[Any]) -> KnownExchange:
    """Returns the exchange of a row of id, chat's key, position, keys of both sides, state, number
    of conversations that show it, and time.
    """
    memory_id, chat_key, position, user_key, assistant_key, state, count, ts = row
    return KnownExchange(
        id=memory_id,
        key=chat_key,
        position=position,
        user_key=user_key,
        assistant_key=assistant_key,
        is_forgotten=state == MemoryStatus.FORGOTTEN,
        shared=count > 1,
        ts=ts,
    )


def pending_embeddings(rows: Iterable[tuple[int, int, str]]) -> list[PendingEmbedding]:
    """Returns the texts to embed of rows of vector id, side and `data`."""
    return [
        PendingEmbedding(vector_id=vector_id, text=texts_to_embed(decode_record(data).memory)[side])
        for vector_id, side, data in rows
    ]


def vector_ids_of(memory: Memory) -> dict[int, Side]:
    """Returns vector id → side, for each side that is not blank."""
    sides = zip(_SIDES, texts_to_embed(memory), strict=True)
    return {_vector_id(memory.id, side, text): side for side, text in sides if text.strip()}


def _vector_id(memory_id: str, side: Side, text: str) -> int:
    """Returns the id of the vector of this text: 63 bits of BLAKE2b, never 0."""
    content = f"{memory_id}\0{int(side)}\0{text}".encode("utf-8", "surrogatepass")
    digest = hashlib.blake2b(content, digest_size=8).digest()
    return int.from_bytes(digest, "big") & _POSITIVE or 1


def mentioned_times(memory: Memory) -> tuple[tuple[float, float], ...]:
    """Returns the spans that a memory mentions or is about, in seconds since the epoch.

    Spans longer than a season are left out: nearly everything lies within them.
    """
    period = memory.derived.event_time if memory.derived else None
    found = [*_named_times(memory), *([] if period is None or memory.ts is None else [period])]
    return tuple(dict.fromkeys(span for span in found if span[1] - span[0] <= LONGEST_S))


def _named_times(memory: Memory) -> tuple[tuple[float, float], ...]:
    """Returns the spans that the memory's words name."""
    starts = (text[:_DATED_CHARS] for text in memory.sides)
    texts = [text for text in starts if may_contain_date(text)]
    now = to_datetime(memory.ts) if texts else None
    if now is None:
        return ()
    named = (with_other_readings(find_dates(text, now), now) for text in texts)
    return tuple((span.start.timestamp(), span.end.timestamp()) for part in named for span in part)


def _fields(entry: MemoryRecord) -> dict[str, Any]:
    memory, said, chat = entry.memory, entry.memory.exchange, entry.chat
    equals_chat = chat is said or chat == said  # usually they are one object
    fields = {
        "id": memory.id,
        "kind": memory.kind,
        "text": memory.text if memory.exchange is None else None,
        "ts": memory.ts,
        "conversation": memory.conversation,
        "turn_id": memory.turn_id,
        "exchange": said and exchange_fields(said) | {"ts": said.ts},
        "pinned": memory.pinned,
        "sources": memory.sources,
        "derived": memory.derived.to_fields() if memory.derived else None,
        "place": entry.first_position,
        "chat": None if equals_chat or chat is None else exchange_fields(chat) | {"ts": chat.ts},
        "places": dict(entry.positions),
        "logs": sorted(entry.logs),
        "forgotten_at": entry.forgotten_at,
        "sealed": entry.tombstone_hash,
        "sealed_message": entry.message_hash,
        "withdrawn": entry.is_withdrawn,
        "seq": entry.seq,
    }
    return {
        name: value
        for name, value in fields.items()
        if value or (value == 0 and value is not False)
    }


@memoize(chars=_KEPT_CHARS)
def decode_record(data: str) -> MemoryRecord:
    """Decodes the `data` column that encode_record wrote."""
    fields = load_json(data.encode())
    memory, chat = _memory_of(fields), fields.get("chat")
    return MemoryRecord(
        memory=memory,
        first_position=fields.get("place", 0.0),
        chat=exchange_of(chat, chat.get("ts")) if chat else memory.exchange,
        positions=fields.get("places", EMPTY_MAPPING),
        logs=frozenset(fields.get("logs", ())),
        forgotten_at=fields.get("forgotten_at"),
        tombstone_hash=fields.get("sealed", ""),
        message_hash=fields.get("sealed_message", ""),
        is_withdrawn=fields.get("withdrawn", False),
        seq=fields.get("seq", 0),
    )


@memoize(chars=_KEPT_CHARS)
def decode_stored_memory(data: str, key: str, chat_key: str) -> StoredMemory:
    """Decodes the memory alone, in half the time of the whole record."""
    fields = load_json(data.encode())
    memory, has_chat = _memory_of(fields), "chat" in fields or "exchange" in fields
    return StoredMemory(memory, key, chat_key if has_chat else "")


def _memory_of(fields: dict[str, Any]) -> Memory:
    said = fields.get("exchange")
    exchange = exchange_of(said, said.get("ts")) if said else None
    return Memory(
        id=fields["id"],
        kind=MemoryKind(fields["kind"]),
        text=exchange_text(exchange) if exchange else fields.get("text", ""),
        ts=fields.get("ts"),
        conversation=fields.get("conversation", ""),
        turn_id=fields.get("turn_id", 0),
        position=fields.get("place", 0.0),
        exchange=exchange,
        pinned=fields.get("pinned", False),
        sources=tuple(fields.get("sources", ())),
        derived=derivation_of(fields["derived"]) if "derived" in fields else None,
    )


def sql_condition(only: SearchFilter) -> Condition:
    """Returns a condition on a row of `entries` with its values; always true for an empty filter.

    The plus signs keep SQLite from using an index on these columns: another condition is selective.
    """
    return joined_conditions(("1", ()), *_conditions(only))


def joined_conditions(*parts: Condition) -> Condition:
    """Returns the condition that all of these hold."""
    values = tuple(value for _, own in parts for value in own)
    return " AND ".join(sql for sql, _ in parts), values


def _conditions(only: SearchFilter) -> Iterator[Condition]:
    if only.since is not None:
        yield "+entries.ts >= ?", (only.since,)
    if only.until is not None:
        yield "+entries.ts < ?", (only.until,)
    if only.kinds:
        yield f"+entries.kind IN {LIST}", (as_json_list(sorted(only.kinds)),)
    if only.conversation:
        yield (
            "EXISTS (SELECT 1 FROM positions WHERE positions.row = entries.row "
            "AND positions.conversation = ?)",
            (only.conversation,),
        )
    if only.until_seq is not None:
        yield "+entries.first_seq <= ?", (only.until_seq,)
    if only.applies_in is not None:
        yield (
            "(+entries.kind != ? OR +entries.conversation IN ('', ?))",
            (_SCOPED_KIND, only.applies_in),
        )


def index_conditions(only: SearchFilter) -> Iterator[Condition]:
    """Yields each condition that has an index, as a SELECT of the rows that match it."""
    if only.conversation:
        yield "SELECT row FROM positions WHERE conversation = ?", (only.conversation,)
    if only.since is not None or only.until is not None:
        since, until = (only.since, "ts >= ?"), (only.until, "ts < ?")
        ends = [(value, sql) for value, sql in (since, until) if value is not None]
        asked = " AND ".join(sql for _, sql in ends)
        live = "SELECT row FROM entries INDEXED BY by_state WHERE state = 'live' AND "
        yield live + asked, tuple(value for value, _ in ends)
    if only.kinds and MemoryKind.EXCHANGE not in only.kinds:
        rare = "SELECT row FROM entries INDEXED BY by_kind WHERE kind != 'exchange' AND kind IN "
        yield rare + LIST, (as_json_list(sorted(only.kinds)),)
    if only.until_seq is not None:
        yield (
            "SELECT row FROM entries INDEXED BY by_first_seq WHERE first_seq <= ?",
            (only.until_seq,),
        )


def derived_condition(only: DerivedFilter) -> Condition:
    """Returns a condition on a row of `entries`, for memories that are not exchanges.

    Leaves out the kinds.
    """
    found: list[Condition] = [("kind != 'exchange'", ())]
    if only.ids is not None:
        found.append((f"id IN {LIST}", (as_json_list(sorted(only.ids)),)))
    for relation, targets in wanted_references(only):
        found.append((_REFERS, (relation, as_json_list(sorted(targets)))))
    return joined_conditions(*found)


def wanted_references(only: DerivedFilter) -> Iterator[tuple[str, Collection[str]]]:
    """Yields each relation by which a memory must refer to one of these targets."""
    if only.sources is not None:
        yield _SOURCE, only.sources
    if only.subject is not None:
        yield _SUBJECT, [only.subject.casefold()]
    if only.key is not None:
        yield _KEY, [only.key.casefold()]
    if only.superseded_by is not None:
        yield _SUPERSEDED_BY, only.superseded_by


def references_of(entry: MemoryRecord) -> list[tuple[str, str]]:
    """Returns the references of a derived memory, as pairs of relation and target.

    By them derived memories are found without reading all rows. A forgotten one has none.
    """
    if entry.status is MemoryStatus.FORGOTTEN:
        return []
    memory, derived = entry.memory, entry.memory.derived or NO_DERIVATION
    named = (
        *((_SOURCE, source) for source in memory.sources),
        (_SUBJECT, derived.subject.casefold()),
        (_KEY, derived.key.casefold()),
        (_SUPERSEDED_BY, derived.superseded_by),
    )
    return [(relation, target) for relation, target in named if target]
