"""Deleted vector rows: still on the disk, but no longer found."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .zarr_rows import Ids


class DeletedRows:
    """Marks of deleted rows, one byte each. Rows past the end are live."""

    def __init__(self) -> None:
        self._bits: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.changes = 0

    def set(self, rows: Ids, *, dead: bool = True) -> None:
        if len(rows) and int(rows.max()) >= len(self._bits):
            longer = np.zeros(int(rows.max()) * 5 // 4 + 4096, dtype=np.bool_)
            longer[: len(self._bits)] = self._bits
            self._bits = longer
        if len(rows):
            self._bits[rows] = dead
            self.changes += 1

    def are_deleted(self, rows: Ids) -> NDArray[np.bool_]:
        """Returns a boolean array: which of these rows, none negative, are deleted."""
        found = np.zeros(len(rows), dtype=np.bool_)
        inside = rows < len(self._bits)
        found[inside] = self._bits[rows[inside]]
        return found

    def deleted_in(self, first: int, count: int) -> NDArray[np.bool_]:
        found = np.zeros(count, dtype=np.bool_)
        part = self._bits[first : first + count]
        found[: len(part)] = part
        return found


class LiveRowSelector:
    """FAISS selector of the live rows."""

    def __init__(self, dead: NDArray[np.bool_]) -> None:
        import faiss

        self._bits = np.packbits(
            ~dead, bitorder="little"
        )  # kept alive here: FAISS only points at them
        self.selector: Any = faiss.IDSelectorBitmap(len(self._bits), faiss.swig_ptr(self._bits))
