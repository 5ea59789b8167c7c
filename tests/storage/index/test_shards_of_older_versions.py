"""Vectors of earlier versions, 64 chunks a file, are converted and not embedded again.

Such a version wrote tests/data/vectors-in-shards: ids 1 to 10, of which 2 is erased.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.storage.index.vectors import zarr_rows
from tests.storage.index.test_local_disk import DAMAGES, FullAfter, opened, rows

OLD = Path(__file__).parents[2] / "data" / "vectors-in-shards"
LEFT = [1, *range(3, 11)]
SHARD = Path("embeddings.zarr", "vectors", "c", "0", "0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(OLD, tmp_path / "index")


def halves(folder: Path) -> dict[int, bytes]:
    """The rows as they are kept, by their ids."""
    found = opened(folder).rows(range(1, 11))
    return {vector_id: row.astype(np.float16).tobytes() for vector_id, row in found.items()}


def wanted(ids: list[int]) -> dict[int, bytes]:
    return {memory_id: rows(10)[memory_id - 1].astype(np.float16).tobytes() for memory_id in ids}


def test_rows_in_old_shards_are_found_bit_for_bit(folder: Path) -> None:
    assert halves(folder) == wanted(LEFT)
    assert not (folder / "embeddings.zarr" / "vectors").exists()
    assert halves(folder) == wanted(LEFT)


def test_converted_rows_keep_their_positions(folder: Path) -> None:
    import zarr

    opened(folder)
    group = zarr.open_group(str(folder / "embeddings.zarr"), mode="r")
    before = zarr.open_group(str(OLD / "embeddings.zarr"), mode="r")
    assert np.array_equal(group["embeddings"][:], before["vectors"][:])
    assert np.array_equal(group["ids"][:], before["ids"][:])


@pytest.mark.parametrize("writes", range(4))
def test_conversion_continues_after_a_full_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(zarr_rows.durable_files, "replace", FullAfter(writes))
        with pytest.raises(StorageFailed):
            opened(folder)
    assert halves(folder) == wanted(LEFT)


def test_conversion_continues_while_old_rows_are_being_removed(folder: Path) -> None:
    opened(folder)
    shard = folder / SHARD
    shard.parent.mkdir(parents=True)
    shutil.copy(OLD / SHARD, shard)
    assert halves(folder) == wanted(LEFT)
    assert not shard.exists()


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # zarr adds up garbage
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_shard_costs_its_rows_only(folder: Path, damage: Callable[[Path], None]) -> None:
    damage(folder / SHARD)
    assert halves(folder) == wanted([9, 10])


def test_a_shard_without_its_end_keeps_its_other_chunks(folder: Path) -> None:
    shard = folder / SHARD
    shard.write_bytes(shard.read_bytes()[:-1])
    assert halves(folder) == wanted([1, 3, 4, 9, 10])


def test_converted_rows_can_be_erased(folder: Path) -> None:
    file = opened(folder)
    file.erase([1])
    assert halves(folder) == wanted(LEFT[1:])
    row = wanted([1])[1]
    assert not any(row in path.read_bytes() for path in folder.rglob("*") if path.is_file())
