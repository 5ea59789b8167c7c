"""Vector files: damage, crashes and full disks cost vectors, but never give wrong results."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.providers.embedders.base import Vectors, unit
from memory_core.storage.index.vectors import write_ahead as tail
from memory_core.storage.index.vectors import zarr_rows
from memory_core.storage.index.vectors.model_vectors import ModelVectors
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from tests.storage.index.vectors.segment_files import found_ids

DIM = 8
PROJECT = Path(__file__).resolve().parents[3]
FOUR = ChunkSizes(chunk=4)  # rows that reach zarr at once


def rows(count: int, *, seed: int = 1) -> Vectors:
    return unit(np.random.default_rng(seed).standard_normal((count, DIM)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def opened(folder: Path, *, model: str = "m") -> ModelVectors:
    return ModelVectors(folder, fingerprint=model, dim=DIM, sizes=FOUR)


def filled(folder: Path, count: int = 10) -> ModelVectors:
    """Returns an index with ids 1 to 10: eight vectors in zarr, two in the write-ahead file."""
    file = opened(folder)
    for vector_id, row in enumerate(rows(count), start=1):
        file.add([vector_id], row[None])
    return file


def holds(file: ModelVectors, ids: range) -> bool:
    """Returns whether exactly these ids can be found, each by its own vector."""
    wanted = rows(10)
    return found_ids(file) == list(ids) and all(
        file.search(wanted[memory_id - 1], 1)[0] == [memory_id] for memory_id in ids
    )


def disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_vectors_survive_reopening(folder: Path) -> None:
    filled(folder)
    assert holds(opened(folder), range(1, 11))


def test_second_vector_of_an_id_is_ignored(folder: Path) -> None:
    file = filled(folder)
    size = len(disk(folder))
    file.add([3], rows(1, seed=9))
    assert holds(file, range(1, 11))
    assert len(disk(folder)) == size


def test_rows_not_of_unit_length_are_ignored(folder: Path) -> None:
    file = opened(folder)
    file.add([1, 2], np.stack([np.zeros(DIM, dtype=np.float32), rows(1)[0]]))
    assert file.contains([1, 2, 3]).tolist() == [False, True, False]


def test_a_query_of_another_width_finds_nothing(folder: Path) -> None:
    assert filled(folder).search(np.ones(DIM + 1, dtype=np.float32), 3) == ([], [])


@pytest.mark.parametrize("model", ["another", "m"])
def test_vectors_of_another_model_or_width_are_dropped(folder: Path, model: str) -> None:
    filled(folder)
    dim = DIM if model == "another" else DIM + 2
    assert found_ids(ModelVectors(folder, fingerprint=model, dim=dim, sizes=FOUR)) == []
    assert found_ids(opened(folder)) == []


@pytest.mark.parametrize("lost", [1, 20, 29])
def test_torn_write_ahead_file_loses_only_the_torn_record(folder: Path, lost: int) -> None:
    filled(folder)
    tail = folder / "tail.f16"
    tail.write_bytes(tail.read_bytes()[:-lost])
    file = opened(folder)
    kept = 9 if lost < 29 else 8
    assert holds(file, range(1, kept + 1))
    file.add([10], rows(10)[9:])
    assert 10 in found_ids(opened(folder))


def test_flipped_bit_in_the_write_ahead_file_loses_one_vector(folder: Path) -> None:
    filled(folder)
    tail = folder / "tail.f16"
    data = bytearray(tail.read_bytes())
    data[-1] ^= 1
    tail.write_bytes(data)
    assert holds(opened(folder), range(1, 10))


def _garbage(path: Path) -> None:
    path.write_bytes(np.random.default_rng(3).bytes(max(64, path.stat().st_size)))


def _half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


DAMAGES = [_garbage, _half, _empty, Path.unlink]
FILES = [
    "tail.f16",
    "embeddings.zarr/zarr.json",
    "embeddings.zarr/ids/zarr.json",
    "embeddings.zarr/embeddings/zarr.json",
    "embeddings.zarr/ids/c/0",
    "embeddings.zarr/embeddings/c.0.0",
]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_damaged_vector_file_loses_vectors_but_returns_no_wrong_ones(
    folder: Path, name: str, damage: Callable[[Path], None]
) -> None:
    filled(folder)
    damage(folder / name)
    file = opened(folder)
    wanted = rows(10)
    kept = found_ids(file, 10)
    assert all(file.search(wanted[memory_id - 1], 1)[0] == [memory_id] for memory_id in kept)
    missing = [number for number in range(1, 11) if number not in kept]
    file.add(missing, wanted[[memory_id - 1 for memory_id in missing]])
    assert holds(file, range(1, 11))
    assert holds(opened(folder), range(1, 11))


def test_crash_between_the_two_arrays_loses_no_vectors(folder: Path) -> None:
    file = filled(folder, count=7)
    tail = (folder / "tail.f16").read_bytes()
    file.add([8], rows(10)[7:8])
    shutil.rmtree(folder / "embeddings.zarr" / "ids")
    _shorter_ids(folder)
    (folder / "tail.f16").write_bytes(tail)
    assert holds(opened(folder), range(1, 8))


def test_zarr_can_read_the_stored_vectors(folder: Path) -> None:
    import zarr

    file = filled(folder)
    file.erase([2])
    group = zarr.open_group(str(folder / "embeddings.zarr"), mode="r")
    wanted = rows(8).astype(np.float16)
    wanted[1] = 0.0
    assert np.array_equal(group["embeddings"][:], wanted)
    assert np.asarray(group["ids"][:]).tolist() == [1, 0, 3, 4, 5, 6, 7, 8]


def test_opening_and_searching_do_not_import_zarr(folder: Path) -> None:
    filled(folder).close()
    code = f"""
