"""Contract of every store: the three parts after any change, and methods that need two of them."""

import numpy as np
import pytest

from memory_core.storage.contract import Page, SearchFilter
from memory_core.storage.log.events import EventType
from memory_core.storage.log.projection import MemoryStatus, exchange_fields
from memory_core.storage.store import MemoryStore
from memory_core.text.search_terms import terms
from tests.builders import DAY, NOW, added, said
from tests.storage.index.scene import (
    FAKE,
    HIDING,
    TALK,
    MakeStore,
    change,
    embed_all,
    found,
    nearest,
    spoken,
)


def test_positions_are_remembered(store: MemoryStore) -> None:
    store.apply([], {"talk": 700, "": 80})
    assert store.positions() == {"talk": 700, "": 80}


def test_apply_is_refused_when_others_applied_events_meanwhile(store: MemoryStore) -> None:
    since = store.positions()
    assert store.apply([], {"": 80})
    assert not store.apply([HIDING["forgotten"]], {"talk": 700}, since=since)
    assert store.positions() == {"talk": 500, "": 80}
    assert store.catalog.get(["id1"])["id1"].status is MemoryStatus.LIVE
    assert store.apply([HIDING["forgotten"]], {"talk": 700}, since=store.positions())
    assert store.positions() == {"talk": 700, "": 80}
    assert store.catalog.get(["id1"])["id1"].status is MemoryStatus.FORGOTTEN


# ---- changes of a memory


@pytest.mark.parametrize("how", HIDING)
def test_hidden_memory_is_found_by_no_search(store: MemoryStore, how: str) -> None:
    embed_all(store)
    store.apply([change(EventType.PIN, "id1"), HIDING[how]], {})
    assert "id1" not in [
        *found(store, "dog"),
        *nearest(store, "dog"),
        *store.vectors.embedded_pairs(9),
    ]
    assert "id1" not in {
        memory.id for memory in store.latest(Page(limit=9)) + store.catalog.conversation("talk", 9)
    }
    assert "id1" not in store.catalog.search_dates(NOW, NOW + DAY, limit=9)
    assert store.vectors.get(["id1"]) == store.catalog.live_seqs(["id1"]) == {}
    assert store.catalog.always_in_prompt() == []
    assert store.vectors.pending(10) == []
    assert store.counts()[how] == 1
    assert store.counts()["embedded"] == store.counts()["vectors"] == 8
    assert store.fulltext.corpus(["dog"]).document_frequency == {"dog": 1}


def test_restored_memory_is_found_exactly_once(store: MemoryStore) -> None:
    embed_all(store)
    store.apply([HIDING["forgotten"]], {})
    store.apply([change(EventType.UNFORGET, "id1", seq=7)], {})
    embed_all(store)
    assert nearest(store, "dog").count("id1") == 1
    assert found(store, "dog Bruno")[0] == "id1"
    assert store.catalog.forgotten() == []


def test_repeated_add_event_does_not_undo_later_events(
    store: MemoryStore,
) -> None:
    first = added(1, "id1", said(TALK[0]))
    store.apply([HIDING["forgotten"]], {})
    before = store.catalog.get(["id1"])
    store.apply([first], {})
    assert store.catalog.get(["id1"]) == before
    store.erase(["id1"])
    store.apply([first, HIDING["forgotten"]], {})
    assert not store.catalog.get(["id1"])["id1"].has_text
    assert found(store, "beach") == ["id5"]


def test_an_edited_memory_is_found_by_its_new_words_only(store: MemoryStore) -> None:
    embed_all(store)
    store.apply(
        [change(EventType.EDIT, "id1", **exchange_fields(said("My cat is called Minka")))], {}
    )
    assert found(store, "Minka") == ["id1"]
    assert found(store, "dog") == ["id5"]
    assert store.fulltext.corpus(["bruno", "minka"]).document_frequency == {"bruno": 1, "minka": 1}
    assert [pending.text for pending in store.vectors.pending(9)] == ["My cat is called Minka"]
    assert nearest(store, "My cat is called Minka")[0] != "id1"
    embed_all(store)
    assert nearest(store, "My cat is called Minka")[0] == "id1"


@pytest.mark.parametrize("op", [EventType.PIN, EventType.UNPIN, EventType.EDIT])
def test_memory_with_unchanged_words_keeps_its_vectors(store: MemoryStore, op: EventType) -> None:
    embed_all(store)
    before = (
        store.vectors.get(["id1"])["id1"],
        store.vectors.embedded_pairs(9),
        store.fulltext.corpus(["dog"]),
    )
    store.apply([change(op, "id1", **exchange_fields(said(TALK[0])))], {})
    assert store.vectors.pending(9) == []
    after = (
        store.vectors.get(["id1"])["id1"],
        store.vectors.embedded_pairs(9),
        store.fulltext.corpus(["dog"]),
    )
    assert np.array_equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_pages_start_with_the_newest(store: MemoryStore) -> None:
    assert [memory.id for memory in store.latest(Page(limit=2))] == ["id5", "id4"]
    assert [memory.id for memory in store.latest(Page(limit=2, offset=3))] == ["id2", "id1"]


