"""Single rows of files, of which only the requested and read pages are read."""

import mmap
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_core.infra.row_files import RowFiles, Table
from tests.infra.page_cache import cached_pages, on_linux, wait_until_cached

ROWS, ROW_BYTES = 10, 16


def files_in(folder: Path, *, max_open: int = 4) -> RowFiles:
    def path_of(number: int) -> str:
        return str(folder / str(number))

    return RowFiles(path_of, rows=ROWS, row_bytes=ROW_BYTES, max_open=max_open)


def write(path: Path, first: int, *, rows: int = ROWS) -> None:
    path.write_bytes(np.arange(first, first + 2 * rows, dtype="<i8").tobytes())


def numbers(table: Table | None) -> list[int]:
    assert table is not None
    return table.view("<i8").reshape(-1).tolist()


def test_rows_come_in_the_order_they_are_named_in(tmp_path: Path) -> None:
    write(tmp_path / "7", 100)
    files = files_in(tmp_path)
    files.request(7, [(0, 1), (3, ROWS)])
    assert numbers(files.read(7, [9, 0])) == [118, 119, 100, 101]


def test_lost_file_and_file_of_another_size_have_no_rows(tmp_path: Path) -> None:
    write(tmp_path / "1", 0, rows=ROWS - 1)
    files = files_in(tmp_path)
    for number in (1, 2):
        files.request(number, [(0, 1)])
        assert files.read(number, [0]) is None
    write(tmp_path / "2", 0)
    assert numbers(files.read(2, [0])) == [0, 1]


@pytest.mark.parametrize("left", [0, 5 * ROW_BYTES, ROWS * ROW_BYTES - 1])
def test_file_that_is_cut_off_while_it_is_open_has_no_rows(tmp_path: Path, left: int) -> None:
    write(tmp_path / "1", 0)
    files = files_in(tmp_path)
    assert numbers(files.read(1, [0])) == [0, 1]
    os.truncate(tmp_path / "1", left)
    assert files.read(1, [0, ROWS - 1]) is None
    write(tmp_path / "1", 50)
    assert numbers(files.read(1, [0, ROWS - 1])) == [50, 51, 68, 69]


def test_more_files_are_read_than_stay_open(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path / str(number), 100 * number)
    files = files_in(tmp_path, max_open=2)
    for _ in range(2):
        found = [numbers(files.read(number, [1])) for number in range(9)]
        assert found == [[100 * number + 2, 100 * number + 3] for number in range(9)]
        assert len(files._files) == 2
    files.close()
    assert not files._files


def test_dropped_file_is_opened_again(tmp_path: Path) -> None:
    write(tmp_path / "1", 0)
    files = files_in(tmp_path)
    assert numbers(files.read(1, [0])) == [0, 1]
    write(tmp_path / "new", 50)
    (tmp_path / "new").replace(tmp_path / "1")
    files.drop(1)
    assert numbers(files.read(1, [0])) == [50, 51]


def of_pages(path: Path) -> RowFiles:
    pages = -(-path.stat().st_size // mmap.PAGESIZE)
    with path.open("ab") as file:
        file.truncate(pages * mmap.PAGESIZE)
    return RowFiles(lambda number: str(path), rows=pages, row_bytes=mmap.PAGESIZE, max_open=1)


def read_page(files: RowFiles, page: int) -> None:
    files.read(0, [page])


def request_pages(files: RowFiles, page: int) -> None:
    files.request(0, [(page, page + 1)])


@on_linux
def test_row_is_read_without_its_surroundings(uncached: Path) -> None:
    read: list[Callable[[RowFiles, int], None]] = [read_page, request_pages]
    files, before = of_pages(uncached), cached_pages(uncached)
    for page, action in zip((200, 100), read, strict=True):
        action(files, page)
        wait_until_cached(uncached, {page})
    assert cached_pages(uncached) - before == {100, 200}


def test_rows_of_a_file_that_is_read_often_stay_the_same(tmp_path: Path) -> None:
    write(tmp_path / "1", 100)
    files = files_in(tmp_path)
    for _ in range(20):
        files.request(1, [(0, 2), (9, ROWS)])
        assert numbers(files.read(1, [9, 0])) == [118, 119, 100, 101]
    assert files._files[1]._mapped is not None
    write(tmp_path / "1", 0, rows=ROWS - 1)
    assert files.read(1, [0]) is None
    assert files.read(1, [0]) is None
