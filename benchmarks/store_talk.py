"""The talk that fills the store, and cheap vectors for it.

Every exchange, and every question about it, names one of 200 places; a text's vector is its
place's centre plus equally much noise. Unclustered vectors have no centres; but, as with a text
embedder, some directions vary more: the spread falls with the square root of their number.
"""

import hashlib
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import Corpus
from memory_core import bootstrap
from memory_core.config.schema import Settings
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.base import Vectors, unit
from memory_core.recall.query import Query, local_time
from memory_core.storage.engine import postgres_engine
from memory_core.storage.index.local import LocalStore

SPACE = Namespace("ana", "Mira")
DIM = 384
CLUSTERS = 200
TALK = 500  # exchanges of one conversation
_WORDS = 60  # of one exchange
_DAY_S, _MINUTE_S = 86_400.0, 60.0
_BEGIN = 1_500_000_000.0
_LONG_WORD = re.compile(r"[a-z]{4,}")
_PLACE = re.compile(r"\b[A-Z][a-z]+burg\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    exchange: Exchange
    question: str


class Talk:
    """Generates conversations by number, identical in every run."""

    def __init__(self) -> None:
        self._corpus = Corpus(0, lambda text: text.count(" ") + 1)
        words = dict.fromkeys(_LONG_WORD.findall(self._corpus.passage(20_000)))
        self._places = [f"{word.title()}burg" for word in list(words)[:CLUSTERS]]

    def conversation(self, number: int, count: int = TALK) -> Iterator[Said]:
        self._corpus.random = random.Random(number)
        for minute in range(count):
            yield self._said(_BEGIN + number * _DAY_S + minute * _MINUTE_S)

    def _said(self, ts: float) -> Said:
        place = self._corpus.random.choice(self._places)
        told = self._corpus.told(_WORDS, ts)
        exchange = replace(
            told.exchange,
            user=f"{told.exchange.user} We were in {place}.",
            assistant=f"{told.exchange.assistant} So much for {place}.",
        )
        return Said(exchange=exchange, question=f"In {place}: {told.question()}")


class StubEmbedder:
    """Makes a text's vector from its characters alone, in microseconds."""

    name = "stub"
    dim = DIM

    def __init__(self, *, clustered: bool) -> None:
        self._clustered = clustered
        self.fingerprint = f"stub {'clustered' if clustered else 'unclustered'} {DIM}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        noise = self._noise(texts)
        if not self._clustered:
            return unit(noise / np.sqrt(np.arange(1, DIM + 1, dtype=np.float32)))
        return unit(unit(noise) + self._centres[[_place(text) % CLUSTERS for text in texts]])

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        return np.asarray(self.embed([text])[0])

    @cached_property
    def _centres(self) -> Vectors:
        return unit(np.random.default_rng(0).standard_normal((CLUSTERS, DIM), dtype=np.float32))

    def _noise(self, texts: Sequence[str]) -> Vectors:
        drawn = b"".join(hashlib.shake_128(text.encode()).digest(DIM) for text in texts)
        return np.frombuffer(drawn, dtype=np.int8).reshape(-1, DIM).astype(np.float32)


def _place(text: str) -> int:
    found = _PLACE.search(text)
    return int.from_bytes(hashlib.sha256((found[0] if found else text).encode()).digest()[:4])


class Opened:
    """A memory over a folder as the product builds it, with its stores at hand."""

    def __init__(self, folder: Path, *, clustered: bool, dsn: str = "") -> None:
        """With `dsn`, all but the names is in that PostgreSQL database."""
        settings, root = Settings(), folder / "memories"
        self.embedder = StubEmbedder(clustered=clustered)
        self.stores: list[Any] = []
        self.opening: Callable[[Path], Any] = LocalStore
        self._engine = postgres_engine(dsn, root, time_limit_s=60.0) if dsn else None
        if self._engine is not None:
            self.opening = self._engine.open_store
        self.memory = LongTermMemory(
            root,
            open_store=self._open_store
            if self._engine is None
            else replace(self._engine, open_store=self._open_store),
            embedder=self.embedder,
            pipeline=bootstrap.build_pipeline(settings, None),
            limits=bootstrap.build_limits(settings),
        )

    def close(self) -> None:
        self.memory.close()
        if self._engine is not None:
            self._engine.close()

    def _open_store(self, folder: Path) -> Any:  # noqa: ANN401  (a store, with all its parts)
        self.stores.append(self.opening(folder))
        return self.stores[-1]


def asked(question: str) -> Query:
    return Query(text=question, names=("Ana", "Mira"), now=local_time(time.time()))


def derive_all(memory: LongTermMemory, space: Namespace = SPACE) -> None:
    """Runs all background work: embeddings, and the index's upkeep."""
    while memory.derive_pending(space, batch=4096):
        pass
