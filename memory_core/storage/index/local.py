"""Store on the local disk: SQLite catalogue, posting files, zarr vectors, FAISS segments."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import compress
from pathlib import Path

import numpy as np

from ...domain.errors import StorageFailed
from ...domain.records import Memory
from ...infra import durable_files
from ...providers.embedders.base import Vectors
from ...text.bm25 import Corpus
from ..contract import (
    NO_FILTER,
    Column,
    DerivedFilter,
    Page,
    PassageColumns,
    PendingEmbedding,
    RetentionCandidate,
    SearchFilter,
    StoredMemory,
)
from ..listing import ListedMemories, ListQuery, SessionQuery, SessionSpan
from ..log.diff import KnownExchange
from ..log.events import Event
from ..log.projection import MemoryRecord
from .catalog import consistency
from .catalog.catalog import Catalogue, VectorState
from .catalog.database import Database
from .catalog.rewrite import open_in_transaction, rewrite_without_words, sync_to_disk
from .catalog.vector_rows import VectorRows
from .catalog.writes import apply_lines, erase_words
from .filtered_vector_search import FilteredVectorSearch
from .fulltext.compaction import COMPACT_FROM, PostingCompactor
from .fulltext.fulltext_search import FullTextSearch
from .fulltext.word_index import WordIndex
from .local_listing import LocalListing
from .local_sessions import list_sessions
from .vector_damage import describe_damage
from .vector_pairs import vectors_by_side
from .vector_reconciliation import VectorReconciler
from .vectors.model_folders import KEEP_OTHERS_S, ModelFolders
from .vectors.model_vectors import ModelVectors
from .vectors.sizes import DEFAULT_SIZES, ChunkSizes

_EMBEDDED = "turns"  # part of the model's name: older files embedded whole exchanges
_FEW, _STEPS = 8192, 8  # vectors reconciled at once; most steps for that


class LocalStore:
    """A MemoryStore in one folder, which can be deleted and rebuilt from the logs at any time."""

    def __init__(
        self, folder: Path, *, sealed_from: int = COMPACT_FROM, sizes: ChunkSizes = DEFAULT_SIZES
    ) -> None:
        with suppress(StorageFailed):  # the parent folder may be read-only
            durable_files.make_folder(folder)
        self._folder = folder
        self._database = Database(folder / "catalogue.sqlite")
        self._catalogue = Catalogue(self._database)
        self._vector_rows = VectorRows(self._database)
        self._compact_from = sealed_from
        self._begin()
        self._sizes = sizes
        self._vectors: ModelVectors | None = None
        self._reconciler: VectorReconciler | None = None
        self._models = ModelFolders(folder)
        self._lock = threading.RLock()
        self._upkeep = threading.RLock()  # for long work; taken before _lock
        self._since_copied: list[tuple[Sequence[Event], Mapping[str, int]]] | None = None

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        return self._catalogue.positions(logs)

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        ids = {line.id for line in lines}
        with self._lock:  # no vector may be added for a text that changes meanwhile
            before = self._vectors_of(ids)
            is_done = self._catalogue.apply(lines, positions, since=since)
            if is_done and self._since_copied is not None:
                self._since_copied.append((lines, dict(positions)))
            self._update_vectors(before, self._vectors_of(ids))
        if self._upkeep.acquire(blocking=False):
            try:
                self._compactor.compact_if_large()
            finally:
                self._upkeep.release()
        return is_done

    def clear(self) -> None:
        self._database.recreate()
        self._begin()
        self._compactor.delete_unnamed_files()
        self._reconciler = None  # texts that come back shall find their vectors

    def _begin(self) -> None:
        words = WordIndex(self._database, self._folder)
        self._fulltext = FullTextSearch(self._database, words)
        self._listing = LocalListing(self._database, self._fulltext)
        self._compactor = PostingCompactor(
            self._database, self._folder, words, sealed_from=self._compact_from
        )

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        return self._catalogue.get(ids)

    def last_seqs(self, ids: Sequence[str]) -> dict[str, int]:
        return self._catalogue.last_seqs(ids)

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        return self._catalogue.known_exchanges(conversation)

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        return self._catalogue.conversation(conversation, limit)

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        return self._catalogue.exchanges_by_content(keys)

    def last_position(self, conversation: str) -> float:
        return self._catalogue.last_position(conversation)

    def conversation_of_content(self, key: str) -> str | None:
        return self._catalogue.conversation_of_content(key)

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        return self._catalogue.ids_by_content(keys)

    def latest(self, page: Page) -> list[Memory]:
        rows = self._fulltext.rows_with_all(page.words).tolist() if page.words else None
        return self._catalogue.latest(page, rows)

    def list_memories(self, query: ListQuery) -> ListedMemories:
        return self._listing.list_memories(query)

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        return list_sessions(self._database, query)

    def always_in_prompt(self) -> list[Memory]:
        return self._catalogue.always_in_prompt()

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        return self._catalogue.find_derived(only)

    def has_forgotten(self) -> bool:
        return self._catalogue.has_forgotten()

    def forgotten(self) -> list[MemoryRecord]:
        return self._catalogue.forgotten()

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        return self._catalogue.retention_candidates(limit)

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        return self._catalogue.count_retention_candidates(before=before)

    def erase(self, ids: Sequence[str]) -> None:
        with self._upkeep:  # vectors first: a record without words is never retried
            self._erase_vectors()
            self._compactor.forget(ids)
            self._erase_words(ids)

    def _erase_vectors(self) -> None:
        with self._writing():
            vectors, folder = self._vectors, self._models.last()
            if vectors is None and folder is not None:
                vectors = ModelVectors.open_existing(folder, sizes=self._sizes)
            if folder is not None:
                self._models.drop_unused(folder)
            if vectors is None:  # nothing was ever embedded
                self._vector_rows.clear_orphaned()
                return
        steps = VectorReconciler(self._catalogue, self._vector_rows, vectors).erase_unwanted()
        is_more = True
        while is_more:  # apply() waits for one step at most
            with self._writing():
                is_more = next(steps, None) is not None

    def _erase_words(self, ids: Collection[str]) -> None:
        """Rewrites the catalogue without these words; events applied meanwhile go into the new file
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

    def consistent_read(self) -> AbstractContextManager[None]:
        return self._fulltext.consistent_read()

    def search_words(
        self, words: Sequence[str], *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        return self._fulltext.search(words, limit=limit, only=only)

    def corpus(self, words: Collection[str]) -> Corpus:
        return self._fulltext.corpus(words)

    def terms_with_prefix(self, letters: str, *, limit: int) -> dict[str, int]:
        return self._fulltext.terms_with_prefix(letters, limit=limit)

    def filter_ids(self, ids: Collection[str], only: SearchFilter) -> list[str]:
        return self._catalogue.filter_ids(ids, only)

    def passages(self, found: Sequence[str], others: Sequence[str]) -> PassageColumns:
        return self._fulltext.passages(found, others)

    def term_counts(self, passages: PassageColumns, words: Sequence[str]) -> Column:
        return self._fulltext.term_counts(passages, words)

    def fetch_memories(
        self, passages: PassageColumns, which: Sequence[int]
    ) -> dict[int, StoredMemory]:
        numbers = passages.row_numbers[list(which)].tolist()
        known = self._catalogue.fetch_memories(numbers)
        found = {index: known.get(row) for index, row in zip(which, numbers, strict=True)}
        return {
            index: stored
            for index, stored in found.items()
            if stored and stored.memory.id == passages.ids[index]
        }

    def speaker_names(self, ids: Collection[str]) -> dict[str, tuple[str, str]]:
        return self._fulltext.speaker_names(ids)

    def mentioned_times(self, ids: Collection[str]) -> dict[str, list[tuple[float, float]]]:
        return self._fulltext.mentioned_times(ids)

    def search_vectors(
        self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        vectors = self._vectors
        if vectors is None:
            return []
        meant = FilteredVectorSearch(vectors, self._vector_rows, self._fulltext)
        return self._fulltext.ids_of_live(meant.search(query, limit, only))

    def vectors(self, ids: Collection[str]) -> dict[str, tuple[Vectors | None, Vectors | None]]:
        if self._vectors is None:
            return {}
        return vectors_by_side(self._vectors, self._catalogue.vector_ids_of(ids))

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        wanted = passages.vectors[: passages.weighed_count]
        if self._vectors is None:
            return np.full(wanted.shape, np.nan)
        return self._vectors.cosines(query, wanted.reshape(-1)).reshape(wanted.shape)

    def embedded_pairs(self, limit: int) -> list[str]:
        return [] if self._vectors is None else self._catalogue.embedded_pairs(limit)

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        return self._catalogue.search_dates(since, until, limit=limit, only=only)

    def use_model(self, fingerprint: str, dim: int) -> None:
        with self._upkeep, self._writing():
            model = f"{fingerprint} {_EMBEDDED}"
            folder = self._models.activate(f"{model} {dim}")
            if self._vectors is not None:
                self._vectors.close()
            self._vectors = ModelVectors(folder, fingerprint=model, dim=dim, sizes=self._sizes)
            self._reconcile_vectors()
            if not self._catalogue.pending_texts(1):
                self._models.drop_unused(folder, older_s=KEEP_OTHERS_S)

    def has_other_models(self) -> bool:
        with self._lock:
            return self._vectors is not None and self._models.has_unused()

    def pending_embeddings(self, limit: int) -> list[PendingEmbedding]:
        with self._lock:
            if self._vectors is None:
                return []
            for _ in range(_STEPS):  # after a rebuild: known vectors are not embedded again
                waiting = self._catalogue.pending_texts(limit)
                ids = [text.vector_id for text in waiting]
                known = self._vectors.contains(ids).tolist()
                self._mark_stored(list(compress(ids, known)))
                pending = list(compress(waiting, np.logical_not(known)))
                if pending or not waiting:
                    return pending
            return []

    def add_vectors(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        with self._writing():
            if self._vectors is not None:
                wanted = self._catalogue.wanted_vectors(vector_ids)
                fresh = np.flatnonzero(np.isin(vector_ids, wanted)).tolist()
                self._vectors.add([vector_ids[index] for index in fresh], vectors[fresh])
                self._mark_stored(vector_ids)
                unusable = list(compress(wanted, ~self._vectors.contains(wanted)))
                self._catalogue.set_vector_state(unusable, VectorState.UNUSABLE)

    def last_applied_seq(self) -> int:
        return self._catalogue.last_applied_seq()

    def last_seq(self) -> int:
        return self._catalogue.last_seq()

    def counts(self) -> dict[str, int]:
        counts = self._catalogue.counts()
        without = {"embedded": 0, "lacking": counts["vectors"]} if self._vectors is None else {}
        return counts | without

    def maintain(self) -> bool:
        with self._upkeep:
            return self._compactor.step() or self._maintain_vectors()

    def _maintain_vectors(self) -> bool:
        """Does one step of upkeep; long work does not block searches and writes."""
        with self._writing():
            vectors, agreement = self._vectors, self._reconciler
            if vectors is None or (agreement is not None and agreement.step()):
                return vectors is not None
            self._reconciler = None
        with durable_files.naming_errors(self._folder):
            return vectors.maintain()

    def _reconcile_vectors(self) -> None:
        """Reconciles few vectors at once, and many in the background."""
        if self._vectors is not None:
            agreement = VectorReconciler(self._catalogue, self._vector_rows, self._vectors)
            self._reconciler = agreement
            if self._vectors.row_count <= _FEW:
                any(not agreement.step() for _ in range(_STEPS))

    def find_inconsistencies(self, folded: Mapping[str, MemoryRecord]) -> dict[str, list[str]]:
        return consistency.find_inconsistencies(self, folded)

    def find_damage(self) -> list[str]:
        files = [*self._database.find_damage(), *self._fulltext.find_damage()]
        return [*files, *self._damaged_vectors()]

    def _damaged_vectors(self) -> list[str]:
        vectors, folder = self._vectors, self._models.last()
        if vectors is None and folder is not None:
            vectors = ModelVectors.open_existing(folder, sizes=self._sizes)
        if vectors is None:
            return []
        found = list(describe_damage(vectors, self._vector_rows))
        if vectors is not self._vectors:
            vectors.close()
        return found

    def is_in_place(self) -> bool:
        return self._database.is_in_place()

    def close(self) -> None:
        if self._vectors is not None:
            self._vectors.close()
        self._fulltext.close()
        self._database.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the lock for one thread; raises StorageFailed where the disk takes no vectors."""
        with self._lock, durable_files.naming_errors(self._folder):
            yield

    def _vectors_of(self, ids: Collection[str]) -> set[int]:
        named = self._catalogue.vector_ids_of(ids) if self._vectors is not None else {}
        return {vector_id for sides in named.values() for vector_id in sides.values()}

    def _update_vectors(self, before: set[int], after: set[int]) -> None:
        """Hides vectors of edited or removed texts; revives known ones of texts that came back."""
        with self._lock:
            if self._vectors is not None:
                self._vectors.discard(before - after)
                self._vectors.revive(after)
                self._mark_stored(after)

    def _mark_stored(self, vector_ids: Collection[int]) -> None:
        """Marks those of these vectors that the index holds."""
        if self._vectors is not None and vector_ids:
            ids = list(vector_ids)
            stored = compress(ids, self._vectors.contains(ids))
            self._catalogue.set_vector_state(list(stored), VectorState.STORED)
