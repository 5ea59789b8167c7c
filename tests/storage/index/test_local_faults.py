"""Catalog and vectors of the local store stay consistent after crashes, faults and updates."""

import os
import shutil
import sqlite3
import threading
from collections.abc import ItemsView, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageCorrupt, StorageFailed
from memory_core.infra import durable_files
from memory_core.providers.embedders.base import Vectors
from memory_core.storage.index import local_vectors
from memory_core.storage.index.catalog.writes import apply_lines
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors.model_vectors import ModelVectors
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from memory_core.storage.log.events import EventType
from tests.builders import added, said
from tests.meanwhile import PATIENCE_S
from tests.storage.index.scene import FAKE, HIDING, change, embed_all, found, nearest

TEXTS = ["My dog is called Bruno", "I work as a beekeeper", "We drive to the beach"]
LINES = [added(n, f"id{n}", said(text, "")) for n, text in enumerate(TEXTS, start=1)]

MOMENT_S = 0.2

FOUR = ChunkSizes(chunk=4)  # rows that reach zarr at once


@pytest.fixture
def store(folder: Path) -> Iterator[LocalStore]:
    made = LocalStore(folder, sizes=FOUR)
    made.apply(LINES, {"talk": 9})
    yield made
    made.close()


def disk(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def half(row: Vectors) -> bytes:
    """Returns the bytes of a vector as the disk holds them: half precision."""
    return row.astype("float16").tobytes()


def embed_some(store: LocalStore, *, limit: int) -> None:
    waiting = store.vectors.pending(limit)
    rows = FAKE.embed([pending.text for pending in waiting])
    store.vectors.add([pending.vector_id for pending in waiting], rows)


def reopened(store: LocalStore, folder: Path) -> LocalStore:
    store.close()
    again = LocalStore(folder, sizes=FOUR)
    again.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    return again


# ---- crashes


def test_a_vector_written_just_before_a_crash_counts_as_embedded(
    store: LocalStore, folder: Path
) -> None:
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    waiting = store.vectors.pending(9)
    assert store.vectors._stored is not None
    store.vectors._stored.add(
        [pending.vector_id for pending in waiting],
        FAKE.embed([pending.text for pending in waiting]),
    )
    again = reopened(store, folder)
    assert again.vectors.pending(9) == []
    assert again.counts()["embedded"] == 3
    again.close()


def test_vector_of_a_text_forgotten_just_before_a_crash_is_not_found(
    store: LocalStore, folder: Path
) -> None:
    embed_all(store)
    doomed = half(FAKE.embed(TEXTS[:1])[0])
    with store._database.transaction() as db:
        apply_lines(db, [HIDING["forgotten"]], {})
    assert doomed in disk(folder)
    again = reopened(store, folder)
    assert doomed not in disk(folder)
    assert sorted(nearest(again, "dog")) == ["id2", "id3"]
    again.close()


def test_many_vectors_are_reconciled_in_the_background_after_a_crash(
    store: LocalStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed_all(store)
    store.apply([added(4, "id4", said("My cat", "")), added(5, "id5", said("My hat", ""))], {})
    late = store.vectors.pending(1)
    assert store.vectors._stored is not None
    store.vectors._stored.add([late[0].vector_id], FAKE.embed([late[0].text]))
    doomed = half(FAKE.embed(TEXTS[:1])[0])
    with store._database.transaction() as db:
        apply_lines(db, [HIDING["forgotten"]], {})
    monkeypatch.setattr(local_vectors, "_FEW", 0)
    again = reopened(store, folder)
    assert [pending.text for pending in again.vectors.pending(9)] == [
        "My cat"
    ]  # the other is known after all
    assert nearest(again, TEXTS[1], limit=1) == ["id2"]
    while again.maintain():
        pass
    assert [pending.text for pending in again.vectors.pending(9)] == ["My cat"]
    assert doomed not in disk(folder)
    again.close()


def test_lost_vector_is_pending_again(store: LocalStore, folder: Path) -> None:
    embed_all(store)
    tail = next(folder.rglob("tail.f16"))
    tail.write_bytes(tail.read_bytes()[:-1])
    again = reopened(store, folder)
    assert len(again.vectors.pending(9)) == 1
    again.close()


def test_unwanted_vectors_leave_the_disk_after_a_rebuild(store: LocalStore, folder: Path) -> None:
    embed_all(store)
    store.clear()
    store.apply(LINES[1:], {"talk": 9})
    doomed = half(FAKE.embed(TEXTS[:1])[0])
    assert doomed in disk(folder)
    again = reopened(store, folder)
    assert doomed not in disk(folder)
    assert again.vectors.pending(9) == []
    again.close()


def test_restored_memory_gets_its_vector_back(store: LocalStore) -> None:
    embed_all(store)
    store.apply([HIDING["forgotten"]], {})
    assert "id1" not in nearest(store, TEXTS[0])
    store.apply([change(EventType.UNFORGET, "id1", seq=7)], {})
    assert nearest(store, TEXTS[0], limit=1) == ["id1"]
    assert store.vectors.pending(9) == []


def test_an_erased_vector_never_comes_back_to_the_disk(folder: Path) -> None:
    store = LocalStore(folder, sizes=FOUR)
    store.apply(LINES[:1], {})
    embed_all(store)
    store.apply([HIDING["forgotten"]], {})
    store.erase(["id1"])
    store.apply([added(n, f"id{n}", said(f"number {n}")) for n in range(7, 12)], {})
    embed_some(store, limit=99)
    assert half(FAKE.embed(TEXTS[:1])[0]) not in disk(folder)
    store.close()


# ---- faults


def test_orphaned_vectors_of_a_rebuild_displace_no_search_results(
    store: LocalStore,
) -> None:
    store.apply([added(n, f"id{n}", said("My dog is called Bruno", "")) for n in range(4, 99)], {})
    embed_all(store)
    store.clear()
    store.apply(LINES[1:2], {"talk": 3})
    assert store.counts()["embedded"] == store.counts()["vectors"] == 1
    assert nearest(store, "My dog is called Bruno", limit=1) == ["id2"]


def test_unusable_vector_is_not_counted_as_embedded(store: LocalStore) -> None:
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    waiting = store.vectors.pending(9)
    rows = FAKE.embed([pending.text for pending in waiting])
    rows[0] = 0.0
    store.vectors.add([pending.vector_id for pending in waiting], rows)
    assert (store.counts()["embedded"], store.counts()["vectors"]) == (2, 3)
    store.apply([change(EventType.REMOVE, "id1")], {})
    assert store.vectors.pending(9) == []


def test_catalog_that_failed_to_be_recreated_is_recreated_later(
    store: LocalStore, folder: Path
) -> None:
    shutil.rmtree(folder)
    with pytest.raises(StorageFailed):
        store.clear()
    with pytest.raises(StorageCorrupt):  # so that the owner of the store tries again
        store.positions()
    folder.mkdir()
    store.clear()
    store.apply(LINES, {"talk": 9})
    assert found(store, "dog") == ["id1"]


def test_catalog_that_sqlite_cannot_create_is_reported(folder: Path) -> None:
    (folder / "catalogue.sqlite-journal").mkdir(parents=True)
    with pytest.raises(StorageFailed, match="catalog cannot"):
        LocalStore(folder, sizes=FOUR)


def test_vectors_refused_by_a_full_disk_are_pending_again(store: LocalStore, folder: Path) -> None:
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    (tail := next(folder.glob("vectors-*")) / "tail.f16").mkdir()
    with pytest.raises(StorageFailed, match="index"):
        embed_some(store, limit=9)
    tail.rmdir()
    assert len(store.vectors.pending(9)) == 3
    embed_all(store)
    assert nearest(store, TEXTS[0], limit=1) == ["id1"]


# ---- older versions


def older(folder: Path) -> None:
    """An index as version 3 left it: one vector for a whole exchange, terms in one column."""
    folder.mkdir()
    db = sqlite3.connect(folder / "catalogue.sqlite")
    db.executescript(
        """
        CREATE TABLE logs(log TEXT PRIMARY KEY, position INTEGER NOT NULL);
        INSERT INTO logs VALUES ('talk', 9);
        CREATE TABLE entries(
        row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, vector_id INTEGER NOT NULL,
        data TEXT NOT NULL);
        INSERT INTO entries VALUES (1, 'id1', 77, '{}');
        CREATE VIRTUAL TABLE words USING fts5(terms);
        INSERT INTO words VALUES ('dog bruno');
        PRAGMA user_version = 3;
        """
    )
    db.close()
    file = ModelVectors(folder, fingerprint=FAKE.fingerprint, dim=FAKE.dim, sizes=FOUR)
    file.add(range(70, 76), FAKE.embed([f"whole {n}" for n in range(6)]))


def test_catalog_of_an_older_version_is_rebuilt_and_keeps_its_vectors(folder: Path) -> None:
    older(folder)
    store = LocalStore(folder, sizes=FOUR)
    assert store.positions() == {}
    store.apply(LINES, {"talk": 9})
    embed_all(store)
    assert found(store, "dog Bruno") == ["id1"]
    assert nearest(store, TEXTS[1], limit=1) == ["id2"]
    assert store.counts()["embedded"] == 3
    assert store.vectors._stored is not None
    assert len(store.vectors._stored._rows) == 0  # no dead rows are carried along
    store.close()


# ---- many threads


def is_free(store: LocalStore) -> bool:
    """Returns whether another thread could add vectors now."""
    got = store._lock.acquire(blocking=False)
    if got:
        store._lock.release()
    return got


def test_no_vector_is_added_while_events_are_applied(store: LocalStore) -> None:
    could_come: list[bool] = []

    class Meanwhile(dict[str, int]):
        def items(self) -> ItemsView[str, int]:  # type: ignore[override]
            with ThreadPoolExecutor(1) as pool:
                could_come.append(pool.submit(is_free, store).result())
            return super().items()

    store.apply([], Meanwhile(talk=10))
    assert could_come == [False]


def talk(store: LocalStore, thread: int) -> None:
    """Says and forgets twenty exchanges; every other one is brought back."""
    for n in range(10, 30):
        memory_id = f"t{thread}n{n}"
        store.apply(
            [added(n, memory_id, said(f"{memory_id} yesterday"), log=memory_id)], {memory_id: n}
        )
        store.apply([change(EventType.FORGET, memory_id, seq=n, sealed="x")], {})
        if n % 2:
            store.apply([change(EventType.UNFORGET, memory_id, seq=n)], {})
        store.erase([memory_id] if n % 10 == 0 else [])
        store.apply([change(EventType.FORGET, "id2", sealed="x")], {})
        store.apply([change(EventType.UNFORGET, "id2")], {})


def embed(store: LocalStore, _: int) -> None:
    for _ in range(40):
        embed_some(store, limit=8)


def look(store: LocalStore, _: int) -> None:
    for _ in range(40):
        near = nearest(store, "yesterday")
        store.vectors.get(near)
        store.fulltext.passages(near, [])
        store.vectors.embedded_pairs(5)
        assert found(store, "dog") == ["id1"]


def test_readers_wait_while_the_catalog_is_replaced(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader has checked for a fault, and then finds the old file closed."""
    store.apply([HIDING["forgotten"]], {})
    is_closed, status, sync_folder = (
        threading.Event(),
        durable_files.stat_or_none,
        durable_files.sync_folder,
    )

    def sync_slowly(folder: Path) -> None:
        if store._database._fault and not is_closed.is_set():
            is_closed.set()
            threading.Event().wait(MOMENT_S)  # the reader fails meanwhile, or waits for this
        sync_folder(folder)

    with ThreadPoolExecutor(1) as pool, monkeypatch.context() as patch:

        def erase_meanwhile(path: Path) -> os.stat_result | None:
            patch.setattr(durable_files, "stat_or_none", status)
            erased.append(pool.submit(store.erase, ["id1"]))
            assert is_closed.wait(PATIENCE_S)
            return status(path)

        erased: list[Future[None]] = []
        patch.setattr(durable_files, "sync_folder", sync_slowly)
        patch.setattr(durable_files, "stat_or_none", erase_meanwhile)
        assert store.positions() == {"talk": 9}
        assert [future.result() for future in erased] == [None]


def test_open_store_is_read_while_the_disk_does_not_answer(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path) -> None:
        raise StorageFailed(f"{path}: Input/output error")

    monkeypatch.setattr(durable_files, "stat_or_none", fail)
    assert found(store, "dog") == ["id1"]


def test_concurrent_writing_embedding_and_forgetting_stay_consistent(store: LocalStore) -> None:
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    with ThreadPoolExecutor(6) as pool:
        jobs = [pool.submit(job, store, n) for n in range(2) for job in (talk, embed, look)]
    assert [job.result() for job in jobs] == [None] * 6  # raises what a thread raised
    embed_some(store, limit=999)
    wanted = [memory_id for memory_id, _ in store.vectors._vector_rows.page(0, 999)]
    assert store.vectors._stored is not None
    assert store.vectors._stored.contains(wanted).all()
    assert store.counts()["embedded"] == len(wanted) == 3 + 2 * 20
