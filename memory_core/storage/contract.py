"""Contracts of the three parts of every store: catalog, full-text index and vector index.

A store is the searchable view of one namespace, derived from its event log: see store.py. All
methods of the three parts may be called by many threads, see the events that were applied before,
and may raise StorageError: StorageCorrupt if a rebuild from the logs mends the fault, else
StorageFailed. A list of ids or keys may have any length, and may name unknown ones.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..domain.records import Memory, MemoryKind
from ..providers.embedders.base import Vectors
from ..text.bm25 import Corpus
from .listing import SessionQuery, SessionSpan
from .log.diff import KnownExchange
from .log.projection import MemoryRecord

MAX_TERM_COUNT = 255  # a higher count of a term in one side makes no difference
Column = NDArray[Any]
Table = NDArray[np.float64]
VectorPair = tuple[Vectors | None, Vectors | None]


class Side(IntEnum):
    """Side of an exchange. A memory that is not an exchange has all its text on the user's side."""

    USER = 0
    ASSISTANT = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageColumns:
    """Columns of the memories that recall scores, one row for each memory.

    The first `found_count` rows are the search's hits. The first `weighed_count` rows also hold the
    other requested memories and the hits' neighbours. Neighbours of all these follow.

    `row_numbers`: the store's own number of each memory. `lengths`: length in terms. `said_at`:
    seconds since the epoch, nan if unknown. `sessions`: number of the run of exchanges without a
    long pause; a memory that is not an exchange has its own. `before` and `after`: row of the live
    neighbour in the conversation, -1 if there is none here. `vectors`, shape (n, 2): the store's
    numbers of both sides' vectors, 0 for none.
    """

    ids: Sequence[str]
    row_numbers: Column
    found_count: int
    weighed_count: int
    lengths: Column
    said_at: Column
    sessions: Column
    before: Column
    after: Column
    vectors: Column


class StoredMemory(NamedTuple):
    """A live memory with its content key and the content key of its chat's text, "" for none."""

    memory: Memory
    key: str
    chat_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEmbedding:
    """One side of a memory that needs a vector; add() takes `vector_id` and the vector."""

    vector_id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Filter of a search's results. A field with its default value restricts nothing.

    `since`, `until`: said in this half-open interval, in seconds since the epoch; memories without
    a time are excluded. `kinds`: of these kinds. `conversation`: shown in it. `until_seq`: with no
    higher seq in the first event. `applies_in`: of memories that apply to one conversation only,
    those of this one; "" excludes all of them.
    """

    since: float | None = None
    until: float | None = None
    kinds: frozenset[MemoryKind] = frozenset()
    conversation: str = ""
    until_seq: int | None = None
    applies_in: str | None = None


NO_FILTER = SearchFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedFilter:
    """Filter of memories that are not exchanges. None, or no kinds, restricts nothing.

    `ids`: of these ids. `sources`: made from one of these ids. `subject` and `key`: equal to this,
    ignoring case. `superseded_by`: replaced by one of these ids.
    """

    kinds: frozenset[MemoryKind] = frozenset()
    ids: frozenset[str] | None = None
    sources: frozenset[str] | None = None
    subject: str | None = None
    key: str | None = None
    superseded_by: frozenset[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionCandidate:
    """A memory that retention may forget: neither pinned nor knowledge.

    One that is not live was removed from its chat, but its text is still stored.
    """

    id: str
    ts: float | None
    is_live: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Page of the live memories, newest first: those that contain all of `words` (terms) and were
    said before `before` (seconds since the epoch).
    """

    limit: int
    offset: int = 0
    words: tuple[str, ...] = ()
    before: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogSummary:
    """Facts about a catalog that cost nothing to read. Each seq is 0 before any event.

    `last_applied_seq`: the highest seq of all applied events. `last_seq`: the seq of the event that
    created the youngest memory. `has_forgotten`: any memory is forgotten, erased ones included.
    `derived_version`: rises when the same events were computed anew; 0 if nobody else does so.
    """

    last_applied_seq: int
    last_seq: int
    has_forgotten: bool
    derived_version: int = 0


