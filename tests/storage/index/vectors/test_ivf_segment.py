"""Segments find the same as numpy, while they are built and afterwards."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from memory_core.providers.embedders.base import Vectors
from memory_core.storage.index.vectors import model_vectors
from memory_core.storage.index.vectors.deleted_rows import DeletedRows
from memory_core.storage.index.vectors.ivf_file import PAGE, read_header
from memory_core.storage.index.vectors.ivf_segment import IvfSegment
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from tests.storage.index.vectors.segment_files import (
    COUNT,
    IDS,
    ROWS,
    covered,
    drawn,
    files,
    found_ids,
    opened,
    recall,
    upkept,
)


def once_built(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Calls `act` after a segment is built and before it is used."""
    build = model_vectors.build
    monkeypatch.setattr(model_vectors, "build", lambda plan: (build(plan), act()))


# ---- the search


def test_segments_are_built_over_the_oldest_rows(folder: Path) -> None:
    assert covered(folder) == [(0, 256), (256, 256)]
    assert recall(opened(folder), ROWS) >= 0.97


@pytest.mark.parametrize("clustered", [True, False])
def test_a_segment_is_calibrated_against_the_exact_search(tmp_path: Path, clustered: bool) -> None:
    file = opened(tmp_path, sizes=ChunkSizes(chunk=256, segment=2048, merge=4))
    rows = drawn(2048, clustered=clustered)
    file.add(list(range(1, 2049)), rows)
    upkept(file)
    (segment,) = files(tmp_path)
    assert read_header(segment).recall >= 0.97
    queries = drawn(30, clustered=clustered, seed=3)
    wanted = [set((np.argsort(-(rows @ query))[:20] + 1).tolist()) for query in queries]
    found = [set(file.search(query, 20)[0]) for query in queries]
    shares = [len(a & b) / 20 for a, b in zip(wanted, found, strict=True)]
    assert np.mean(shares) >= (0.97 if clustered else 0.95)


@pytest.mark.slow
def test_required_recall_is_lower_when_many_lists_are_needed(tmp_path: Path) -> None:
    file = opened(tmp_path, sizes=ChunkSizes(chunk=256, segment=16_384, merge=4))
    file.add(list(range(1, 16_385)), drawn(16_384, clustered=False))
    upkept(file)
    (segment,) = files(tmp_path)
    header = read_header(segment)
    assert 16 < header.nprobe < header.lists
    assert 0.96 <= header.recall < 0.97


def test_neighbouring_segments_are_merged(folder: Path) -> None:
    file = opened(folder)
    file.add(range(COUNT + 1, 1051), drawn(350, clustered=True, seed=5))
    upkept(file)
    assert covered(folder) == [(0, 1024)]
    assert len(found_ids(file)) == 1050


def test_merged_segments_are_merged_again(tmp_path: Path) -> None:
    file = opened(tmp_path, sizes=ChunkSizes(chunk=16, segment=32, merge=2, merges=2))
    for first in range(1, 225, 32):
        file.add(range(first, first + 32), ROWS[first : first + 32])
        upkept(file)
    assert covered(tmp_path) == [(0, 128), (128, 64), (192, 32)]
    assert len(found_ids(file)) == 224


def test_search_limited_to_all_rows_finds_every_vector(folder: Path) -> None:
    file = opened(folder)
    for limit in (COUNT, 2 * COUNT):
        assert sorted(file.search(ROWS[0], limit)[0]) == IDS.tolist()


def test_search_of_probed_lists_finds_what_the_search_finds(folder: Path) -> None:
    dead = DeletedRows()
    dead.set(np.arange(3, 256, 7))
    segment = IvfSegment(files(folder)[0])
    for query in drawn(20, clustered=True, seed=5)[:, None]:
        for nprobe in (1, segment.header.lists, 2 * segment.header.lists):
            (whole,) = segment.search(query, 30, dead, nprobe=nprobe)
            probed = segment.search_lists(query, 30, dead, segment.probe(query, nprobe=nprobe))
            assert probed.rows.tolist() == whole.rows.tolist() != []
            assert probed.ids.tolist() == whole.ids.tolist()
            assert probed.cosines.tolist() == whole.cosines.tolist()


def test_last_live_vectors_are_found_though_far_from_the_query(tmp_path: Path) -> None:
    file = opened(tmp_path, sizes=ChunkSizes(chunk=256, segment=2048, merge=4))
    rows = drawn(2048, clustered=True)
    file.add(list(range(1, 2049)), rows)
    upkept(file)
    (segment,) = files(tmp_path)
    assert read_header(segment).nprobe < read_header(segment).lists
    farthest = np.argsort(rows @ rows[0])[:30] + 1
    file.discard(set(range(1, 2049)) - set(farthest.tolist()))
    assert set(file.search(rows[0], 30)[0]) == set(farthest.tolist())


def test_search_among_ids_is_ordered_and_complete(folder: Path) -> None:
    file, some = opened(folder), [3, 300, 520, 699, 700, 9999]
    wanted = sorted(some[:5], key=lambda vector_id: -float(ROWS[vector_id - 1] @ ROWS[299]))
    assert file.search_among(ROWS[299], some, 10)[0] == wanted
    assert file.search_among(ROWS[299], some, 2)[0] == wanted[:2]


