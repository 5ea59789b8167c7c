"""Segments: found is what numpy finds, while they are built, from whatever a crash leaves."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory_core.embedders.base import Vectors, unit
from memory_core.stores import segment_file, vectors
from memory_core.stores.rows_on_disk import Rows
from memory_core.stores.segment import Segment
from memory_core.stores.segment_file import PAGE, pack, read_header
from memory_core.stores.sizes import Sizes
from memory_core.stores.vectors import VectorFile

DIM = 16
SMALL = Sizes(chunk=64, segment=256, merge=4)
COUNT = 700  # two segments, two chunks that none covers, sixty rows in the tail


def drawn(count: int, *, clustered: bool, seed: int = 1) -> Vectors:
    random = np.random.default_rng(seed)
    noise = unit(random.standard_normal((count, DIM)))
    centres = unit(np.random.default_rng(0).standard_normal((9, DIM)))
    return unit(noise + 2.0 * centres[random.integers(0, 9, count)]) if clustered else noise


ROWS = drawn(COUNT, clustered=True)
IDS = np.arange(1, COUNT + 1)


def opened(folder: Path, *, sizes: Sizes = SMALL) -> VectorFile:
    return VectorFile(folder, fingerprint="m", dim=DIM, sizes=sizes)


def upkept(file: VectorFile) -> VectorFile:
    while file.maintain():
        pass
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With all its segments."""
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    upkept(file).close()
    return tmp_path


