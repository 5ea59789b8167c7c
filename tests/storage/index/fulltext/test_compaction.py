"""Compaction changes no search result."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.domain.records import MemoryKind
from memory_core.storage.contract import SearchFilter
from memory_core.storage.index.fulltext import compaction, segment_file
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import EventType
from tests.builders import HOUR, NOW, added, said
from tests.storage.index.fulltext.fruit import (
    ASKED,
    COMPACT_FROM,
    answers,
    files,
    lines,
    reopened,
    seal_all,
)
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import change


def test_search_results_are_unchanged_by_compaction(
    store: LocalStore, oracle: InMemoryStore
) -> None:
    assert answers(store) == answers(oracle)
    assert seal_all(store) == 1
    assert store._database.rows("SELECT count(*) FROM uncompacted_words WHERE row > 0") == [(0,)]
    assert answers(store) == answers(oracle)


def test_words_written_right_after_compaction_are_found(
    store: LocalStore, oracle: InMemoryStore
) -> None:
    """Compaction frees the stamps of as many rows."""
    assert store.maintain()
    more = lines(3, first=13)
    store.apply(more, {})
    oracle.apply(more, {})
    assert answers(store) == answers(oracle)


def test_few_words_are_not_compacted(folder: Path) -> None:
    store = reopened(folder)
    store.apply(lines(COMPACT_FROM - 1), {})
    assert not store.maintain()
    store.close()
    assert files(folder) == []


def test_small_posting_files_are_merged(
    store: LocalStore, oracle: InMemoryStore, folder: Path
) -> None:
    for first in (13, 17, 25):
        seal_all(store)
        more = lines(8, first=first)
        store.apply(more, {})
        oracle.apply(more, {})
    assert seal_all(store) > 1
    assert len(files(folder)) == 1
    assert answers(store, count=40) == answers(oracle, count=40)


def test_posting_file_with_many_deleted_rows_is_rewritten(
    store: LocalStore, oracle: InMemoryStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "_MAX_DELETED", 2)
    seal_all(store)
    (before,) = files(folder)
    for n in range(1, 4):
        assert not store.maintain() or n == 3
        edit = change(EventType.REVISE, f"id{n}", seq=20 + n, user="a new apple")
        store.apply([edit], {})
        oracle.apply([edit], {})
    seal_all(store)
    assert files(folder) != [before]
    assert len(files(folder)) == 1
    assert store._database.rows("SELECT count(*) FROM uncompacted_words WHERE row > 0") == [(0,)]
    assert answers(store) == answers(oracle)


def test_large_import_is_compacted_on_the_way(
    folder: Path, oracle: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compaction, "MAX_UNCOMPACTED", 10)
    store = reopened(folder)
    store.apply(lines(9), {})
    assert files(folder) == []
    store.apply(lines(3, first=10), {})
    assert len(files(folder)) == 1
    assert answers(store) == answers(oracle)
    store.close()


def test_writing_continues_when_compaction_finds_the_disk_full(
    store: LocalStore, oracle: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> str:
        raise StorageFailed("disk full")

    monkeypatch.setattr(compaction, "MAX_UNCOMPACTED", 10)
    monkeypatch.setattr(segment_file, "write", full)
    more = lines(1, first=13)
    store.apply(more, {})
    oracle.apply(more, {})
    with pytest.raises(StorageFailed, match="disk full"):
        store.maintain()
    assert answers(store) == answers(oracle)


def test_words_written_during_compaction_are_found(
    store: LocalStore, oracle: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    meanwhile = [
        change(EventType.REVISE, "id2", seq=20, user="a new fig"),
        change(EventType.REMOVE, "id3", seq=21),
        added(22, "id13", said("number n13 pear", ts=NOW + 13), place=13.0),
        added(23, "id14", said("number n14 plum", ts=NOW + 14), place=5.5),
    ]
    write = segment_file.write

    def interrupted(*given: object) -> str:
        store.apply(meanwhile, {})
        return write(*given)  # type: ignore[arg-type]

    oracle.apply(meanwhile, {})
    answers(store)
    monkeypatch.setattr(segment_file, "write", interrupted)
    assert store.maintain()
    monkeypatch.undo()
    assert answers(store) == answers(oracle)
    seal_all(store)
    assert answers(store) == answers(oracle)


def test_readers_during_compaction_see_the_old_or_the_new_words(
    store: LocalStore, oracle: InMemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal_all(store)
    old = store.fulltext._index.snapshot()
    edit = change(EventType.FORGET, "id2", seq=20, sealed="x")
    store.apply([edit], {})
    oracle.apply([edit], {})
    store.erase(["id2"])
    oracle.erase(["id2"])
    assert answers(store) == answers(oracle)
    assert old.sources[0].postings.columns.ids.tolist()[:2] == [b"id1", b"id2"]  # still mapped


@pytest.mark.parametrize("is_sealed", [True, False])
@pytest.mark.parametrize("late", [0.5, 9 * HOUR, -9 * HOUR])
def test_neighbours_changed_after_compaction_are_current(
    store: LocalStore, oracle: InMemoryStore, late: float, is_sealed: bool
) -> None:
    """An exchange inserted between the others splits their session."""
    if is_sealed:
        seal_all(store)
    assert answers(store) == answers(oracle)
    between = added(13, "id13", said("number n13", ts=NOW + 5 + late), place=5.5)
    behind = added(14, "id14", said("number n14", ts=NOW + 12.5), place=14.0)
    for line in (between, behind, change(EventType.REMOVE, "id7", seq=15)):
        store.apply([line], {})
        oracle.apply([line], {})
        assert answers(store) == answers(oracle)
    store._compactor._index.close()  # so that all is read again
    assert answers(store) == answers(oracle)


# ---- search results


@pytest.mark.parametrize(
    "only",
    [
        SearchFilter(until_seq=3),
        SearchFilter(conversation="b"),
        SearchFilter(kinds=frozenset([MemoryKind.KNOWLEDGE])),
        SearchFilter(since=NOW + 100, until=NOW + 103),
        SearchFilter(conversation="b", since=NOW + 101),
        SearchFilter(applies_in="b"),
    ],
    ids=["until_seq", "conversation", "kind", "time", "both", "here"],
)
def test_filtered_search_finds_few_allowed_among_very_many(
    folder: Path, oracle: InMemoryStore, only: SearchFilter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.storage.index.fulltext.fulltext_search._WIDER", 2)
    store = reopened(folder)
    rare = [added(90 + n, f"rare{n}", said("fig tree", ts=NOW + 99 + n), log="b") for n in range(5)]
    kept = {"kind": "knowledge", "text": "a fig and much else"}
    content = [*lines(60), *rare, change(EventType.NOTE, "note", seq=99, **kept)]
    for each in (store, oracle):
        each.clear()
        each.apply(content, {})
    seal_all(store)
    expected = oracle.fulltext.search(["number", "fig"], limit=2, only=only)
    assert expected
    assert store.fulltext.search(["number", "fig"], limit=2, only=only) == expected
    store.close()


def test_compacted_memory_keeps_its_long_id(folder: Path) -> None:
    store = reopened(folder)
    long = "a-memory-of-another-program-" * 3
    store.apply([*lines(5), added(9, long, said("a quince", ts=NOW + 5.5))], {})
    for _ in range(2):
        assert long in store.fulltext.search(["quinc"], limit=9)
        assert long in store.fulltext.passages(["id5"], []).ids
        store.maintain()
    store.close()


def test_concurrent_writing_compaction_and_search_stay_consistent(
    folder: Path, oracle: InMemoryStore
) -> None:
    store = reopened(folder)
    content = lines(120)
    oracle.clear()
    oracle.apply(content, {})

    def write() -> None:
        for first in range(0, len(content), 3):
            store.apply(content[first : first + 3], {})

    def seal() -> None:
        for _ in range(60):
            store.maintain()

    def search() -> None:
        before = 0
        for _ in range(60):
            found = set(store.fulltext.search(ASKED, limit=999))
            assert len(found) >= before
            before = len(found)
            ids = [f"id{n}" for n in range(1, 121)]
            passages = store.fulltext.passages(ids, [])
            assert (store.fulltext.term_counts(passages, ["number"])[0] == 1).all()
            assert found <= set(passages.ids)

    with ThreadPoolExecutor(5) as pool:
        jobs = [pool.submit(job) for job in (write, seal, seal, search, search)]
    assert [job.result() for job in jobs] == [None] * 5  # raises what a thread raised
    seal_all(store)
    assert answers(store, count=130) == answers(oracle, count=130)
    store.close()
