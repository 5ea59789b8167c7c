"""Maps a file of which few pages are read, and asks the system for these before they are needed.

The system would else read up to some megabytes around each page, or wait for one page at a time.
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .lru_cache import cached_property

_AT_ONCE = 32  # pages: the system ignores what a longer request has beyond its own limit
_GAP = 4  # pages: reading them takes less time than another request
_BINARY = getattr(os, "O_BINARY", 0)
_CAN_ADVISE = hasattr(mmap, "MADV_RANDOM")  # not on Windows


class MappedFile:
    """A mapped file that is not empty; `bytes` are all of it. Raises OSError and ValueError."""

    def __init__(self, path: Path | str) -> None:
        handle = os.open(path, os.O_RDONLY | _BINARY)
        try:
            self._map = mmap.mmap(handle, 0, access=mmap.ACCESS_READ)
        finally:
            os.close(handle)
        self.bytes: NDArray[np.uint8] = np.frombuffer(self._map, dtype=np.uint8)
        self._advise_all("MADV_RANDOM")

    @cached_property
    def _marks(self) -> bytearray:
        """The pages requested before: to ask again would cost more than it could save."""
        return bytearray(-(-len(self.bytes) // mmap.PAGESIZE))

    @cached_property
    def _requested(self) -> NDArray[np.bool_]:
        return np.frombuffer(self._marks, dtype=np.bool_)

    @cached_property
    def _address(self) -> int:
        return _address(self.bytes)

    def request(self, *parts: NDArray[Any]) -> None:
        """Requests these parts, each a slice of the file without gaps."""
        for part in parts:
            if part.nbytes:
                start = _address(part) - self._address
                first, last = start // mmap.PAGESIZE, (start + part.nbytes - 1) // mmap.PAGESIZE
                if self._marks.find(0, first, last + 1) >= 0:
                    self._request(first, last)

    def request_items(self, items: NDArray[Any], which: NDArray[Any]) -> None:
        """Requests single items of a part of the file, in any order."""
        start, size = _address(items) - self._address, items.strides[0]
        end = start + len(items) * size
        if self._marks.find(0, start // mmap.PAGESIZE, -(-end // mmap.PAGESIZE)) < 0:
            return
        starts = start + which.astype(np.int64) * size
        pages = starts // mmap.PAGESIZE
        missing = pages[~self._requested[pages]]
        if start % size or mmap.PAGESIZE % size:  # items may cross from one page to the next
            ends = (starts + size - 1) // mmap.PAGESIZE
            missing = np.concatenate((missing, ends[~self._requested[ends]]))
        if len(missing):
            missing.sort()
            is_far = np.diff(missing) > _GAP
            firsts = missing[np.concatenate(([True], is_far))].tolist()
            lasts = missing[np.concatenate((is_far, [True]))].tolist()
            for first, last in zip(firsts, lasts, strict=True):
                self._request(first, last)

    @contextmanager
    def read_in_order(self) -> Iterator[None]:
        """Lets the system read ahead inside the block, which reads the whole file."""
        self._advise_all("MADV_NORMAL")
        try:
            yield
        finally:
            self._advise_all("MADV_RANDOM")

    def _request(self, first: int, last: int) -> None:
        self._requested[first : last + 1] = True
        if _CAN_ADVISE:
            for page in range(first, last + 1, _AT_ONCE):
                count = min(_AT_ONCE, last + 1 - page)
                start = page * mmap.PAGESIZE
                length = min(count * mmap.PAGESIZE, len(self.bytes) - start)
                self._map.madvise(mmap.MADV_WILLNEED, start, length)

    def _advise_all(self, advice: str) -> None:
        if _CAN_ADVISE:
            self._map.madvise(getattr(mmap, advice))


def _address(part: NDArray[Any]) -> int:
    return int(part.__array_interface__["data"][0])
