"""The local store's files: damage, locks, and erasing from all of them."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import StorageCorrupt, StorageFailed
from memory_core.storage.index.catalog import database
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event, EventType
from tests.builders import added, said
from tests.storage.index.test_local_disk import DAMAGES, DIM, disk, rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


@pytest.fixture
def store(folder: Path) -> Iterator[LocalStore]:
    made = LocalStore(folder / "index")
    made.apply([added(n, f"id{n}", said(f"xylophone number {n}")) for n in (1, 2, 3)], {"talk": 9})
    made.vectors.use_model("m", DIM)
    made.vectors.add([pending.vector_id for pending in made.vectors.pending(9)], rows(6))
    yield made
    made.close()


def test_vector_of_a_text_forgotten_meanwhile_is_never_written(store: LocalStore) -> None:
    store.apply([added(4, "id4", said("secret"))], {})
    waiting = [pending.vector_id for pending in store.vectors.pending(9)]
    store.apply([Event(seq=5, op=EventType.FORGET, id="id4", ts=0.0)], {})
    late = rows(2, seed=5)
    store.vectors.add(waiting, late)
    assert len(waiting) == 2
    assert not any(row.astype(np.float16).tobytes() in disk(store._folder) for row in late)


def test_erasing_leaves_no_word_in_any_file(store: LocalStore, folder: Path) -> None:
    store.apply(
        [Event(seq=4, op=EventType.FORGET, id="id2", ts=0.0, fields={"sealed": "5ea1"})], {}
    )
    store.apply([added(5, "id5", said("zither"))], {})
    store.apply(
        [Event(seq=6, op=EventType.FORGET, id="id5", ts=0.0, fields={"sealed": "5ea2"})], {}
    )
    assert b"zither" in disk(folder)
    store.erase(["id5"])
    assert b"zither" not in disk(folder)
    assert len(store.fulltext.search(["xylophon"], limit=9)) == 2


def sampled(store: LocalStore) -> bytes:
    """Keeps a sample of two exchanges, and returns what the store has of it afterwards."""
    store.vectors.keep_sample(store.vectors.embedded_pairs(2), b"sample")
    return store.vectors.kept_sample()


def opened_again(folder: Path) -> LocalStore:
    store = LocalStore(folder / "index")
    store.vectors.use_model("m", DIM)
    return store


def test_kept_sample_outlives_the_store(store: LocalStore, folder: Path) -> None:
    assert sampled(store) == b"sample"
    store.close()
    again = opened_again(folder)
    assert again.vectors.kept_sample() == b"sample"
    again.vectors.use_model("other", DIM)
    assert again.vectors.kept_sample() == b""
    again.close()


@pytest.mark.parametrize("is_opened_again", [False, True])
def test_forgetting_a_sampled_exchange_deletes_the_sample(
    store: LocalStore, folder: Path, is_opened_again: bool
) -> None:
    sampled(store)
    inside, outside = store.vectors.embedded_pairs(2), store.vectors.embedded_pairs(3)[2]
    if is_opened_again:
        store.close()
        store = opened_again(folder)
    store.apply([Event(seq=5, op=EventType.FORGET, id=outside, ts=0.0)], {})
    assert store.vectors.kept_sample() == b"sample"
    store.apply([Event(seq=6, op=EventType.FORGET, id=inside[1], ts=0.0)], {})
    assert store.vectors.kept_sample() == b""
    store.close()


def test_exchange_that_would_be_sampled_deletes_the_sample(store: LocalStore) -> None:
    sampled(store)
    before = set(store.vectors.embedded_pairs(2))
    for seq in range(10, 60):
        store.apply([added(seq, f"id{seq}", said(f"zither number {seq}"))], {})
        ids = [pending.vector_id for pending in store.vectors.pending(9)]
        store.vectors.add(ids, rows(len(ids), seed=seq))
        if not store.vectors.kept_sample():
            return
        assert set(store.vectors.embedded_pairs(2)) == before
    pytest.fail("no exchange was drawn")


def test_sample_of_forgotten_exchanges_is_not_kept(store: LocalStore) -> None:
    pairs = store.vectors.embedded_pairs(2)
    store.apply([Event(seq=5, op=EventType.FORGET, id=pairs[0], ts=0.0)], {})
    store.vectors.keep_sample(pairs, b"sample")
    assert store.vectors.kept_sample() == b""


def test_damaged_sample_counts_as_none(store: LocalStore, folder: Path) -> None:
    sampled(store)
    (path,) = folder.rglob("sample")
    whole = path.read_bytes()
    for damaged in (b"", whole[:7], whole[:-1], whole[:9] + b"?" + whole[10:]):
        path.write_bytes(damaged)
        assert store.vectors.kept_sample() == b""


def test_store_closed_under_its_reader_is_not_reported_as_damaged(store: LocalStore) -> None:
    store.close()
    with pytest.raises(StorageFailed, match="closed"):
        store.positions()


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_catalog_is_recreated_and_the_vectors_remain(
    folder: Path, store: LocalStore, damage: Callable[[Path], None]
) -> None:
    store.close()
    damage(folder / "index" / "catalogue.sqlite")
    again = LocalStore(folder / "index")
    try:
        try:
            assert again.positions() in ({}, {"talk": 9})
            again.fulltext.search(["xylophon"], limit=9)
        except StorageCorrupt:
            pass  # reported, and then cleared by the owner of the store
        again.clear()
        assert again.positions() == {}
        again.apply([added(n, f"id{n}", said(f"xylophone number {n}")) for n in (1, 2, 3)], {})
        again.vectors.use_model("m", DIM)
        assert again.vectors.pending(9) == []
    finally:
        again.close()


def test_catalog_locked_by_another_program_is_not_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_LOCKED_S", 0.05)
    first = LocalStore(tmp_path)
    first.apply([added(1, "id1", said("My dog barks"))], {})
    first.close()
    other = sqlite3.connect(tmp_path / "catalogue.sqlite", isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StorageFailed, match="another program"):
        LocalStore(tmp_path)
    other.execute("ROLLBACK")
    other.close()
    again = LocalStore(tmp_path)
    assert again.catalog.get(["id1"])
    again.close()
