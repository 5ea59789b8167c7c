"""Vectors of one namespace's live memories on the local disk: zarr arrays and FAISS segments."""

import threading
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import compress
from pathlib import Path

import numpy as np

from ...infra import durable_files
from ...providers.embedders.base import Vectors
from ..contract import (
    NO_FILTER,
    Column,
    PassageColumns,
    PendingEmbedding,
    SearchFilter,
    Side,
    VectorPair,
)
from .catalog.vector_rows import VectorRows, VectorState
from .fulltext.fulltext_search import FullTextSearch
from .vectors.model_folders import KEEP_OTHERS_S, ModelFolders
from .vectors.model_vectors import ModelVectors
from .vectors.segment_list import ChunkSizes

_FEW_MEMORIES = 3_000  # comparing with all their vectors takes milliseconds
_WIDER = 4
_MAX_VECTORS_ASKED = 10_000  # beyond this, all allowed vectors are compared
_MAX_MEMORIES_LISTED = 50_000  # their vectors are listed in one query
_EMBEDDED = "turns"  # part of the model's name: older files embedded whole exchanges
_FEW, _STEPS = 8192, 8  # vectors reconciled at once; most steps for that
_STEP = 1024  # vectors that a step reconciles


class LocalVectorIndex:
    """A VectorIndex of the catalog's memories. Safe for many threads.

    `fulltext` knows which memories are live. All writers to the store hold `lock`, so that no
    vector is added for a text that changes meanwhile. Long work first takes `upkeep`.
    """

    def __init__(
        self,
        folder: Path,
        rows: VectorRows,
        *,
        fulltext: FullTextSearch,
        sizes: ChunkSizes,
        lock: threading.RLock,
        upkeep: threading.RLock,
    ) -> None:
        self._folder = folder
        self._vector_rows = rows
        self._fulltext = fulltext
        self._sizes = sizes
        self._lock = lock
        self._upkeep = upkeep
        self._models = ModelFolders(folder)
        self._stored: ModelVectors | None = None
        self._reconciling: Iterator[int] = iter(())

    def reset(self, fulltext: FullTextSearch) -> None:
        """Starts again after the catalog was emptied. Texts that come back find their vectors."""
        self._fulltext = fulltext
        self._reconciling = iter(())

    def use_model(self, fingerprint: str, dim: int) -> None:
        with self._upkeep, self._writing():
            model = f"{fingerprint} {_EMBEDDED}"
            folder = self._models.activate(f"{model} {dim}")
            if self._stored is not None:
                self._stored.close()
            self._stored = ModelVectors(folder, fingerprint=model, dim=dim, sizes=self._sizes)
            self._reconciling = reconcile(self._vector_rows, self._stored)
            if self._stored.row_count <= _FEW:  # many are reconciled in the background
                any(next(self._reconciling, None) is None for _ in range(_STEPS))
            if not self._vector_rows.pending_texts(1):
                self._models.drop_unused(folder, older_s=KEEP_OTHERS_S)

    def has_other_models(self) -> bool:
        with self._writing():
            return self._stored is not None and self._models.has_unused()

    def pending(self, limit: int) -> list[PendingEmbedding]:
        with self._lock:
            if self._stored is None:
                return []
            for _ in range(_STEPS):  # after a rebuild: known vectors are not embedded again
                waiting = self._vector_rows.pending_texts(limit)
                ids = [text.vector_id for text in waiting]
                known = self._stored.contains(ids).tolist()
                self._mark_stored(list(compress(ids, known)))
                pending = list(compress(waiting, np.logical_not(known)))
                if pending or not waiting:
                    return pending
            return []

    def add(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        with self._writing():
            if self._stored is not None:
                wanted = self._vector_rows.wanted(vector_ids)
                fresh = np.flatnonzero(np.isin(vector_ids, wanted)).tolist()
                self._stored.add([vector_ids[index] for index in fresh], vectors[fresh])
                self._mark_stored(vector_ids)
                unusable = list(compress(wanted, ~self._stored.contains(wanted)))
                self._vector_rows.set_state(unusable, VectorState.UNUSABLE)

    def search(self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER) -> list[str]:
        """Compares all vectors if the filter allows few, else widens an approximate search."""
        stored, fulltext = self._stored, self._fulltext
        if stored is None:
            return []
        few = None if only == NO_FILTER else self._vector_rows.allowed_if_few(only, _FEW_MEMORIES)
        if few is not None:
            return fulltext.ids_by_vector(_among(stored, query, [few], limit), limit, only)
        sought = len(Side) * limit
        while sought <= _MAX_VECTORS_ASKED:
            ids, _ = stored.search(query, sought)
            found = fulltext.ids_by_vector(ids, limit, only)
            if len(found) >= limit or len(ids) < sought:
                return found
            sought *= _WIDER
        ids = _among(stored, query, self._allowed(only), limit)
        return fulltext.ids_by_vector(ids, limit, only)

    def _allowed(self, only: SearchFilter) -> Iterable[list[int]]:
        more = self._vector_rows.allowed_if_few(only, _MAX_MEMORIES_LISTED)
        return self._vector_rows.allowed(only) if more is None else [more]

    def get(self, ids: Collection[str]) -> dict[str, VectorPair]:
        if self._stored is None:
            return {}
        named = self._vector_rows.ids_of(ids)
        rows = self._stored.rows([number for own in named.values() for number in own.values()])
        pairs = {
            memory_id: (rows.get(sides.get(Side.USER, 0)), rows.get(sides.get(Side.ASSISTANT, 0)))
            for memory_id, sides in named.items()
        }
        return {name: pair for name, pair in pairs.items() if any(row is not None for row in pair)}

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        wanted = passages.vectors[: passages.weighed_count]
        if self._stored is None:
            return np.full(wanted.shape, np.nan)
        return self._stored.cosines(query, wanted.reshape(-1)).reshape(wanted.shape)

    def embedded_pairs(self, limit: int) -> list[str]:
        return [] if self._stored is None else self._vector_rows.embedded_pairs(limit)

    def kept_sample(self) -> bytes:
        with self._lock:
            return b"" if self._stored is None else self._stored.sample.read()

    def keep_sample(self, ids: Collection[str], content: bytes) -> None:
        with self._writing():
            named = self._vector_rows.ids_of(ids)
            own = [vector_id for sides in named.values() for vector_id in sides.values()]
            stored, wanted = self._stored, len(Side) * len(ids)
            if stored is not None and int(stored.contains(own).sum()) == wanted:
                stored.sample.write(own, content)

    @property
    def has_model(self) -> bool:
        return self._stored is not None

    def wanted_by(self, ids: Collection[str]) -> set[int]:
        """Returns the ids of the vectors that these memories want now."""
        named = self._vector_rows.ids_of(ids) if self._stored is not None else {}
        return {vector_id for sides in named.values() for vector_id in sides.values()}

    def update(self, before: set[int], after: set[int]) -> None:
        """Hides vectors of edited or removed texts; revives known ones of texts that came back."""
        with self._lock:
            if self._stored is not None:
                self._stored.discard(before - after)
                self._stored.revive(after)
                self._mark_stored(after)

    def _mark_stored(self, vector_ids: Collection[int]) -> None:
        """Marks the vectors that the index holds."""
        if self._stored is not None and vector_ids:
            ids = list(vector_ids)
            stored = compress(ids, self._stored.contains(ids))
            self._vector_rows.set_state(list(stored), VectorState.STORED)

    def erase_unwanted(self) -> None:
        """Wipes all vectors that no memory wants, of all models."""
        with self._writing():
            stored, folder = self._stored_or_last(), self._models.last()
            if folder is not None:
                self._models.drop_unused(folder)
            if stored is None:  # nothing was ever embedded
                self._vector_rows.clear_orphaned()
                return
        steps = erase_unwanted(self._vector_rows, stored)
        is_more = True
        while is_more:  # apply() waits for one step at most
            with self._writing():
                is_more = next(steps, None) is not None

    def maintain(self) -> bool:
        """Does one step of upkeep; long work does not block searches and writes."""
        with self._writing():
            stored = self._stored
            if stored is None or next(self._reconciling, None) is not None:
                return stored is not None
        with durable_files.naming_errors(self._folder):
            return stored.maintain()

    def find_damage(self) -> list[str]:
        stored = self._stored_or_last()
        if stored is None:
            return []
        found = list(self._describe_damage(stored))
        if stored is not self._stored:
            stored.close()
        return found

    def _describe_damage(self, stored: ModelVectors) -> Iterator[str]:
        found, segments = stored.find_damage()
        if wanted := set(found) - set(self._vector_rows.unwanted(found)):
            yield f"{len(wanted):,} vectors are damaged"
        for name in segments:
            yield f"the vector index {name} was damaged; it will be rebuilt"

    def _stored_or_last(self) -> ModelVectors | None:
        """Returns the vectors in use; before use_model(), those that were used last, opened."""
        with durable_files.naming_errors(self._folder):
            folder = self._models.last()
        if self._stored is not None or folder is None:
            return self._stored
        return ModelVectors.open_existing(folder, sizes=self._sizes)

    def close(self) -> None:
        if self._stored is not None:
            self._stored.close()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Holds the lock for one thread; raises StorageFailed where the disk takes no vectors."""
        with self._lock, durable_files.naming_errors(self._folder):
            yield


def reconcile(rows: VectorRows, vectors: ModelVectors) -> Iterator[int]:
    """Reconciles the states of vectors in the catalog with the index, some at each step.

    After a crash, a rebuild or a change of model, wrong states are corrected first; then unwanted
    vectors are erased. Nobody may write to the catalog or the index during a step.
    """
    last = 0
    while some := rows.page(last, _STEP):
        last = some[-1][0]
        here = vectors.contains([vector_id for vector_id, _ in some]).tolist()
        states = dict(zip(some, here, strict=True))
        there = [
            vector_id
            for (vector_id, state), is_here in states.items()
            if is_here and state != VectorState.STORED
        ]
        lacking = [
            vector_id
            for (vector_id, state), is_here in states.items()
            if not is_here and state != VectorState.MISSING
        ]
        rows.set_state(there, VectorState.STORED)
        rows.set_state(lacking, VectorState.MISSING)
        yield len(some)
    yield from erase_unwanted(rows, vectors)


def erase_unwanted(rows: VectorRows, vectors: ModelVectors) -> Iterator[int]:
    """Erases all vectors that nobody wants, some at each step."""
    if rows.checked_model() != vectors.model_mark:  # once per catalog: a trigger lists later ones
        row = 0
        while (some := vectors.ids_from(row)) is not None:
            ids, row = some
            unwanted = rows.unwanted(ids.tolist())
            if unwanted:
                vectors.discard(unwanted)
                rows.add_orphaned(unwanted)
            yield len(ids)
        rows.set_checked_model(vectors.model_mark)
    while orphaned := rows.orphaned(_STEP):
        vectors.erase(orphaned)
        rows.remove_orphaned(orphaned)
        yield len(orphaned)


def _among(
    stored: ModelVectors, query: Vectors, allowed: Iterable[list[int]], limit: int
) -> list[int]:
    """Returns the ids of the nearest vectors of these, best first, by exact cosines."""
    best: list[tuple[float, int]] = []
    for some in allowed:
        ids, cosines = stored.search_among(query, some, len(Side) * limit)
        best = sorted([*best, *zip(cosines, ids, strict=True)], reverse=True)
        best = best[: len(Side) * limit]
    return [vector_id for _, vector_id in best]
