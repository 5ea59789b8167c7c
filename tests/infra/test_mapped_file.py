"""A mapped file, of which only the requested pages are read."""

import ctypes
import mmap
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from memory_core.infra.mapped_file import MappedFile

PAGES = 400
LONG_S = 30.0


DISK = Path("/var/tmp")  # noqa: S108  (other temporary files may be in memory)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="asks Linux what it has cached")


def written(path: Path) -> Path:
    """Writes 64-bit words with their numbers, PAGES pages less one word."""
    path.write_bytes(np.arange(PAGES * mmap.PAGESIZE // 8 - 1, dtype="<i8").tobytes())
    return path


@pytest.fixture
def uncached() -> Iterator[Path]:
    """Yields the path of such a file that the system has not cached."""
    with TemporaryDirectory(dir=DISK) as folder:
        path = written(Path(folder) / "words")
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if cached_pages(path):
            pytest.skip(f"{DISK} keeps its files in memory")
        yield path


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


def words_of(pages: list[int]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array(pages) * (mmap.PAGESIZE // 8)


def test_mapped_file_has_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = written(tmp_path / "words")
    assert MappedFile(path).bytes.tobytes() == path.read_bytes()


def test_parts_and_items_have_their_values_after_a_request(tmp_path: Path) -> None:
    file = MappedFile(written(tmp_path / "words"))
    words = file.bytes.view("<i8")
    file.request(words[3:9], words[:0], words[-5:], words)
    file.request_items(words[7:], np.array([], dtype=np.int64))
    file.request_items(words[7:], words_of([3, 390, 2]))
    with file.read_in_order():
        assert words.tolist() == list(range(len(words)))


@on_linux
def test_page_that_was_not_requested_is_read_alone(uncached: Path) -> None:
    file = MappedFile(uncached)
    assert file.bytes.view("<i8")[words_of([200])].tolist() == words_of([200]).tolist()
    assert cached_pages(uncached) == {200}


@on_linux
def test_request_items_reads_their_pages_and_no_others(uncached: Path) -> None:
    file = MappedFile(uncached)
    file.request_items(file.bytes.view("<i8"), words_of([200, 10, 399, 12]))
    wanted = {10, 11, 12, 200, 399}  # one request, as 10 and 12 are near each other
    wait_until_cached(uncached, wanted)
    assert cached_pages(uncached) == wanted


@on_linux
def test_request_reads_a_long_part_to_its_end(uncached: Path) -> None:
    file = MappedFile(uncached)
    file.request(file.bytes[50 * mmap.PAGESIZE + 1 : 350 * mmap.PAGESIZE])
    wait_until_cached(uncached, set(range(50, 350)))
    assert cached_pages(uncached) == set(range(50, 350))


@on_linux
def test_item_across_two_pages_is_read_whole(uncached: Path) -> None:
    file = MappedFile(uncached)
    items = file.bytes[: 1000 * 768].view("<f2").reshape(1000, 384)
    first = 325 * 768 // mmap.PAGESIZE
    assert (first + 1) * mmap.PAGESIZE <= 326 * 768 - 1
    file.request_items(items, np.array([325]))
    wait_until_cached(uncached, {first, first + 1})
    assert cached_pages(uncached) == {first, first + 1}
