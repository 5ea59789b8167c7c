"""Surveys an import without writing: its size, and an estimate of its duration."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...domain.errors import OutsideServiceError
from ...domain.namespaces import Namespace
from ...providers.embedders.base import Embedder
from .base import ImportChat
from .engine import ImportCounts, ImportProgress, ProgressListener, ShouldStop
from .source import ImportFailure, ImportSource
from .timestamps import has_uncertain_date

EXCHANGES_WRITTEN_PER_S = 2500  # on a machine a few years old, without embeddings
_MAX_SAMPLES = 16


@dataclass(slots=True, kw_only=True)
class OriginCounts:
    """Counts of one file. Notes without a chat do not count as one."""

    chats: int = 0
    exchanges: int = 0
    notes: int = 0
    namespaces: set[Namespace] = field(default_factory=set)


@dataclass(slots=True, kw_only=True)
class Survey(ImportCounts):
    """Counts of an import. `texts` is the number of texts to embed, `samples` a few of them.

    `origins` has the counts of each file, by its `ImportSource.origin`.

    `first_ts` and `last_ts` are in seconds since the epoch, or None if nothing has a date.
    """

    undated: int = 0
    texts: int = 0
    size_bytes: int = 0
    origins: dict[str, OriginCounts] = field(default_factory=dict)
    samples: list[str] = field(default_factory=list)
    first_ts: float | None = None
    last_ts: float | None = None

    @property
    def total(self) -> ImportProgress:
        return ImportProgress(chats=self.chats, exchanges=self.exchanges)

    @property
    def writing_s(self) -> float:
        """The estimated time in seconds of reading and writing, without embeddings."""
        return self.elapsed_s + self.exchanges / EXCHANGES_WRITTEN_PER_S

    def add(self, chat: ImportChat, origin: str = "") -> None:
        said = chat.exchanges
        self._add_origin(chat, origin)
        times = [exchange.ts for exchange in said if exchange.ts is not None]
        self.first_ts = min([*times, *([self.first_ts] if self.first_ts else [])], default=None)
        self.last_ts = max([*times, *([self.last_ts] if self.last_ts else [])], default=None)
        texts = [
            text
            for exchange in said
            for text in (exchange.user, exchange.assistant)
            if text.strip()
        ]
        self.chats += 1
        self.exchanges += len(said)
        self.undated += sum(map(has_uncertain_date, said))
        self.notes += len(chat.notes)
        self.add_warnings(chat)
        self.texts += len(texts) + len(chat.notes)
        self.namespaces[chat.namespace] = self.namespaces.get(chat.namespace, 0) + len(said)
        if len(self.samples) < _MAX_SAMPLES:
            self.samples += texts[-2:]

    def _add_origin(self, chat: ImportChat, origin: str) -> None:
        counts = self.origins.setdefault(origin, OriginCounts())
        counts.chats += bool(chat.exchanges)
        counts.exchanges += len(chat.exchanges)
        counts.notes += len(chat.notes)
        counts.namespaces.add(chat.namespace)


def survey(
    sources: Sequence[ImportSource],
    *,
    on_progress: ProgressListener = lambda _: None,
    stop: ShouldStop = lambda: False,
) -> Survey:
    """Reads everything once. Raises ImportFailed if there is nothing to read."""
    began = time.monotonic()
    files = (path for source in sources for path in source.files() if path.is_file())
    found = Survey(size_bytes=sum(path.stat().st_size for path in files))
    for origin, chat in _chats_of(sources):
        found.origins.setdefault(origin, OriginCounts())
        if isinstance(chat, ImportFailure):
            found.failures.append(chat)
        else:
            found.add(chat, origin)
        found.elapsed_s = time.monotonic() - began
        on_progress(
            ImportProgress(chats=found.chats, exchanges=found.exchanges, elapsed_s=found.elapsed_s)
        )
        if stop():
            found.cancelled = True
            break
        time.sleep(0)
    return found


def _chats_of(
    sources: Sequence[ImportSource],
) -> Iterator[tuple[str, ImportChat | ImportFailure]]:
    """Yields all chats and failures, each with its origin."""
    for source in sources:
        for chat in source.chats():
            yield source.origin, chat


def estimate_embedding_s(embedder: Embedder | None, found: Survey) -> float | None:
    """Estimates the time of all embeddings in seconds from a few texts; None if the model fails."""
    if embedder is None or not found.samples:
        return 0.0
    began = time.monotonic()
    try:
        embedder.embed(found.samples)
    except (OutsideServiceError, ImportError):
        return None
    return (time.monotonic() - began) / len(found.samples) * found.texts
