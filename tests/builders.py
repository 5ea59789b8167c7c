"""Builders for tests: an exchange, a query, a memory over a folder, an adjustable clock."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from memory_core.admin import names
from memory_core.config.limits import Limits
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange, Memory
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.providers.embedders.base import Embedder
from memory_core.recall.gate import ScoreGate
from memory_core.recall.pipeline import Pipeline, RecallLimits
from memory_core.recall.query import Query
from memory_core.recall.rerank import RerankByScore
from memory_core.recall.results import Recall
from memory_core.storage.engine import OpenStore
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.contract import Log
from memory_core.storage.log.event_log import AppendedEvents
from memory_core.storage.log.events import Event, EventType, NewEvent
from memory_core.storage.log.projection import exchange_fields
from memory_core.storage.pauses import ChatPauses

NOW = 1_790_000_000.0
HOUR = 3600.0
DAY = 86_400.0
SPACE = Namespace("ana", "mira")


class Closable(Protocol):
    def close(self) -> None: ...


OPENED: list[Closable] = []  # closed behind each test, conftest.py
KIND = Limits(query_timeout_s=1.0, undo_forget_s=600.0)


class Clock:
    """A clock that stands still until a test sets it."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def append(log: Log, draft: NewEvent) -> AppendedEvents:
    """Writes one event and returns it once it is on disk."""
    (appended,) = log.append_all([draft])
    return appended


def destroy(memory: LongTermMemory, namespace: Namespace) -> Path:
    return names.destroy(memory, ChatPauses(memory.root), namespace)


def merge(memory: LongTermMemory, alias: Namespace, namespace: Namespace) -> Path:
    return names.merge(memory, ChatPauses(memory.root), alias, namespace)


def rename(memory: LongTermMemory, namespace: Namespace, new: Namespace) -> None:
    names.rename(memory, ChatPauses(memory.root), namespace, new)


def opened_namespace(memory: LongTermMemory, namespace: Namespace) -> NamespaceMemory:
    """Returns the open namespace, which stays open because no test opens many."""
    with memory.open_namespace(namespace) as opened:
        return opened


def said(user: str, assistant: str = "I see.", *, ts: float | None = NOW) -> Exchange:
    return Exchange(user=user, assistant=assistant, user_name="Ana", assistant_name="Mira", ts=ts)


def added(
    seq: int, memory_id: str, exchange: Exchange, *, log: str = "talk", place: float | None = None
) -> Event:
    """Returns the event of a new exchange."""
    ordinal = {"turn_id": seq, "place": float(seq) if place is None else place}
    fields = ordinal | exchange_fields(exchange)
    return Event(seq=seq, op=EventType.ADD, id=memory_id, ts=exchange.ts, fields=fields, log=log)


def pipeline(
    *, min_score: float = 0.1, replay: int = 2, lines: int = 6, most: int | None = None
) -> Pipeline:
    return Pipeline(
        gate=ScoreGate(min_score=min_score, min_letters=1),
        reranker=RerankByScore(),
        sizes=RecallLimits(candidates=60, replay=replay, lines=lines, total=most),
    )


def open_memory(
    root: Path,
    *,
    embedder: Embedder | None = None,
    open_store: OpenStore = LocalStore,
    limits: Limits = KIND,
    clock: Clock | None = None,
) -> LongTermMemory:
    memory = LongTermMemory(
        root / "memories",
        open_store=open_store,
        embedder=embedder,
        pipeline=pipeline(),
        limits=limits,
        clock=clock or Clock(),
    )
    OPENED.append(memory)
    return memory


def asked(text: str) -> Query:
    return Query(text=text, names=("Ana", "Mira"))


def derive_all(memory: LongTermMemory, space: Namespace = SPACE) -> None:
    while memory.derive_pending(space):
        pass


def user_sides(memories: Iterable[Memory]) -> list[str]:
    return [memory.exchange.user if memory.exchange else memory.text for memory in memories]


def recalled(found: Recall) -> list[str]:
    """Returns the user's sides of the recalled exchanges, best first, and the text of notes."""
    return user_sides(recalled.memory for recalled in found.kept)
