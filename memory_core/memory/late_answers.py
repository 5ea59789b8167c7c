"""Joins an answer that comes later than its message to one exchange."""

from collections.abc import Sequence
from dataclasses import replace

from ..domain.errors import UnknownMemory
from ..domain.records import EMPTY_MAPPING, Exchange, Role, Turn
from ..storage.log.diff import Changed, Diff
from ..storage.log.projection import MemoryStatus
from .event_factory import events_for_diff
from .namespace_memory import NamespaceMemory


def turns_of(exchange: Exchange) -> Sequence[Turn]:
    """Returns the turns of an exchange; those of a plain pair have its time."""
    if exchange.turns:
        return exchange.turns
    sides = ((Role.USER, exchange.user), (Role.ASSISTANT, exchange.assistant))
    return [
        Turn(role=role, text=text, ts=exchange.ts, metadata=EMPTY_MAPPING)
        for role, text in sides
        if text
    ]


def with_answer(said: Exchange, answer: Exchange) -> Exchange:
    """Returns the exchange with a further answer at its end."""
    texts = filter(None, (said.assistant, answer.assistant))
    turns = (*turns_of(said), *turns_of(answer))
    return replace(said, assistant="\n\n".join(texts), turns=turns)


def store_answer(
    opened: NamespaceMemory, log: str, memory_id: str, answer: Exchange, now: float
) -> None:
    """Adds the answer to the exchange of this id. Raises UnknownMemory if it is no longer live."""
    record = opened.get_record(memory_id)
    said = record.memory.exchange
    if said is None or record.status is not MemoryStatus.LIVE:
        raise UnknownMemory(memory_id)
    whole = with_answer(said, answer)
    change = Changed(id=memory_id, exchange=whole, position=record.memory.position)
    opened.write_all(list(events_for_diff(log, Diff(changed=(change,)), {}, now)))


def has_answer(opened: NamespaceMemory, memory_id: str, answer: Exchange) -> bool:
    """Returns whether the exchange of this id holds this answer already."""
    said = opened.records([memory_id]).get(memory_id)
    if said is None or said.memory.exchange is None:
        return False
    known = set(map(_words, turns_of(said.memory.exchange)))
    return known.issuperset(map(_words, turns_of(answer)))


def _words(turn: Turn) -> tuple[Role, str, float | None]:
    return turn.role, turn.text, turn.ts
