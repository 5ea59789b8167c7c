"""Contract of every catalog: the memories that retention limits may remove."""

from memory_core.storage.log.events import EventType
from memory_core.storage.store import MemoryStore
from tests.builders import DAY, NOW, added, said
from tests.storage.index.scene import MakeStore, change


def ids(store: MemoryStore, limit: int = 99) -> list[str]:
    return [record.id for record in store.catalog.retention_candidates(limit)]


def test_retention_candidates_are_undated_first_then_oldest(
    make_store: MakeStore,
) -> None:
    store = make_store()
    times = [NOW + 5, NOW, None, NOW + 9, NOW]
    store.apply([added(n, f"id{n}", said(f"text {n}", ts=ts)) for n, ts in enumerate(times)], {})
    assert ids(store) == ["id2", "id1", "id4", "id0", "id3"]
    assert ids(store, 2) == ["id2", "id1"]
    assert store.catalog.retention_candidates(1)[0].ts is None


def test_memories_always_in_prompt_are_no_retention_candidates(store: MemoryStore) -> None:
    store.apply(
        [
            change(EventType.PIN, "id1"),
            change(EventType.NOTE, "fact", seq=7, kind="knowledge", text="Ana likes tea"),
            change(EventType.NOTE, "page", seq=8, kind="diary", text="A quiet day"),
        ],
        {},
    )
    assert set(ids(store)) == {"id2", "id3", "id4", "id5", "page"}
    assert store.catalog.count_retention_candidates() == 5
    assert store.catalog.count_retention_candidates(before=NOW + DAY) == 5


def test_removed_memories_are_retention_candidates_but_forgotten_are_not(
    store: MemoryStore,
) -> None:
    store.apply(
        [change(EventType.REMOVE, "id1"), change(EventType.FORGET, "id2", seq=7, sealed="5ea1")], {}
    )
    assert {
        record.id for record in store.catalog.retention_candidates(99) if not record.is_live
    } == {"id1"}
    assert "id2" not in ids(store)
    assert store.catalog.count_retention_candidates() == 3
    assert store.catalog.count_retention_candidates(before=NOW + DAY) == 4


def test_retention_candidates_before_a_time_are_counted(make_store: MakeStore) -> None:
    store = make_store()
    times = [NOW, NOW + 1, None, NOW + 2]
    store.apply([added(n, f"id{n}", said(f"text {n}", ts=ts)) for n, ts in enumerate(times)], {})
    store.apply([change(EventType.PIN, "id0", seq=9)], {})
    assert [
        store.catalog.count_retention_candidates(before=NOW + count) for count in (0, 1, 2, 3)
    ] == [
        0,
        0,
        1,
        2,
    ]


def test_erased_memories_are_no_longer_listed_as_forgotten(store: MemoryStore) -> None:
    store.apply(
        [
            change(EventType.FORGET, memory_id, seq=6 + n, sealed=memory_id)
            for n, memory_id in enumerate(["id1", "id2"])
        ],
        {},
    )
    store.erase(["id1"])
    assert [record.memory.id for record in store.catalog.forgotten()] == ["id2"]
    assert store.counts()["forgotten"] == 2


def test_memory_edited_to_nothing_keeps_the_words_of_its_chat(store: MemoryStore) -> None:
    emptied = change(EventType.REVISE, "id1", user="", assistant="")
    store.apply([emptied, change(EventType.FORGET, "id1", seq=7, sealed="5ea1")], {})
    assert [record.memory.id for record in store.catalog.forgotten()] == ["id1"]
    store.erase(["id1"])
    assert store.catalog.forgotten() == []
