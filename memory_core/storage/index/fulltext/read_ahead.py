"""Requests the parts of a mapped file of postings that a search is about to read.

Without that, a search of a file that the system has not cached waits for one page at a time. Each
part is requested once, and what was requested before must cost next to nothing.
"""

from collections.abc import Mapping

import numpy as np

from ....infra.mapped_file import MappedFile
from .postings import COLUMNS, Array, ReadAhead

_BLOCK = 256  # memories whose columns are requested together


class FileReadAhead(ReadAhead):
    """Requests parts of one file; `arrays` are all of it, by name."""

    def __init__(self, file: MappedFile, arrays: Mapping[str, Array]) -> None:
        self._file = file
        self._at, self._vectors_at = arrays["at"], arrays["vectors_at"]
        self._counts = [arrays["user"], arrays["assistant"]]
        self._columns = [arrays[name] for name in COLUMNS]
        # What was requested before: runs by their beginning, columns by block.
        self._runs: set[int] = set()
        self._count_runs: set[int] = set()
        self._size = len(self._columns[0])
        self._blocks = np.zeros(-(-self._size // _BLOCK), dtype=np.bool_)
        self._has_all_blocks = False

    def request_run(self, first: int, last: int) -> None:
        if first not in self._runs:
            self._runs.add(first)
            self._file.request(self._at[first:last])

    def request_counts(self, first: int, last: int) -> None:
        if first not in self._count_runs:
            self._count_runs.add(first)
            self._file.request(*(counts[first:last] for counts in self._counts))

    def request_counts_at(self, which: Array) -> None:
        for counts in self._counts:
            self._file.request_items(counts, which)

    def request_columns(self, positions: Array) -> None:
        if self._has_all_blocks:
            return
        blocks = positions // _BLOCK
        missing = blocks[~self._blocks[blocks]].astype(np.int64)
        if len(missing):
            self._blocks[missing] = True
            self._has_all_blocks = bool(self._blocks.all())
            firsts = missing * _BLOCK
            ends = np.concatenate((firsts, np.minimum(firsts + _BLOCK, self._size) - 1))
            for column in self._columns:
                self._file.request_items(column, ends)

    def request_vector_positions(self, which: Array) -> None:
        self._file.request_items(self._vectors_at, which)
