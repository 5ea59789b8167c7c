"""Reconciles the states of vectors in the catalog with the vector index.

After a crash, a rebuild or a change of model, wrong states are corrected first; then unwanted
vectors are erased. Both run step by step, in the background where there are many vectors.
"""

from collections.abc import Iterator

from .catalog.vector_rows import VectorRows, VectorState
from .vectors.model_vectors import ModelVectors

_AT_ONCE = 1024


class VectorReconciler:
    """Works in steps. Nobody may write to the catalog or the index during a step."""

    def __init__(self, rows: VectorRows, vectors: ModelVectors) -> None:
        self._vector_rows = rows
        self._vectors = vectors
        self._steps = self._all()

    def step(self) -> bool:
        """Checks some vectors; returns whether there may be more."""
        return next(self._steps, None) is not None

    def erase_unwanted(self) -> Iterator[int]:
        """Erases step by step all vectors that nobody wants."""
        yield from self._find_orphaned()
        yield from self._erase_orphaned()

    def _all(self) -> Iterator[int]:
        yield from self._reconcile_marked()
        yield from self._find_orphaned()
        yield from self._erase_orphaned()

    def _reconcile_marked(self) -> Iterator[int]:
        last = 0
        while some := self._vector_rows.page(last, _AT_ONCE):
            last = some[-1][0]
            here = self._vectors.contains([vector_id for vector_id, _ in some]).tolist()
            both = list(zip(some, here, strict=True))
            there = [
                vector_id
                for (vector_id, state), is_here in both
                if is_here and state != VectorState.STORED
            ]
            lacking = [
                vector_id
                for (vector_id, state), is_here in both
                if not is_here and state != VectorState.MISSING
            ]
            self._vector_rows.set_state(there, VectorState.STORED)
            self._vector_rows.set_state(lacking, VectorState.MISSING)
            yield len(some)

    def _find_orphaned(self) -> Iterator[int]:
        """Lists the orphaned vectors; needed once per catalog, as a trigger lists later ones."""
        if self._vector_rows.checked_model() == self._vectors.model_mark:
            return
        row = 0
        while (some := self._vectors.ids_from(row)) is not None:
            ids, row = some
            unwanted = self._vector_rows.unwanted(ids.tolist())
            if unwanted:
                self._vectors.discard(unwanted)
                self._vector_rows.add_orphaned(unwanted)
            yield len(ids)
        self._vector_rows.set_checked_model(self._vectors.model_mark)

    def _erase_orphaned(self) -> Iterator[int]:
        while orphaned := self._vector_rows.orphaned(_AT_ONCE):
            self._vectors.erase(orphaned)
            self._vector_rows.remove_orphaned(orphaned)
            yield len(orphaned)
