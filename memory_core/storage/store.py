"""A store: the searchable view of one namespace, derived from its event log, in three parts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from ..domain.errors import StoreIncomplete
from ..domain.records import Memory
from .contract import Catalog, FullTextIndex, Page, VectorIndex
from .listing import ListedMemories, ListQuery
from .log.events import Event

_PARTS: Mapping[str, type] = {
    "catalog": Catalog,
    "fulltext": FullTextIndex,
    "vectors": VectorIndex,
}
S = TypeVar("S")


class MemoryStore(Protocol):
    """The three parts of one namespace, and the methods that concern more than one of them.

    apply() writes in this order:

    1. The catalog, the words of the full-text index and the positions change in one transaction:
       after a crash either all of an apply() is there, or nothing of it.
    2. Vectors follow outside of it. Those of texts that changed are hidden at once, and wiped later
       by maintain() or erase(). After a crash some are left over, or count as missing: no search
       returns them, and use_model() reconciles them.

    erase() goes the other way: vectors, then the words of the full-text index, then the records,
    because a record without words is never erased again.

    Everything in it can be rebuilt from the event log. Safe for many threads. All methods may raise
    StorageError. The parts may be other objects after clear(): read the attributes again.
    """

    @property
    def catalog(self) -> Catalog: ...

    @property
    def fulltext(self) -> FullTextIndex: ...

    @property
    def vectors(self) -> VectorIndex: ...

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

    def erase(self, ids: Sequence[str]) -> None:
        """Overwrites the remaining text of these memories on disk; their tombstone hashes stay.

        May take long. Other threads can read and apply events meanwhile.
        """
        ...

    def consistent_read(self) -> AbstractContextManager[None]:
        """Gives all searches of this thread inside the block one snapshot, which costs less.

        A memory that is forgotten meanwhile may still be found, but catalog.get() returns its new
        status.
        """
        ...

    def latest(self, page: Page) -> list[Memory]:
        """Returns one page of the live memories, the newest first."""
        ...

    def list_memories(self, query: ListQuery) -> ListedMemories:
        """Returns a page of a list for people to look through, with its counts."""
        ...

    def counts(self) -> dict[str, int]:
        """Returns live, removed, forgotten (memories), conversations, last_seq, vectors (wanted),
        embedded (stored) and lacking (still to embed).
        """
        ...

    def maintain(self) -> bool:
        """Does one step of maintenance that keeps searches fast; returns whether more is left."""
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


def require_complete(store: S) -> S:
    """Returns this store if it has all three parts, each with all its methods.

    Raises StoreIncomplete, which names what is missing.
    """
    missing = list(_missing(store))
    if missing:
        own = f"{type(store).__module__}.{type(store).__qualname__}"
        raise StoreIncomplete(
            f"the store {own} lacks {', '.join(missing)}; implement Catalog, FullTextIndex and "
            "VectorIndex of memory_core/storage/contract.py, and MemoryStore of "
            "memory_core/storage/store.py, which offers them as catalog, fulltext and vectors"
        )
    return store


def _missing(store: object) -> Iterator[str]:
    yield from (name for name in _members(MemoryStore) if not hasattr(store, name))
    for part, protocol in _PARTS.items():
        for name in _members(protocol) if hasattr(store, part) else ():
            if not hasattr(getattr(store, part), name):
                yield f"{part}.{name}"


def _members(protocol: type) -> list[str]:
    return [name for name in vars(protocol) if not name.startswith("_")]
