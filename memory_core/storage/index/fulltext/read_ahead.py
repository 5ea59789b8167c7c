"""Requests the parts of postings that a search is about to read; does nothing for those in memory.

Without that, a search of files that the system has not cached waits for one page at a time.
"""

import numpy as np

from ....infra.mapped_file import MappedFile
from .postings import COLUMNS, Array, Columns, ReadAhead

_BLOCK = 256  # memories whose columns are requested together


class FileReadAhead(ReadAhead):
    """Requests parts of a mapped file of postings."""

    def __init__(self, file: MappedFile, columns: Columns) -> None:
        self._file = file
        self._columns = [getattr(columns, name) for name in COLUMNS]
        self._size = len(columns.numbers)
        self._requested = np.zeros(self._size // _BLOCK + 1, dtype=np.bool_)  # by block

    def request(self, *parts: Array) -> None:
        self._file.request(*parts)

    def request_items(self, items: Array, which: Array) -> None:
        self._file.request_items(items, which)

    def request_columns(self, positions: Array) -> None:
        """Requests all columns of the memories at these positions."""
        blocks = positions // _BLOCK
        missing = blocks[~self._requested[blocks]].astype(np.int64)
        if len(missing):
            self._requested[missing] = True
            firsts = missing * _BLOCK
            ends = np.concatenate((firsts, np.minimum(firsts + _BLOCK, self._size) - 1))
            for column in self._columns:
                self._file.request_items(column, ends)
