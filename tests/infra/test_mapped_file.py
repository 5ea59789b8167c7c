"""A mapped file, of which only the requested pages are read."""

import mmap
from pathlib import Path

import numpy as np

from memory_core.infra.mapped_file import MappedFile
from tests.infra.page_cache import cached_pages, on_linux, wait_until_cached, written


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