def once_built(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Has this done between the building of a segment and its taking over."""
    build = vectors.build
    monkeypatch.setattr(vectors, "build", lambda plan: (build(plan), act()))


def files(folder: Path) -> list[Path]:
    return sorted((folder / "segments").iterdir())


def covered(folder: Path) -> list[tuple[int, int]]:
    headers = [read_header(it) for it in files(folder)]
    return sorted((it.first, it.count) for it in headers)


def recall(file: VectorFile, rows: Vectors, *, gone: frozenset[int] = frozenset()) -> float:
    """The share of the nearest twenty, as numpy has them, that is found; never what is gone."""
    alive = [it for it in IDS.tolist() if it not in gone]
    shares = []
    for query in drawn(20, clustered=True, seed=2):
        cosines = rows[np.array(alive) - 1] @ query
        wanted = {alive[it] for it in np.argsort(-cosines)[:20]}
        found, told = file.search(query, 20)
        assert gone.isdisjoint(found)
        assert told == pytest.approx([float(rows[it - 1] @ query) for it in found], abs=2e-3)
        shares.append(len(wanted & set(found)) / 20)
    return float(np.mean(shares))


# ---- the search


def test_the_oldest_rows_come_into_segments(folder: Path) -> None:
    assert covered(folder) == [(0, 256), (256, 256)]
    assert recall(opened(folder), ROWS) >= 0.97


@pytest.mark.parametrize("clustered", [True, False])
def test_a_segment_is_calibrated_against_the_exact_search(tmp_path: Path, clustered: bool) -> None:
    file = opened(tmp_path, sizes=Sizes(chunk=256, segment=2048, merge=4))
    rows = drawn(2048, clustered=clustered)
    file.add(list(range(1, 2049)), rows)
    upkept(file)
    (segment,) = files(tmp_path)
    assert read_header(segment).recall >= 0.97
    queries = drawn(30, clustered=clustered, seed=3)
    wanted = [set((np.argsort(-(rows @ it))[:20] + 1).tolist()) for it in queries]
    found = [set(file.search(it, 20)[0]) for it in queries]
    shares = [len(a & b) / 20 for a, b in zip(wanted, found, strict=True)]
    assert np.mean(shares) >= (0.97 if clustered else 0.95)


def test_neighbouring_segments_become_one(folder: Path) -> None:
    file = opened(folder)
    file.add(range(COUNT + 1, 1051), drawn(350, clustered=True, seed=5))
    upkept(file)
    assert covered(folder) == [(0, 1024)]
    assert len(file) == 1050


def test_what_became_one_becomes_one_with_its_neighbours_again(tmp_path: Path) -> None:
    file = opened(tmp_path, sizes=Sizes(chunk=16, segment=32, merge=2, merges=2))
    for first in range(1, 225, 32):
        file.add(range(first, first + 32), ROWS[first : first + 32])
        upkept(file)
    assert covered(tmp_path) == [(0, 128), (128, 64), (192, 32)]
    assert len(file) == 224


def test_all_are_found_by_who_wants_all(folder: Path) -> None:
    file = opened(folder)
    for limit in (COUNT, 2 * COUNT):
        assert sorted(file.search(ROWS[0], limit)[0]) == IDS.tolist()


def test_few_that_are_left_are_found_though_they_lie_far_away(tmp_path: Path) -> None:
    file = opened(tmp_path, sizes=Sizes(chunk=256, segment=2048, merge=4))
    rows = drawn(2048, clustered=True)
    file.add(list(range(1, 2049)), rows)
    upkept(file)
    (segment,) = files(tmp_path)
    assert read_header(segment).nprobe < read_header(segment).lists
    farthest = np.argsort(rows @ rows[0])[:30] + 1
    file.discard(set(range(1, 2049)) - set(farthest.tolist()))
    assert set(file.search(rows[0], 30)[0]) == set(farthest.tolist())


def test_the_exact_search_among_some_is_in_order_and_complete(folder: Path) -> None:
    file, some = opened(folder), [3, 300, 520, 699, 700, 9999]
    wanted = sorted(some[:5], key=lambda it: -float(ROWS[it - 1] @ ROWS[299]))
    assert file.nearest_of(ROWS[299], some, 10)[0] == wanted
    assert file.nearest_of(ROWS[299], some, 2)[0] == wanted[:2]


def test_each_row_is_given_back_as_it_was(folder: Path) -> None:
    given = opened(folder).rows([5, 300, 650, 700, 12345])
    assert list(given) == [5, 300, 650, 700]
    assert np.allclose(np.stack(list(given.values())), ROWS[[4, 299, 649, 699]], atol=2e-3)


def test_before_anything_is_built_all_is_found_exactly(tmp_path: Path) -> None:
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    assert recall(file, ROWS) == 1.0
    assert recall(opened(tmp_path), ROWS) == 1.0


# ---- what is gone


def test_what_is_discarded_is_not_found_and_comes_back(folder: Path) -> None:
    file, gone = opened(folder), frozenset(range(100, 600))
    file.discard(gone)
    assert recall(file, ROWS, gone=gone) >= 0.97
    assert len(file) == COUNT - len(gone)
    file.revive([it for it in gone if it < 300])
    assert recall(file, ROWS, gone=frozenset(range(300, 600))) >= 0.97


def test_a_segment_with_a_quarter_dead_is_built_anew(folder: Path) -> None:
    file, before = opened(folder), files(folder)
    file.discard(range(1, 65))
    upkept(file)
    now = files(folder)
    assert [it in now for it in before] == [False, True]
    assert sorted(read_header(it).listed for it in now) == [192, 256]


def test_what_was_left_out_of_a_segment_has_to_come_anew(folder: Path) -> None:
    file = opened(folder)
    file.discard(range(1, 65))
    upkept(file)
    file.revive([7])
    assert not file.knows([7]).any()
    file.add([7], ROWS[6:7])
    assert file.search(ROWS[6], 1)[0] == [7]
    again = opened(folder)
    assert again.search(ROWS[6], 1)[0] == [7]
    assert again.knows([6, 7]).tolist() == [False, True]


def test_what_comes_back_while_a_segment_is_built_without_it_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(folder)
    file.discard(range(1, 65))

    once_built(monkeypatch, lambda: file.revive([7]))
    upkept(file)
    assert file.search(ROWS[6], 1)[0] == [7]


def traces(folder: Path, vector_id: int, row: Vectors, codes: list[bytes]) -> list[str]:
    """Which files hold the id, the row, or what FAISS made of it."""
    needles = [vector_id.to_bytes(8, "little"), row.astype("<f2").tobytes(), *codes]
    parts = [it for it in folder.rglob("*") if it.is_file()]
    return [it.name for it in parts if any(needle in it.read_bytes() for needle in needles)]


def code_of(folder: Path, row: Vectors) -> list[bytes]:
    import faiss

    made = []
    for path in files(folder):
        header, data = read_header(path), np.fromfile(path, dtype=np.uint8)[PAGE:]
        index = faiss.deserialize_index(data[header.faiss_at :])
        made.append(index.sq.compute_codes(row[None]).tobytes())
    return made


def test_erasing_takes_a_vector_out_of_every_file(tmp_path: Path) -> None:
    file = opened(tmp_path)
    ids = np.random.default_rng(3).integers(1, 1 << 62, COUNT)
    file.add(ids.tolist(), ROWS)
    upkept(file)
    doomed = [0, 1, 300, 301, 511, 620, 699]
    rows = ROWS.astype(np.float16).astype(np.float32)
    codes = {at: code_of(tmp_path, rows[at]) for at in doomed}
    assert all(len(traces(tmp_path, int(ids[at]), rows[at], codes[at])) > 1 for at in doomed[:5])
    file.erase(ids[doomed].tolist())
    assert not any(traces(tmp_path, int(ids[at]), rows[at], codes[at]) for at in doomed)
    left = np.delete(ids, doomed)
    for it in (file, upkept(opened(tmp_path))):
        assert it.knows(left.tolist()).all()
        assert not it.knows(ids[doomed].tolist()).any()
        assert len(it) == len(left)
        assert set(it.search(ROWS[0], COUNT)[0]) == set(left.tolist())
    assert len(files(tmp_path)) == 2  # their sums are right: none was built anew


def test_what_is_erased_while_a_segment_is_built_is_not_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    once_built(monkeypatch, lambda: file.erase([5, 6]))
    assert file.maintain()
    assert covered(tmp_path) == [(0, 256)]
    assert not file.knows([5, 6]).any()
    assert set(file.search(ROWS[4], COUNT)[0]) == set(IDS.tolist()) - {5, 6}
    assert len(opened(tmp_path)) == COUNT - 2


def test_what_is_built_for_a_file_that_was_closed_meanwhile_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    once_built(monkeypatch, lambda: file.close())
    file.maintain()
    assert files(tmp_path) == []


def test_adding_and_searching_go_on_while_a_segment_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, build = opened(tmp_path), vectors.build
    file.add(IDS.tolist(), ROWS)
    found: list[list[int]] = []

    def meanwhile() -> None:
        file.add([9000], -ROWS[:1])
        found.append(file.search(-ROWS[0], 1)[0])

    def watched(plan: vectors.Plan) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(meanwhile).result(timeout=30)
        build(plan)

    monkeypatch.setattr(vectors, "build", watched)
    assert file.maintain()
    assert found == [[9000]]
    assert recall(file, ROWS) >= 0.97


# ---- crashes and damage


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def _only_begun(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: PAGE // 2])


def _flip_header(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[data.index(b'"nprobe": ') + 10] ^= 1
    path.write_bytes(data)


def _another_version(path: Path) -> None:
    data, before = path.read_bytes(), segment_file.VERSION
    try:
        segment_file.VERSION = before + 1
        path.write_bytes(pack(read_header_as(before, data)) + data[PAGE:])
    finally:
        segment_file.VERSION = before


def read_header_as(version: int, data: bytes) -> segment_file.Header:
    now, segment_file.VERSION = segment_file.VERSION, version
    try:
        return segment_file.unpack(data[:PAGE])
    finally:
        segment_file.VERSION = now


def _flip_code(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-200] ^= 4
    path.write_bytes(data)


def _garbage(path: Path) -> None:
    path.write_bytes(np.random.default_rng(3).bytes(path.stat().st_size))


DAMAGES = [_cut, _only_begun, _flip_header, _another_version, _flip_code, _garbage, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_segment_is_built_anew(folder: Path, damage: Callable[[Path], None]) -> None:
    before = files(folder)
    damage(before[0])
    file = opened(folder)
    assert recall(file, ROWS) >= 0.9  # nothing wrong is found, and hardly less
    upkept(file)
    assert recall(file, ROWS) >= 0.97
    assert covered(folder) == [(0, 256), (256, 256)]
    assert before[0] not in files(folder)


def test_what_a_crash_left_beside_the_segments_goes(folder: Path) -> None:
    before = files(folder)
    (folder / "segments" / "tmpabc.unfinished").write_bytes(b"half")
    later = folder / "segments" / "0-256-99.ivf"
    later.write_bytes(before[0].read_bytes())  # swapped in, the old one not deleted yet
    file = opened(folder)
    assert recall(file, ROWS) >= 0.97
    assert files(folder) == sorted([later, before[1]])
    assert len(file) == COUNT


def test_a_segment_that_says_more_than_zarr_has_is_not_used(folder: Path) -> None:
    Rows.begun(folder / "embeddings.zarr", mark=f"m {DIM}", dim=DIM, chunk=SMALL.chunk)
    file = opened(folder)
    assert len(file) == 60  # the tail
    assert files(folder) == []


def test_segments_of_another_model_are_not_used(folder: Path) -> None:
    other = VectorFile(folder, fingerprint="n", dim=DIM, sizes=SMALL)
    other.add(IDS.tolist(), ROWS[::-1].copy())
    assert recall(other, ROWS[::-1]) == 1.0
    assert files(folder) == []


def test_a_lost_chunk_below_a_segment_is_asked_for_again(folder: Path) -> None:
    with (folder / "embeddings.zarr" / "vectors" / "c" / "0" / "0").open("r+b") as vectors:
        vectors.seek(2 * 16)
        vectors.write(b"\xff" * 16)  # its place in the index
    file, lost = opened(folder), list(range(129, 193))
    assert not file.knows(lost).any()
    assert file.knows([128, 193]).all()
    file.add(lost, ROWS[128:192])
    assert recall(upkept(file), ROWS) >= 0.97
    assert recall(opened(folder), ROWS) >= 0.97
    again = opened(folder)
    again.erase([130])
    left = b"".join(it.read_bytes() for it in folder.rglob("*") if it.is_file())
    assert ROWS[129].astype("<f2").tobytes() not in left
    assert again.knows([129, 131]).all()


def test_a_crash_between_zarr_and_the_segments_leaves_erasing_to_be_done_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(folder)
    monkeypatch.setattr(Segment, "erase", _crash)
    with pytest.raises(KeyboardInterrupt):
        file.erase([5])
    monkeypatch.undo()
    again = opened(folder)
    assert 5 not in again.search(ROWS[4], 20)[0]
    again.erase([5])
    assert not again.knows([5]).any()
    assert upkept(again).search(ROWS[4], COUNT)[0].count(5) == 0


def _crash(*_: object) -> None:
    raise KeyboardInterrupt
