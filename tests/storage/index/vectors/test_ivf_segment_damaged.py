"""Segments find the same as numpy after crashes and disk damage."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_core.storage.index.vectors import ivf_file
from memory_core.storage.index.vectors.ivf_file import PAGE, pack
from memory_core.storage.index.vectors.ivf_segment import IvfSegment
from memory_core.storage.index.vectors.model_vectors import ModelVectors
from tests.forensics import holding
from tests.storage.index.vectors.segment_files import (
    COUNT,
    DIM,
    IDS,
    ROWS,
    SMALL,
    covered,
    files,
    found_ids,
    opened,
    recall,
    upkept,
)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _only_begun(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: PAGE // 2])


def _flip_header(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b'"nprobe": ') + 10] ^= 1
    path.write_bytes(data)


def _another_version(path: Path) -> None:
    data, before = path.read_bytes(), ivf_file.VERSION
    try:
        ivf_file.VERSION = before + 1
        path.write_bytes(pack(read_header_as(before, data)) + data[PAGE:])
    finally:
        ivf_file.VERSION = before


def read_header_as(version: int, data: bytes) -> ivf_file.Header:
    now, ivf_file.VERSION = ivf_file.VERSION, version
    try:
        return ivf_file.unpack(data[:PAGE])
    finally:
        ivf_file.VERSION = now


def _flip_code(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-200] ^= 4
    path.write_bytes(data)


def _garbage(path: Path) -> None:
    path.write_bytes(np.random.default_rng(3).bytes(path.stat().st_size))


DAMAGES = [_cut, _only_begun, _flip_header, _another_version, _flip_code, _garbage, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_segment_is_rebuilt(folder: Path, damage: Callable[[Path], None]) -> None:
    before = files(folder)
    damage(before[0])
    file = opened(folder)
    assert recall(file, ROWS) >= 0.9  # nothing wrong is found, and hardly less
    upkept(file)
    assert recall(file, ROWS) >= 0.97
    assert covered(folder) == [(0, 256), (256, 256)]
    assert before[0] not in files(folder)


def test_files_that_a_crash_left_beside_the_segments_are_deleted(folder: Path) -> None:
    before = files(folder)
    (folder / "segments" / "tmpabc.unfinished").write_bytes(b"half")
    later = folder / "segments" / "0-256-99.ivf"
    later.write_bytes(before[0].read_bytes())  # swapped in, the old one not deleted yet
    file = opened(folder)
    assert recall(file, ROWS) >= 0.97
    assert files(folder) == sorted([later, before[1]])
    assert len(found_ids(file)) == COUNT


def test_segment_over_more_rows_than_zarr_has_is_not_used(folder: Path) -> None:
    shutil.rmtree(folder / "embeddings.zarr")
    file = opened(folder)
    assert len(found_ids(file)) == 60  # the tail
    assert files(folder) == []


def test_segments_of_another_model_are_not_used(folder: Path) -> None:
    other = ModelVectors(folder, fingerprint="n", dim=DIM, sizes=SMALL)
    other.add(IDS.tolist(), ROWS[::-1].copy())
    assert recall(other, ROWS[::-1]) == 1.0
    assert files(folder) == []


def test_vectors_of_a_lost_chunk_below_a_segment_are_pending_again(folder: Path) -> None:
    chunk = folder / "embeddings.zarr" / "embeddings" / "c.2.0"
    chunk.write_bytes(chunk.read_bytes()[:-1])
    file, lost = opened(folder), list(range(129, 193))
    assert not file.contains(lost).any()
    assert file.rows(lost) == {}
    assert file.contains([128, 193]).all()
    file.add(lost, ROWS[128:192])
    assert recall(upkept(file), ROWS) >= 0.97
    assert recall(opened(folder), ROWS) >= 0.97
    again = opened(folder)
    again.erase([130])
    assert holding(folder, ROWS[129].astype("<f2").tobytes()) == []
    assert again.contains([129, 131]).all()


def test_erasing_interrupted_between_zarr_and_segments_can_be_repeated(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(folder)
    monkeypatch.setattr(IvfSegment, "erase", _crash)
    with pytest.raises(KeyboardInterrupt):
        file.erase([5])
    monkeypatch.undo()
    again = opened(folder)
    assert 5 not in again.search(ROWS[4], 20)[0]
    again.erase([5])
    assert not again.contains([5]).any()
    assert upkept(again).search(ROWS[4], COUNT)[0].count(5) == 0


def _crash(*_: object) -> None:
    raise KeyboardInterrupt
