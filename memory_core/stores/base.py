"""What every store promises: the searchable view of one namespace, derived from its transcript."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from ..bm25 import Corpus
from ..embedders.base import Vectors
from ..records import Memory
from ..transcript.entries import Entry
from ..transcript.lines import Line
from ..transcript.reconcile import Known


class Side(IntEnum):
    """Who said it. A memory that is no exchange has all its text on the user's side."""

    USER = 0
    ASSISTANT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """What recall weighs of a memory: the search terms of both sides, when it was said, which
    times its text speaks of (half-open, seconds since the epoch), and what stands around it.

    `born` is the seq of its first line. `sitting` numbers a run of exchanges of one conversation
    without a long pause, sittings.py; `before` and `after` are the live neighbours in it. What is
    no exchange sits alone.
    """

    id: str
    terms: tuple[Sequence[str], Sequence[str]]
    names: tuple[str, str] = ("", "")
    ts: float | None = None
    happened: tuple[tuple[float, float], ...] = ()
    born: int = 0
    sitting: int = 0
    before: str | None = None
    after: str | None = None

    @property
    def length(self) -> int:
        return len(self.terms[0]) + len(self.terms[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Unembedded:
    """One side of a memory that wants a vector: give it back with the vector."""

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

    def said(self, keys: Collection[str]) -> list[tuple[str, Entry]]:
        """(key, exchange) of all whose chat has or had this content, a forgotten one by its seal;
        those written first come first.
        """
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
    ) -> list[str]:
        """Live memories that hold at least one of these terms, about in BM25's order.

        Where very many hold a word, the search may go by the rarer words alone.
        """
        ...

    def corpus(self, words: Collection[str]) -> Corpus:
        """What BM25 has to know of all live memories, and of these words in them."""
        ...

    def beginning_with(self, letters: str, *, limit: int) -> dict[str, int]:
        """Terms of live memories that begin so, in alphabetical order, and how many hold each."""
        ...

    def passages(self, ids: Collection[str]) -> dict[str, Passage]:
        """What there is to weigh of the live ones among these."""
        ...

    def search_vectors(
        self, query: Vectors, *, limit: int, until_seq: int | None = None
    ) -> list[str]:
        """Live memories by their better side's cosine with a unit vector of shape (dim,); none
        for one of another width.
        """
        ...

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
        """The vectors of both sides, shape (dim,) each, of those that have any."""
        ...

    def embedded_pairs(self, limit: int) -> list[str]:
        """Live exchanges with vectors for both sides: any, but the same as long as they live."""
        ...

    def within(
        self, since: float, until: float, *, limit: int, until_seq: int | None = None
    ) -> list[str]:
        """Live memories said in this half-open time, or speaking of it; the latest said first."""
        ...

    def use_model(self, fingerprint: str, dim: int) -> None:
        """From now on vectors are of this model; others are dropped."""
        ...

    def unembedded(self, limit: int) -> list[Unembedded]:
        """What wants a vector, of the newest memories first."""
        ...

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Keeps what is still wanted, (n, dim); what is no unit row is not asked for again."""
        ...

    def counts(self) -> dict[str, int]:
        """live, removed, forgotten, conversations, last_seq; vectors wanted, and embedded ones."""
        ...

    def close(self) -> None: ...