class Catalog(Protocol):
    """Looks up memories by id, conversation, content, status and time. Every answer is exact."""

    def summary(self) -> CatalogSummary: ...

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """Returns id → record of the known ones among these memories, whatever their status."""
        ...

    def live_seqs(self, ids: Collection[str], only: SearchFilter = NO_FILTER) -> dict[str, int]:
        """Returns id → seq of the last event, for the live ones among these that pass the filter.

        Costs less than get().
        """
        ...

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        """Returns the exchanges still in the chat and the forgotten ones, in the chat's order."""
        ...

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        """Returns the last live exchanges of a conversation, in the chat's order."""
        ...

    def last_position(self, conversation: str) -> float:
        """Returns the position of a conversation's last exchange; 0 if there is none."""
        ...

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        """Returns (key, record) of all exchanges whose chat has or had one of these contents, the
        oldest first. Forgotten exchanges match by their tombstone hash.
        """
        ...

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        """Returns the ids of memories with these contents (Memory.key) in all conversations,
        removed ones included, forgotten ones not.
        """
        ...

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        """Returns the conversations with exchanges that count, the latest first."""
        ...

    def always_in_prompt(self) -> list[Memory]:
        """Returns the live memories that are always in the prompt: pinned ones and knowledge."""
        ...

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        """Returns the live memories that pass the filter, without exchanges, the oldest first."""
        ...

    def forgotten(self) -> list[MemoryRecord]:
        """Returns the forgotten memories whose text is still stored, for undo and erasure."""
        ...

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        """Returns the oldest memories that retention may forget, those without a time first: up to
        `limit` live ones, and up to `limit` others.
        """
        ...

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        """Counts the memories that retention may forget: all live ones, or those said before this
        time (seconds since the epoch; memories without a time are left out).
        """
        ...

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Returns ids of live memories said in this half-open interval, or that mention it; the
        latest said first. Times are seconds since the epoch.
        """
        ...


class FullTextIndex(Protocol):
    """Finds live memories by terms, as terms() of text/search_terms.py makes them, and returns the
    columns by which recall scores them. Every answer is exact, BM25's order included.
    """

    def search(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Returns ids of live memories that contain any of these terms, in BM25's order."""
        ...

    def corpus(self, words: Collection[str]) -> Corpus:
        """Returns BM25's statistics of all live memories and of these terms in them."""
        ...

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        """Returns term → number of memories that contain it, for the live memories' terms that
        begin with `letters`, in alphabetical order.
        """
        ...

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        """Returns the live ones of `found` and `others`, in this order, then the neighbours of the
        found ones, then the neighbours of all these.
        """
        ...

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        """Returns the count of each term in each passage, up to MAX_TERM_COUNT: shape
        (2, passages, words), the user's side first. A passage that is not live any more has 0.
        """
        ...

    def live_memories(self, ids: Sequence[str]) -> list[StoredMemory]:
        """Returns the live ones among these memories, in this order.

        Costs less for those that search() or passages() returned lately.
        """
        ...

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        """Returns id → the user's name and the character's name, both "" unless an exchange."""
        ...

    def mentioned_times(self, passages: PassageColumns) -> dict[str, list[tuple[float, float]]]:
        """Returns id → half-open intervals that the text mentions, in seconds since the epoch, for
        the live ones among these passages.
        """
        ...


class VectorIndex(Protocol):
    """Finds live memories by vectors of one model, a vector for each side of an exchange.

    Vectors are rows of float32 and of length one. A vector's id is a hash of what was embedded, so
    that vectors outlive a rebuild. Cosines are exact up to float16. Which memories are the nearest
    may be approximate among very many; that they are live and pass the filter is exact. Before
    use_model(), nothing is found and nothing is pending.
    """

    def use_model(self, fingerprint: str, dim: int) -> None:
        """Switches to the vectors of this model. Those of other models are not searched any more,
        but may be stored for a switch back.
        """
        ...

    def has_other_models(self) -> bool:
        """Returns whether vectors of another model are stored."""
        ...

    def pending(self, limit: int) -> list[PendingEmbedding]:
        """Returns the texts that need a vector, those of the newest memories first."""
        ...

    def add(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Stores vectors, shape (n, dim), of texts that still need one.

        A row that is not a unit vector is dropped, and its text is not requested again.
        """
        ...

    def search(self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER) -> list[str]:
        """Returns ids of live memories by their better side's cosine with a unit vector of shape
        (dim,); none for a vector of another width.
        """
        ...

    def get(self, ids: Collection[str]) -> dict[str, VectorPair]:
        """Returns id → the vectors of both sides, shape (dim,) each, for memories that have any."""
        ...

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        """Returns the cosines of the weighed passages' vectors with a unit vector of shape (dim,):
        shape (weighed_count, 2), nan where a vector is missing or of another width.
        """
        ...

    def embedded_pairs(self, limit: int) -> list[str]:
        """Returns arbitrary live exchanges with vectors for both sides; stable while these live."""
        ...

    def keep_sample(self, ids: Collection[str], content: bytes) -> None:
        """Stores bytes that were computed from these embedded_pairs() of the model in use.

        Drops them once embedded_pairs() would return others. A store may keep nothing. Raises
        StorageFailed.
        """
        ...

    def kept_sample(self) -> bytes:
        """Returns the bytes last given to keep_sample(); b"" if they were dropped."""
        ...