def test_rows_are_returned_as_they_were_added(folder: Path) -> None:
    given = opened(folder).rows([5, 300, 650, 700, 12345])
    assert list(given) == [5, 300, 650, 700]
    assert np.allclose(np.stack(list(given.values())), ROWS[[4, 299, 649, 699]], atol=2e-3)


def test_search_is_exact_before_any_segment_is_built(tmp_path: Path) -> None:
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    assert recall(file, ROWS) == 1.0
    assert recall(opened(tmp_path), ROWS) == 1.0


# ---- deleted vectors


def test_discarded_vector_is_hidden_until_it_is_revived(folder: Path) -> None:
    file, gone = opened(folder), frozenset(range(100, 600))
    file.discard(gone)
    assert recall(file, ROWS, gone=gone) >= 0.97
    assert len(found_ids(file)) == COUNT - len(gone)
    file.revive([memory_id for memory_id in gone if memory_id < 300])
    assert recall(file, ROWS, gone=frozenset(range(300, 600))) >= 0.97


def test_segment_with_a_quarter_dead_is_rebuilt(folder: Path) -> None:
    file, before = opened(folder), files(folder)
    file.discard(range(1, 65))
    upkept(file)
    now = files(folder)
    assert [path in now for path in before] == [False, True]
    assert sorted(read_header(path).listed for path in now) == [192, 256]


def test_vector_left_out_of_a_segment_must_be_added_again(folder: Path) -> None:
    file = opened(folder)
    file.discard(range(1, 65))
    upkept(file)
    file.revive([7])
    assert not file.contains([7]).any()
    file.add([7], ROWS[6:7])
    assert file.search(ROWS[6], 1)[0] == [7]
    again = opened(folder)
    assert again.search(ROWS[6], 1)[0] == [7]
    assert again.contains([6, 7]).tolist() == [False, True]


def test_vector_revived_during_a_build_is_found(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(folder)
    file.discard(range(1, 65))

    once_built(monkeypatch, lambda: file.revive([7]))
    upkept(file)
    assert file.search(ROWS[6], 1)[0] == [7]


def traces(folder: Path, vector_id: int, row: Vectors, codes: list[bytes]) -> list[str]:
    """Returns the names of files that hold the id, the row or its FAISS codes."""
    needles = [vector_id.to_bytes(8, "little"), row.astype("<f2").tobytes(), *codes]
    parts = [path for path in folder.rglob("*") if path.is_file()]
    return [part.name for part in parts if any(needle in part.read_bytes() for needle in needles)]


def code_of(folder: Path, row: Vectors) -> list[bytes]:
    import faiss

    made = []
    for path in files(folder):
        header, data = read_header(path), np.fromfile(path, dtype=np.uint8)[PAGE:]
        index = faiss.deserialize_index(data[header.faiss_at :])
        made.append(index.sq.compute_codes(row[None]).tobytes())
    return made


def test_erased_vector_leaves_every_file(tmp_path: Path) -> None:
    file = opened(tmp_path)
    ids = np.random.default_rng(3).integers(1, 1 << 62, COUNT)
    file.add(ids.tolist(), ROWS)
    upkept(file)
    doomed = [0, 1, 300, 301, 511, 620, 699]
    rows = ROWS.astype(np.float16).astype(np.float32)
    codes = {row: code_of(tmp_path, rows[row]) for row in doomed}
    assert all(
        len(traces(tmp_path, int(ids[row]), rows[row], codes[row])) > 1 for row in doomed[:5]
    )
    file.erase(ids[doomed].tolist())
    assert not any(traces(tmp_path, int(ids[row]), rows[row], codes[row]) for row in doomed)
    left = np.delete(ids, doomed)
    for index in (file, upkept(opened(tmp_path))):
        assert index.contains(left.tolist()).all()
        assert not index.contains(ids[doomed].tolist()).any()
        assert set(index.search(ROWS[0], COUNT)[0]) == set(left.tolist())
    assert len(files(tmp_path)) == 2  # checksums match, so none was rebuilt


def test_vector_erased_during_a_build_is_not_in_the_segment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    once_built(monkeypatch, lambda: file.erase([5, 6]))
    assert file.maintain()
    assert covered(tmp_path) == [(0, 256)]
    assert not file.contains([5, 6]).any()
    assert set(file.search(ROWS[4], COUNT)[0]) == set(IDS.tolist()) - {5, 6}
    assert len(found_ids(opened(tmp_path))) == COUNT - 2


def test_segment_of_an_index_closed_during_the_build_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = opened(tmp_path)
    file.add(IDS.tolist(), ROWS)
    once_built(monkeypatch, file.close)
    file.maintain()
    assert files(tmp_path) == []


def test_adding_and_searching_continue_during_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, build = opened(tmp_path), model_vectors.build
    file.add(IDS.tolist(), ROWS)
    found: list[list[int]] = []

    def meanwhile() -> None:
        file.add([9000], -ROWS[:1])
        found.append(file.search(-ROWS[0], 1)[0])

    def watched(plan: model_vectors.SegmentBuildPlan) -> None:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(meanwhile).result(timeout=30)
        build(plan)

    monkeypatch.setattr(model_vectors, "build", watched)
    assert file.maintain()
    assert found == [[9000]]
    assert recall(file, ROWS) >= 0.97
