"""A file of many pages, and which of them the system has read."""

import ctypes
import mmap
import sys
import time
from pathlib import Path

import numpy as np
import pytest

PAGES = 400
LONG_S = 30.0
DISK = Path("/var/tmp")  # noqa: S108  (other temporary files may be in memory)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what it has cached")


def written(path: Path) -> Path:
    """Writes 64-bit words with their numbers, PAGES pages less one word."""
    path.write_bytes(np.arange(PAGES * mmap.PAGESIZE // 8 - 1, dtype="<i8").tobytes())
    return path


def cached_pages(path: Path) -> set[int]:
    """Returns the pages of a file that the system has in its cache."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | 2)
    found = (ctypes.c_ubyte * PAGES)()
    start = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(mapped)))
    assert ctypes.CDLL(None).mincore(start, ctypes.c_size_t(len(mapped)), found) == 0
    return {page for page in range(PAGES) if found[page] & 1}


def wait_until_cached(path: Path, pages: set[int]) -> None:
    end = time.monotonic() + LONG_S
    while not pages <= cached_pages(path):
        assert time.monotonic() < end, f"{pages - cached_pages(path)} were not read"