def test_page_holds_memories_with_all_words_said_before_a_time(store: MemoryStore) -> None:
    page = Page(limit=9, words=tuple(terms("Bruno the dog")))
    assert [memory.id for memory in store.latest(page)] == ["id1"]
    assert (
        store.latest(Page(limit=9, words=("ana",))) == []
    )  # the speaker's name is not a word of it
    assert [memory.id for memory in store.latest(Page(limit=9, before=NOW + 10_800.0))] == [
        "id2",
        "id1",
    ]


def test_undated_memories_are_last_on_a_page_and_before_no_date(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("undated", ts=None))], {})
    assert store.latest(Page(limit=9))[-1].id == "id6"
    assert "id6" not in {memory.id for memory in store.latest(Page(limit=9, before=NOW * 2))}


@pytest.mark.parametrize("how", HIDING)
def test_conversation_whose_last_memory_is_hidden_is_not_counted(
    make_store: MakeStore, how: str
) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("a dog"))], {})
    assert store.counts()["conversations"] == 1
    store.apply([HIDING[how]], {})
    assert store.counts()["conversations"] == 0


def test_lines_about_unknown_memories_change_nothing(store: MemoryStore) -> None:
    before = store.counts()
    store.apply([change(EventType.PIN, "absent"), change(EventType.INIT, "x", secret="00")], {})
    assert store.counts() == before


@pytest.mark.parametrize(("until", "expected"), [(0, []), (2, ["id1"]), (3, ["id1", "id3"])])
def test_memories_younger_than_until_seq_are_not_found(
    store: MemoryStore, until: int, expected: list[str]
) -> None:
    embed_all(store)
    words = store.fulltext.search(terms("dog Bruno"), limit=9, only=SearchFilter(until_seq=until))
    query = FAKE.embed_query("dog", timeout_s=1)
    near = store.vectors.search(query, limit=2, only=SearchFilter(until_seq=until))
    said_then = store.catalog.search_dates(
        NOW, NOW + DAY, limit=9, only=SearchFilter(until_seq=until)
    )
    assert words == expected
    assert len(near) == min(2, until)
    assert all(int(memory_id[2:]) <= until for memory_id in near)
    assert said_then == [f"id{n}" for n in range(until, 0, -1)]


def test_edit_does_not_change_the_first_seq(store: MemoryStore) -> None:
    store.apply([change(EventType.REVISE, "id1", user="My dog was called Bruno")], {})
    assert store.fulltext.search(["dog"], limit=9, only=SearchFilter(until_seq=1)) == ["id1"]


def test_erased_memories_keep_only_tombstone_and_position(make_store: MakeStore) -> None:
    note = change(
        EventType.NOTE, "note", seq=2, kind="summary", text="Ana has a dog", sources=["id1"]
    )
    store = make_store()
    store.apply([added(1, "id1", said(TALK[0])), note], {})
    store.apply(
        [
            change(EventType.FORGET, memory_id, seq=3, sealed=f"seal-{memory_id}")
            for memory_id in ("id1", "note")
        ],
        {},
    )
    assert [record.memory.id for record in store.catalog.forgotten()] == ["id1", "note"]
    store.erase(["id1", "note", "absent"])
    entries = store.catalog.get(["id1", "note"])
    assert all(not record.memory.text and not record.memory.sources for record in entries.values())
    assert store.catalog.forgotten() == []
    (known,) = store.catalog.known_exchanges("talk")
    assert (known.key, known.position, known.is_forgotten) == ("seal-id1", 1.0, True)


def test_counts_are_those_of_the_records_and_vectors(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("elsewhere"), log="other"), HIDING["removed"]], {})
    store.apply([change(EventType.FORGET, "id2", seq=8, sealed="x")], {})
    counts = {"live": 4, "removed": 1, "forgotten": 1}
    counts |= {"conversations": 2, "last_seq": 6, "vectors": 8, "embedded": 0, "lacking": 8}
    assert store.counts() == counts


def test_consistent_read_finds_nothing_new_but_knows_what_was_forgotten(
    make_store: MakeStore,
) -> None:
    store = spoken(make_store(), 0.0)
    with store.consistent_read():
        before = found(store, "text")
        store.apply([change(EventType.FORGET, "id1")], {})
        assert store.catalog.get(["id1"])["id1"].status is MemoryStatus.FORGOTTEN
        assert found(store, "text") in (before, [])
    assert (before, found(store, "text")) == (["id1"], [])


def test_clearing_keeps_vectors_of_texts_that_are_added_again(store: MemoryStore) -> None:
    embed_all(store)
    store.clear()
    assert store.counts()["live"] == 0
    assert store.positions() == {}
    store.apply([added(1, "id1", said(TALK[0], ts=NOW))], {})
    assert store.vectors.pending(99) == []
    assert store.vectors.embedded_pairs(9) == nearest(store, TALK[0]) == ["id1"]
