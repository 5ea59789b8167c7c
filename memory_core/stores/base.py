"""What every store promises: the searchable view of one namespace, derived from its transcript."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..embedders.base import Vectors
from ..records import Memory
from ..transcript.entries import Entry
from ..transcript.lines import Line
from ..transcript.reconcile import Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One found memory and its score, higher is better."""

    id: str
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """A memory that wants a vector: give it back with the vector."""

    vector_id: int
    text: str


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

    def positions(self) -> Mapping[str, int]:
        """For each log, the byte up to which its lines were applied."""
        ...

    def apply(self, lines: Sequence[Line], positions: Mapping[str, int]) -> None:
        """Folds lines in, in their order, and remembers the new positions, both or neither."""
        ...

    def clear(self) -> None:
        """Forgets all but the vectors, which are kept by content."""
        ...

    def get(self, ids: Sequence[str]) -> dict[str, Entry]:
        """The known ones among these entries, whatever their state."""
        ...

    def seqs(self, ids: Sequence[str]) -> dict[str, int]:
        """id → seq of the last line about it, for the live ones among these."""
        ...

    def known(self, conversation: str) -> list[Known]:
        """The exchanges still in the chat or forgotten, in the chat's order."""
        ...

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        """The last live exchanges of a conversation, in the chat's order."""
        ...

    def find_key(self, key: str) -> str | None:
        """The conversation in which a live exchange with this content key was met last."""
        ...

    def copies(self, keys: Collection[str]) -> list[str]:
        """The live memories that have these contents (Memory.key), wherever they were met."""
        ...

    def latest(self, page: Page) -> list[Memory]: ...

    def standing(self) -> list[Memory]:
        """The live memories that are always in the prompt: the pinned ones, and knowledge."""
        ...

    def forgotten(self) -> list[Entry]:
        """Entries that the user forgot and whose text is still kept, for undo and erasure."""
        ...

    def erase(self, ids: Sequence[str]) -> None:
        """Overwrites what is left of these entries' texts on disk; their seals stay."""
        ...

    def search_words(
        self, words: Sequence[str], *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        """Live memories that hold at least one of these terms, by bm25.score, best first."""
        ...

    def search_vectors(
        self, query: Vectors, *, limit: int, until_seq: int | None = None
    ) -> list[Hit]:
        """Live memories by cosine with a unit vector of shape (dim,): scores in -1..1."""
        ...

    def cosines(self, query: Vectors, ids: Sequence[str]) -> dict[str, float]:
        """The cosine of each of these that has a vector."""
        ...

    def times(self, ids: Sequence[str]) -> dict[str, float]:
        """When each of these was said, as far as it is known; seconds since the epoch."""
        ...

    def said_within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> dict[str, float]:
        """Live memories said in this half-open time, the latest first, and when."""
        ...

    def use_model(self, fingerprint: str, dim: int) -> None:
        """From now on vectors are of this model; others are dropped."""
        ...

    def unembedded(self, limit: int) -> list[Unembedded]: ...

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None: ...

    def counts(self) -> dict[str, int]:
        """live, removed, forgotten, embedded, conversations, last_seq."""
        ...

    def close(self) -> None: ...
