"""Brings what the catalogue says of its vectors and the file that has them into agreement.

What a crash, a rebuild or a change of model left behind is found step by step, of many vectors in
the background: marks that say a vector is there or is not, then vectors that nobody wants.
"""

from collections.abc import Iterator

from .catalog.catalog import Catalogue, Kept
from .catalog.vector_rows import VectorMarks
from .vectors.vector_index import VectorFile

_AT_ONCE = 1024


class Agreement:
    """Not safe for threads by itself: nobody may write to either meanwhile."""

    def __init__(self, catalogue: Catalogue, marks: VectorMarks, vectors: VectorFile) -> None:
        self._catalogue = catalogue
        self._marks = marks
        self._vectors = vectors
        self._steps = self._all()

    def step(self) -> bool:
        """Some vectors; whether there may be more."""
        return next(self._steps, None) is not None

    def erasing(self) -> Iterator[int]:
        """Step by step; behind the last nothing is on the disk that nobody wants."""
        yield from self._unwanted()
        yield from self._erased()

    def _all(self) -> Iterator[int]:
        yield from self._marked()
        yield from self._unwanted()
        yield from self._erased()

    def _marked(self) -> Iterator[int]:
        last = 0
        while some := self._marks.some(last, _AT_ONCE):
            last = some[-1][0]
            here = self._vectors.knows([it for it, _ in some]).tolist()
            both = list(zip(some, here, strict=True))
            there = [it for (it, kept), is_here in both if is_here and kept != Kept.EMBEDDED]
            lacking = [it for (it, kept), is_here in both if not is_here and kept != Kept.LACKING]
            self._catalogue.mark(there, Kept.EMBEDDED)
            self._catalogue.mark(lacking, Kept.LACKING)
            yield len(some)

    def _unwanted(self) -> Iterator[int]:
        """Needed once for a catalogue; from then on it notes what is gone."""
        if self._marks.checked() == self._vectors.mark:
            return
        row = 0
        while (some := self._vectors.ids_from(row)) is not None:
            ids, row = some
            unwanted = self._marks.unwanted(ids.tolist())
            if unwanted:
                self._vectors.discard(unwanted)
                self._marks.add_gone(unwanted)
            yield len(ids)
        self._marks.set_checked(self._vectors.mark)

    def _erased(self) -> Iterator[int]:
        while gone := self._marks.gone(_AT_ONCE):
            self._vectors.erase(gone)
            self._marks.forget_gone(gone)
            yield len(gone)