import sys
from pathlib import Path
from tests.storage.index.test_local_disk import holds, opened
assert holds(opened(Path({str(folder)!r})), range(1, 11))
sys.exit("zarr" in sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], cwd=PROJECT, check=True, timeout=120)


def test_a_group_that_zarr_wrote_is_read(folder: Path) -> None:
    import zarr

    group = zarr.open_group(str(folder / "embeddings.zarr"), mode="w")
    group.create_array(
        "embeddings",
        shape=(0, DIM),
        chunks=(4, DIM),
        dtype="float16",
        compressors=None,
        chunk_key_encoding={"name": "default", "separator": "."},
    ).append(rows(8).astype(np.float16))
    group.create_array("ids", shape=(0,), chunks=(4,), dtype="int64", compressors=None).append(
        np.arange(1, 9)
    )
    group.attrs["model"] = f"m {DIM}"
    assert holds(opened(folder), range(1, 9))


def test_records_after_a_failed_write_are_readable(folder: Path) -> None:
    file = filled(folder)
    with (folder / "tail.f16").open("ab") as tail:
        tail.write(b"half a rec")  # as a full disk leaves it
    file.add([11], rows(11)[10:])
    assert opened(folder).contains([9, 10, 11]).all()


def test_fully_erased_chunk_is_deleted(folder: Path) -> None:
    file = filled(folder)
    path = folder / "embeddings.zarr" / "embeddings" / "c.0.0"
    file.erase([1, 2, 3])
    assert path.exists()
    file.erase([4])
    assert not path.exists()
    assert opened(folder).contains(range(1, 11)).tolist() == [False] * 4 + [True] * 6
    file.add(list(range(1, 5)), rows(4))
    assert holds(opened(folder), range(1, 11))


def test_more_chunks_are_read_than_are_open_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zarr_rows, "_MAX_OPEN", 2)
    wanted, ids = rows(40), range(1, 41)
    file = opened(folder)
    file.add(ids, wanted)
    for index in (file, opened(folder)):
        found = index.rows(ids)
        assert np.allclose([found[n] for n in ids], wanted, atol=1e-2)
        assert len(index._rows._files._files) == 2


def test_vectors_of_a_truncated_chunk_can_be_added_again(folder: Path) -> None:
    filled(folder)
    path = folder / "embeddings.zarr" / "embeddings" / "c.1.0"
    path.write_bytes(path.read_bytes()[:-1])
    file = opened(folder)
    assert file.contains(range(1, 9)).tolist() == [True] * 4 + [False] * 4
    file.add([5, 6, 7, 8], rows(8)[4:])
    assert holds(file, range(1, 11))
    assert holds(opened(folder), range(1, 11))


def _shorter_ids(folder: Path) -> None:
    """The ids as they stood before the last chunk: four instead of eight."""
    import zarr

    group = zarr.open_group(str(folder / "embeddings.zarr"), mode="r+")
    group.create_array("ids", shape=(4,), chunks=(4,), dtype="int64", compressors=None)
    group["ids"][:] = np.arange(1, 5)


def test_erased_vectors_are_gone_from_the_disk(folder: Path) -> None:
    file = filled(folder)
    doomed = [rows(10)[number].astype(np.float16).tobytes() for number in (1, 5, 9)]
    assert all(row in disk(folder) for row in doomed)
    file.erase([2, 6, 10])
    assert not any(row in disk(folder) for row in doomed)
    assert found_ids(opened(folder)) == [
        1,
        3,
        4,
        5,
        7,
        8,
        9,
    ]


def _full(*_: object, **__: object) -> None:
    raise StorageFailed("no space left")


class FullAfter:
    """A disk that is full once it took so many files."""

    def __init__(self, writes: int) -> None:
        self._left = writes

    def __call__(self, path: Path, data: bytes) -> None:
        self._left -= 1
        if self._left < 0:
            raise StorageFailed("no space left")
        path.write_bytes(data)


def test_erasing_that_failed_on_a_full_disk_succeeds_at_the_next_try(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = filled(folder)
    doomed = rows(10)[9].astype(np.float16).tobytes()
    monkeypatch.setattr(tail.durable_files, "replace", _full)
    with pytest.raises(StorageFailed):
        file.erase([10])
    monkeypatch.undo()
    assert doomed in disk(folder)
    file.erase([10])
    assert doomed not in disk(folder)


@pytest.mark.parametrize("writes", range(5))
def test_erasing_covers_a_chunk_whose_append_failed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    file = filled(folder)
    doomed = rows(12)[10].astype(np.float16).tobytes()
    monkeypatch.setattr(zarr_rows.durable_files, "replace", FullAfter(writes))
    with pytest.raises(StorageFailed):
        file.add([11, 12], rows(12)[10:])
    monkeypatch.undo()
    again = opened(folder)
    again.erase([11])
    assert doomed not in disk(folder)
    again.add([11], rows(11)[10:])
    assert found_ids(opened(folder)) == list(range(1, 13))


def test_vector_discarded_and_added_again_is_found_once(folder: Path) -> None:
    file = filled(folder)
    file.discard([9])
    file.add([9], rows(10)[8:9])
    again = opened(folder)
    assert again.search(rows(10)[8], 10)[0].count(9) == 1
    assert len(found_ids(again)) == 10
