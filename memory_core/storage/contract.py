"""Contract of every store: the searchable view of one namespace, derived from its event log."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from ..domain.records import Memory, MemoryKind
from ..providers.embedders.base import Vectors
from ..text.bm25 import Corpus
from .listing import ListedMemories, ListQuery, SessionQuery, SessionSpan
from .log.diff import KnownExchange
from .log.events import Event
from .log.projection import MemoryRecord

MAX_TERM_COUNT = 255  # a higher count of a term in one side makes no difference
Column = NDArray[Any]


class Side(IntEnum):
    """Side of an exchange. A memory that is no exchange has all its text on the user's side."""

    USER = 0
    ASSISTANT = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageColumns:
    """Columns of the memories that recall scores, one row for each memory.

    The first `found_count` rows are the search's hits. The first `weighed_count` rows also hold the
    other requested memories and the hits' neighbours. Neighbours of all these follow.

    `row_numbers`: the store's own number of each memory. `lengths`: length in terms. `said_at`:
    seconds since the epoch, nan if unknown. `sessions`: number of the run of exchanges without a
    long pause; a memory that is no exchange has its own. `before` and `after`: row of the live
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
    """One side of a memory that needs a vector; add_vectors() takes `vector_id` and the vector."""

    vector_id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Filter of a search's results. A field with its default value restricts nothing.

    `since`, `until`: said in this half-open interval, in seconds since the epoch; memories without
    a time are excluded. `kinds`: of these kinds. `conversation`: shown in it. `until_seq`: with no
    higher seq in the first event. `applies_in`: of memories that apply to one conversation only,
    those of this one; none of them for "".
    """

    since: float | None = None
    until: float | None = None
    kinds: frozenset[MemoryKind] = frozenset()
    conversation: str = ""
    until_seq: int | None = None
    applies_in: str | None = None

    @property
    def is_all(self) -> bool:
        return self == NO_FILTER


NO_FILTER = SearchFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedFilter:
    """Filter of memories that are no exchanges. None, or no kinds, restricts nothing.

    `ids`: of these ids. `sources`: made of one of these ids. `subject` and `key`: equal to this, in
    upper or lower case. `superseded_by`: replaced by one of these ids.
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


class MemoryStore(Protocol):
    """Memory records projected from events, with word search and vector search over the live ones.

    Everything in it can be rebuilt from the event log. Safe for many threads. All methods may raise
    StorageError.
    """

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        """Returns log → byte offset up to which all of its events were applied, of all logs or of
        these. A log that is not in the result has no applied events.
        """
        ...

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        """Applies events in their order and stores the new positions, both or neither; returns
        whether it did.

        With `since`, applies them only if these are still the positions: another program may have
        applied more, or rewritten a log. Events that were applied before change nothing.
        """
        ...

    def clear(self) -> None:
        """Deletes everything except the vectors, which are stored by content."""
        ...

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """Returns id → record of the known ones among these memories, whatever their status."""
        ...

    def last_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        """Returns id → seq of the last event, for the live ones among these."""
        ...

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        """Returns the exchanges still in the chat and the forgotten ones, in the chat's order."""
        ...

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        """Returns the last live exchanges of a conversation, in the chat's order."""
        ...

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        """Returns (key, record) of all exchanges whose chat has or had one of these contents, the
        oldest first. Forgotten exchanges match by their tombstone hash.
        """
        ...

    def last_position(self, conversation: str) -> float:
        """Returns the position of a conversation's last exchange; 0 if there is none."""
        ...

    def conversation_of_content(self, key: str) -> str | None:
        """Returns the conversation of the latest live exchange with this content; None if none."""
        ...

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        """Returns the ids of memories with these contents (Memory.key) in all conversations,
        removed ones included, forgotten ones not.
        """
        ...

    def latest(self, page: Page) -> list[Memory]:
        """Returns one page of the live memories, the newest first."""
        ...

    def list_memories(self, query: ListQuery) -> ListedMemories:
        """Returns a page of a list for people to look through, with its counts."""
        ...

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        """Returns the conversations with exchanges that count, the latest first."""
        ...

    def always_in_prompt(self) -> list[Memory]:
        """Returns the live memories that are always in the prompt: pinned ones and knowledge."""
        ...

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        """Returns the live memories that pass the filter, the oldest first; no exchanges."""
        ...

    def has_forgotten(self) -> bool:
        """Returns whether any memory is forgotten."""
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

    def erase(self, ids: Sequence[str]) -> None:
        """Overwrites the remaining text of these memories on disk; their tombstone hashes stay.

        May take long. Other threads can read and apply events meanwhile.
        """
        ...

    def consistent_read(self) -> AbstractContextManager[None]:
        """Gives all searches of this thread inside the block one snapshot, which costs less.

        A memory that is forgotten meanwhile may still be found, but get() returns its new status.
        """
        ...

    def search_words(
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

    def filter_ids(self, ids: Collection[str], only: SearchFilter) -> list[str]:
        """Returns the live memories among these that pass the filter."""
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

    def fetch_memories(
        self, passages: PassageColumns, which: Sequence[int]
    ) -> dict[int, StoredMemory]:
        """Returns index → memory for the live ones of the passages `which`; a store that was
        rebuilt since may know none of them.
        """
        ...

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        """Returns id → the user's name and the character's name, both "" unless an exchange."""
        ...

    def mentioned_times(self, ids: Collection[str]) -> dict[str, list[tuple[float, float]]]:
        """Returns id → half-open intervals that the text mentions, in seconds since the epoch, for
        the live ones among these.
        """
        ...

    def search_vectors(
        self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Returns ids of live memories by their better side's cosine with a unit vector of shape
        (dim,); none for a vector of another width.
        """
        ...

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
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

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Returns ids of live memories said in this half-open interval, or that mention it; the
        latest said first.
        """
        ...

    def use_model(self, fingerprint: str, dim: int) -> None:
        """Switches to the vectors of this model. Those of other models are not searched any more,
        but may be stored for a switch back.
        """
        ...

    def has_other_models(self) -> bool:
        """Returns whether vectors of another model are stored."""
        ...

    def pending_embeddings(self, limit: int) -> list[PendingEmbedding]:
        """Returns the texts that need a vector, those of the newest memories first."""
        ...

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Stores vectors, shape (n, dim), of texts that still need one.

        A row that is no unit vector is dropped, and its text is not requested again.
        """
        ...

    def last_applied_seq(self) -> int:
        """Returns the highest seq of all applied events; 0 before any."""
        ...

    def last_seq(self) -> int:
        """Returns the seq of the event that created the youngest memory; 0 if there is none."""
        ...

    def counts(self) -> dict[str, int]:
        """Returns live, removed, forgotten (memories), conversations, last_seq, vectors (wanted),
        embedded (stored) and lacking (still to embed).
        """
        ...

    def maintain(self) -> bool:
        """Does one step of maintenance that keeps searches fast; returns whether more is left."""
        ...

    def find_inconsistencies(self, folded: Mapping[str, MemoryRecord]) -> dict[str, list[str]]:
        """Compares the stored records with `folded`, the event log's records by id.

        Returns fault → ids of the memories that have it; a fault is worded as a predicate.
        """
        ...

    def find_damage(self) -> list[str]:
        """Checks all files of the store; returns descriptions of their damage."""
        ...

    def is_in_place(self) -> bool:
        """Returns whether the store's files are still those that were opened: False once the folder
        was deleted or swapped, or another program rebuilt the files.
        """
        ...

    def close(self) -> None: ...
