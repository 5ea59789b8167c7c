"""What every store promises: the searchable view of one namespace, derived from its transcript."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from ..domain.records import Memory, MemoryKind
from ..providers.embedders.base import Vectors
from ..text.bm25 import Corpus
from .log.diff import KnownExchange
from .log.events import Event
from .log.projection import MemoryRecord

MAX_TERM_COUNT = 255  # times that a term stands in one side; more make no difference
Column = NDArray[Any]


class Side(IntEnum):
    """Who said it. A memory that is no exchange has all its text on the user's side."""

    USER = 0
    ASSISTANT = 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PassageColumns:
    """What recall weighs of memories, a column of each: the length in terms and topics, when it was
    said (seconds since the epoch, nan where that is unknown), and what stands around it.

    `sittings` numbers runs of exchanges of one conversation without a long pause, sittings.py;
    `before` and `after` are the live neighbours in it, by their index here: -1 where there is none,
    or where it is not among these. What is no exchange sits alone. The first `found` are those that
    were asked for first, the first `weighed` these, all else that was asked for, and the neighbours
    of the former; behind them stand neighbours of these. `numbers` is what the store calls them,
    and `vectors`, shape (n, 2), what it calls the vectors of both sides: 0 for none.
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
    """A live memory, and the keys of what it says and of what its chat says, empty for none."""

    memory: Memory
    key: str
    chat_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEmbedding:
    """One side of a memory that wants a vector: give it back with the vector."""

    vector_id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFilter:
    """Which memories a search may bring: said in the half-open time from `since` to `until`
    (seconds since the epoch; what has no time is outside), of these kinds, standing in this
    conversation, none whose first line is younger than `until_seq`, and of what holds in one
    conversation alone only what holds `here` (empty: in none). What is left out restricts nothing.
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
class RetentionCandidate:
    """A memory that a limit may let go: neither pinned nor knowledge. One that is not live was
    taken out of its chat; its words are still kept.
    """

    id: str
    ts: float | None
    is_live: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which of the live memories, newest first: those that hold all of `words` (terms), said
    before `before` (seconds since the epoch).
    """

    limit: int
    offset: int = 0
    words: tuple[str, ...] = ()
    before: float | None = None


class MemoryStore(Protocol):
    """Entries folded from lines, with word search and nearest search over the live ones.

    Everything in it can be made anew from the transcript. Safe for many threads.
    """

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        """For each log (of these, where any are given) the byte up to which its lines were applied:
        all of them, so that whoever applies more must begin there. A log that it does not name has
        none.
        """
        ...

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        """Folds lines in, in their order, and remembers the new positions, both or neither; whether
        it did: with `since` only where these are still the positions, since another program may
        have gone on, or rewritten what was read. What was folded in before changes nothing.
        """
        ...

    def clear(self) -> None:
        """Forgets all but the vectors, which are kept by content."""
        ...

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        """The known ones among these entries, whatever their state."""
        ...

    def last_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        """id → seq of the last line about it, for the live ones among these."""
        ...

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        """The exchanges still in the chat or forgotten, in the chat's order."""
        ...

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        """The last live exchanges of a conversation, in the chat's order."""
        ...

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        """(key, exchange) of all whose chat has or had this content, a forgotten one by its seal;
        those written first come first.
        """
        ...

    def last_position(self, conversation: str) -> float:
        """Where the last exchange of a conversation stands; 0 where there is none."""
        ...

    def conversation_of_content(self, key: str) -> str | None:
        """The conversation in which a live exchange whose chat has this content was met last."""
        ...

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        """The memories that have these contents (Memory.key), wherever they were met, also where
        the chat no longer says it; without what is forgotten already.
        """
        ...

    def latest(self, page: Page) -> list[Memory]: ...

    def always_in_prompt(self) -> list[Memory]:
        """The live memories that are always in the prompt: the pinned ones, and knowledge."""
        ...

    def has_forgotten(self) -> bool:
        """Whether anything was ever forgotten."""
        ...

    def forgotten(self) -> list[MemoryRecord]:
        """Entries that the user forgot and whose text is still kept, for undo and erasure."""
        ...

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        """The oldest that limits may let go, first what has no time: up to `limit` of those that
        are live, and as many of the others.
        """
        ...

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        """How many those are; said before this time (what has no time is left out), or all that
        are live.
        """
        ...

    def erase(self, ids: Sequence[str]) -> None:
        """Overwrites what is left of these entries' texts on disk; their seals stay.

        It may take long. Others read and apply lines meanwhile, and lose none of them.
        """
        ...

    def consistent_read(self) -> AbstractContextManager[None]:
        """What this thread searches within is of one moment, and so costs less; what is forgotten
        meanwhile may still be found, but get() knows.
        """
        ...

    def search_words(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Live memories that hold at least one of these terms, in BM25's order."""
        ...

    def corpus(self, words: Collection[str]) -> Corpus:
        """What BM25 has to know of all live memories, and of these words in them."""
        ...

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        """Terms of live memories that begin so, in alphabetical order, and how many hold each."""
        ...

    def filter_ids(self, ids: Collection[str], only: SearchFilter) -> list[str]:
        """The live memories among these that a search restricted so may bring."""
        ...

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        """The live ones among these, in this order, the neighbours of the found ones behind them,
        and then the neighbours of all these.
        """
        ...

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        """How often each of these terms stands in the live ones among these, up to MOST_COUNTED:
        shape (2, passages, words), the user's side first.
        """
        ...

    def fetch_memories(
        self, passages: PassageColumns, which: Sequence[int]
    ) -> dict[int, StoredMemory]:
        """The live ones of these among the passages, by their index; a store that was made anew
        since may know none.
        """
        ...

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        """Who spoke in these: the user's name and the character's, empty for what is no
        exchange.
        """
        ...

    def mentioned_times(self, ids: Collection[str]) -> dict[str, list[tuple[float, float]]]:
        """The times that the live ones among these speak of: half-open, seconds since the epoch."""
        ...

    def search_vectors(
        self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Live memories by their better side's cosine with a unit vector of shape (dim,); none
        for one of another width.
        """
        ...

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
        """The vectors of both sides, shape (dim,) each, of those that have any."""
        ...

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        """Those of both sides' vectors with a unit vector of shape (dim,), of the weighed ones
        among these: shape (weighed, 2), nan where there is none or of another width.
        """
        ...

    def embedded_pairs(self, limit: int) -> list[str]:
        """Live exchanges with vectors for both sides: any, but the same as long as they live."""
        ...

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        """Live memories said in this half-open time, or speaking of it; the latest said first."""
        ...

    def use_model(self, fingerprint: str, dim: int) -> None:
        """From now on vectors are of this model; those of others are found no more, but may be kept
        for when that model comes back.
        """
        ...

    def has_other_models(self) -> bool:
        """Whether vectors of a model used before are kept."""
        ...

    def pending_embeddings(self, limit: int) -> list[PendingEmbedding]:
        """What wants a vector, of the newest memories first."""
        ...

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Keeps what is still wanted, (n, dim); what is no unit row is not asked for again."""
        ...

    def last_applied_seq(self) -> int:
        """The highest seq of all lines that were applied, whatever they said; 0 before any."""
        ...

    def last_seq(self) -> int:
        """The seq of the line that brought the youngest memory; 0 where there is none."""
        ...

    def counts(self) -> dict[str, int]:
        """live, removed, forgotten, conversations, last_seq; vectors wanted, embedded ones,
        and those still lacking.
        """
        ...

    def maintain(self) -> bool:
        """One step of what keeps searching fast, for when nobody waits; whether more is to do."""
        ...

    def find_inconsistencies(self, folded: Mapping[str, MemoryRecord]) -> dict[str, list[str]]:
        """How what is kept of these differs from `folded`, by id what the transcript gives for
        them: what is wrong, as a predicate, → ids of what it is wrong with.
        """
        ...

    def find_damage(self) -> list[str]:
        """What is wrong with its files themselves, in plain words; looks through all of them."""
        ...

    def is_in_place(self) -> bool:
        """Whether its files are still those that were opened: not where the folder was deleted or
        exchanged, or another program made them anew.
        """
        ...

    def close(self) -> None: ...
