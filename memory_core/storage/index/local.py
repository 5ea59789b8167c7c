"""Store on the local disk: SQLite catalog, posting files, zarr vectors, FAISS segments."""

import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ...domain.errors import StorageFailed
from ...domain.records import Memory
from ...infra import durable_files
from ..contract import Page
from ..listing import ListedMemories, ListQuery
from ..log.events import Event
from .catalog.catalog import SqliteCatalog
from .catalog.database import Database
from .catalog.vector_rows import VectorRows
from .catalog.writes import (
    apply_lines,
    erase_words,
    open_in_transaction,
    rewrite_without_words,
    sync_to_disk,
)
from .fulltext.compaction import COMPACT_FROM, PostingCompactor
from .fulltext.fulltext_search import FullTextSearch
from .fulltext.word_index import WordIndex
from .local_listing import LocalListing, list_memories
from .local_vectors import LocalVectorIndex
from .vectors.segment_list import DEFAULT_SIZES, ChunkSizes


class LocalStore:
    """A MemoryStore in one folder, which can be deleted and rebuilt from the logs at any time."""

    def __init__(
        self, folder: Path, *, compact_from: int = COMPACT_FROM, sizes: ChunkSizes = DEFAULT_SIZES
    ) -> None:
        with suppress(StorageFailed):  # the parent folder may be read-only
            durable_files.make_folder(folder)
        self._folder = folder
        self._lock = threading.RLock()
        self._upkeep = threading.RLock()  # for long work; taken before _lock
        self._since_copied: list[tuple[Sequence[Event], Mapping[str, int]]] | None = None
        self._database = Database(folder / "catalogue.sqlite")
        self._compact_from = compact_from
        self.is_in_place = self._database.is_in_place
        self.catalog = SqliteCatalog(self._database)
        self._begin()
        self.vectors = LocalVectorIndex(
            folder,
            VectorRows(self._database),
            fulltext=self.fulltext,
            sizes=sizes,
            lock=self._lock,
            upkeep=self._upkeep,
        )

    def _begin(self) -> None:
        self._words = WordIndex(self._database, self._folder)
        self.consistent_read = self._words.consistent_read
        self.fulltext = FullTextSearch(self._database, self._words)
        self._listing = LocalListing(self._database)
        self._compactor = PostingCompactor(
            self._database, self._folder, self._words, compact_from=self._compact_from
        )

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        return self.catalog.positions(logs)

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        ids = {line.id for line in lines}
        with self._lock:  # no vector may be added for a text that changes meanwhile
            before = self.vectors.wanted_by(ids)
            with self._database.transaction() as db:
                is_done = apply_lines(db, lines, positions, since=since)
            if is_done and self._since_copied is not None:
                self._since_copied.append((lines, dict(positions)))
            self.vectors.update(before, self.vectors.wanted_by(ids))
        if self._upkeep.acquire(blocking=False):
            try:
                self._compactor.compact_if_large()
            finally:
                self._upkeep.release()
        return is_done

    def clear(self) -> None:
        self._database.recreate()
        self._begin()
        self.vectors.reset(self.fulltext)
        self._compactor.delete_unnamed_files()

    def erase(self, ids: Sequence[str]) -> None:
        with self._upkeep:  # vectors first: a record without words is never retried
            self.vectors.erase_unwanted()
            self._compactor.forget(ids)
            self._erase_words(ids)

    def _erase_words(self, ids: Collection[str]) -> None:
        """Rewrites the catalog without these words; events applied meanwhile go into the new file
        too.
        """
        if self._database.is_in_memory:
            with self._database.transaction() as db:
                erase_words(db, ids)
            return
        generation, _ = self._database.version()
        with self._lock:
            self._since_copied = []
        try:
            with rewrite_without_words(self._database, self._folder, ids) as new_file, self._lock:
                with open_in_transaction(new_file) as db:
                    for lines, positions in self._since_copied:
                        apply_lines(db, lines, positions)
                sync_to_disk(new_file)
                self._database.replace_file(new_file, generation)
        finally:
            self._since_copied = None

    def latest(self, page: Page) -> list[Memory]:
        groups = [(word,) for word in page.words]
        rows = self.fulltext.rows_with_each(groups, None).tolist() if groups else None
        return self.catalog.latest(page, rows)

    def list_memories(self, query: ListQuery) -> ListedMemories:
        return list_memories(self._listing, self.fulltext, query)

    def counts(self) -> dict[str, int]:
        counts = self.catalog.counts()
        unused = {} if self.vectors.has_model else {"embedded": 0, "lacking": counts["vectors"]}
        return counts | unused

    def maintain(self) -> bool:
        with self._upkeep:
            return self._compactor.step() or self.vectors.maintain()

    def find_damage(self) -> list[str]:
        return [
            *self._database.find_damage(),
            *self.fulltext.find_damage(),
            *self.vectors.find_damage(),
        ]

    def close(self) -> None:
        self.vectors.close()
        self.fulltext.close()
        self._database.close()
