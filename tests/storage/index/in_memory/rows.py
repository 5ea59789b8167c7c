"""The in-memory store's own reading of a memory: its sides, keys, vector ids and session.

It repeats the definitions of the local store instead of importing them, so that a mistake in one
of them shows when the two stores are compared.
"""

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

from memory_core.domain.derivations import NO_DERIVATION
from memory_core.domain.records import Exchange, Memory, MemoryKind, content_key
from memory_core.storage.contract import DerivedFilter, SearchFilter, Side, StoredMemory
from memory_core.storage.index.catalog.rows import mentioned_times, terms_of
from memory_core.storage.log.diff import KnownExchange
from memory_core.storage.log.projection import MemoryRecord, MemoryStatus
from memory_core.text.bm25 import K1, B
from memory_core.text.names import without_name

_PAUSE_S = 4 * 60 * 60
_NO_CHAT = Exchange(user="", assistant="")


def is_live(record: MemoryRecord) -> bool:
    return record.status is MemoryStatus.LIVE


def words_of(memory: Memory) -> list[str]:
    """Returns the search terms of both sides."""
    return [*chain(*terms_of(memory))]


def texts_by_side(memory: Memory) -> dict[Side, str]:
    """Returns the text of each side for the embedder; a note has all on the user's."""
    if memory.exchange is None:
        own = memory.derived or NO_DERIVATION
        text = without_name(memory.text, own.subject) if own.is_about_speaker else memory.text
        return {Side.USER: text, Side.ASSISTANT: ""}
    return {Side.USER: memory.exchange.user, Side.ASSISTANT: memory.exchange.assistant}


def vector_ids(memory: Memory) -> dict[int, Side]:
    """Returns vector id → side, for each side that is not blank."""
    texts = texts_by_side(memory)
    return {_vector_id(memory.id, side, texts[side]): side for side in Side if texts[side].strip()}


def _vector_id(memory_id: str, side: Side, text: str) -> int:
    """Returns 63 bits of BLAKE2b as a positive number."""
    hashed = f"{memory_id}\0{side.value}\0{text}".encode(errors="surrogatepass")
    number = int(hashlib.blake2b(hashed, digest_size=8).hexdigest(), 16) % 2**63
    return max(number, 1)


def live_vector_ids(record: MemoryRecord | None) -> set[int]:
    """Returns the ids of the vectors that a record wants: none unless it is live."""
    return set(vector_ids(record.memory)) if record and is_live(record) else set()


def vector_id_pair(memory: Memory) -> tuple[int, int]:
    """Returns the vector ids of the user's and the assistant's side; 0 for a blank side."""
    by_side = {side: vector_id for vector_id, side in vector_ids(memory).items()}
    return by_side.get(Side.USER, 0), by_side.get(Side.ASSISTANT, 0)


def own_key(record: MemoryRecord) -> str:
    """Returns the key of the memory's text; its id if the text is blank, "" once it is erased."""
    if record.memory.text:
        return record.memory.key
    return record.memory.id if record.has_text else ""


def chat_key(record: MemoryRecord) -> str:
    """Returns the key of the chat's text; of a forgotten record, its tombstone's hash."""
    if record.tombstone_hash:
        return record.tombstone_hash
    return (record.chat or _NO_CHAT).key


def stored(record: MemoryRecord) -> StoredMemory:
    """Returns the memory with the keys of its own text and of its chat's text."""
    return StoredMemory(record.memory, own_key(record), chat_key(record) if record.chat else "")


def known_exchange(record: MemoryRecord, conversation: str) -> KnownExchange:
    """Returns the record as the diff of this conversation expects it."""
    chat = record.chat or _NO_CHAT
    return KnownExchange(
        id=record.memory.id,
        key=chat_key(record),
        position=record.positions[conversation],
        user_key=record.message_hash or content_key(chat.user, ""),
        assistant_key=content_key(chat.assistant, ""),
        is_forgotten=record.status is MemoryStatus.FORGOTTEN,
        shared=len(record.positions) > 1,
        ts=record.memory.ts,
    )


def session_of(
    record: MemoryRecord, records: Iterable[MemoryRecord], first_seqs: Mapping[str, int]
) -> list[MemoryRecord]:
    """Returns the exchanges of a record's session, whatever their status; a note is alone."""
    if record.memory.kind is not MemoryKind.EXCHANGE:
        return [record]
    talk = [
        other
        for other in records
        if other.memory.conversation == record.memory.conversation
        and other.memory.kind is MemoryKind.EXCHANGE
    ]
    talk.sort(key=lambda other: (other.first_position, first_seqs[other.memory.id]))
    return next(own for own in split_into_sessions(talk) if record in own)


def split_into_sessions(exchanges: Sequence[MemoryRecord]) -> list[list[MemoryRecord]]:
    """Splits the exchanges of one conversation, in order, at pauses of more than four hours.

    An unknown time ends no session.
    """
    sessions: list[list[MemoryRecord]] = []
    for exchange in exchanges:
        if not sessions or _is_long_pause(sessions[-1][-1].memory.ts, exchange.memory.ts):
            sessions.append([])
        sessions[-1].append(exchange)
    return sessions


def _is_long_pause(previous: float | None, ts: float | None) -> bool:
    return previous is not None and ts is not None and ts - previous > _PAUSE_S


def time_of(memory: Memory) -> float:
    """Returns the time of a memory in seconds since the epoch; minus infinity for none."""
    return -math.inf if memory.ts is None else memory.ts


def is_allowed(record: MemoryRecord, first_seq: int, only: SearchFilter) -> bool:
    """Returns whether a filter allows a record whose first line has this seq."""
    memory, time = record.memory, time_of(record.memory)
    return all(
        (
            only.since is None or time >= only.since,
            only.until is None or -math.inf < time < only.until,
            not only.kinds or memory.kind in only.kinds,
            not only.conversation or only.conversation in record.positions,
            only.until_seq is None or first_seq <= only.until_seq,
            only.applies_in is None or memory.applies_to(only.applies_in),
        )
    )


def is_derived_as(memory: Memory, only: DerivedFilter) -> bool:
    """Returns whether a filter of derived memories allows this memory."""
    own = memory.derived or NO_DERIVATION
    return memory.kind is not MemoryKind.EXCHANGE and all(
        (
            not only.kinds or memory.kind in only.kinds,
            only.ids is None or memory.id in only.ids,
            only.sources is None or not only.sources.isdisjoint(memory.sources),
            only.subject is None or _is_named(only.subject, own.subject),
            only.key is None or _is_named(only.key, own.key),
            only.superseded_by is None or own.superseded_by in only.superseded_by,
        )
    )


def _is_named(asked: str, name: str) -> bool:
    return bool(name) and asked.casefold() == name.casefold()


def is_said_or_mentioned_within(memory: Memory, since: float, until: float) -> bool:
    """Returns whether a memory was said in this half-open time or mentions a part of it."""
    if memory.ts is not None and since <= memory.ts < until:
        return True
    return any(start < until and end > since for start, end in mentioned_times(memory))


def saturate(count: float, length: float) -> float:
    """Returns the share of a word's weight that `count` occurrences add, by BM25's formula.

    `length` is the length of the text relative to the mean length.
    """
    return count / (count + K1 * (1.0 - B + B * length)) if count else 0.0
