"""Contract of every store: which records it keeps, lists and counts after any change."""

from dataclasses import replace

import numpy as np
import pytest

from memory_core.domain.records import MemoryKind, Role, Turn
from memory_core.storage.contract import MemoryStore, Page, SearchFilter
from memory_core.storage.log.events import EventType
from memory_core.storage.log.projection import MemoryStatus, exchange_fields
from memory_core.text.search_terms import terms
from tests.builders import DAY, NOW, added, said, user_sides
from tests.storage.index.scene import (
    FAKE,
    HIDING,
    TALK,
    MakeStore,
    change,
    embed_all,
    found,
    nearest,
)


def test_applied_memories_are_found_by_id(store: MemoryStore) -> None:
    entry = store.get(["id2", "absent"])["id2"]
    assert entry.memory.exchange == said(TALK[1], ts=NOW + 7200.0)
    assert entry.memory.text == f"Ana: {TALK[1]}\nMira: I see."
    assert (entry.status, entry.seq, entry.first_position) == (MemoryStatus.LIVE, 2, 2.0)
    assert list(store.get(["absent"])) == list(store.get([])) == []


def test_an_exchange_comes_back_with_all_its_parts(make_store: MakeStore) -> None:
    turns = (
        Turn(role=Role.TOOL, text="sunny", name="weather", ts=NOW, metadata={"id": 1}),
        Turn(role=Role.ASSISTANT, text="It is sunny.", metadata={"深": [None, 1.5]}),
    )
    whole = replace(said("Weather?"), channel="api", metadata={"a": {"b": "c"}}, turns=turns)
    store = make_store()
    store.apply([added(1, "id1", whole)], {})
    assert store.get(["id1"])["id1"].memory.exchange == whole


def test_positions_are_remembered(store: MemoryStore) -> None:
    store.apply([], {"talk": 700, "": 80})
    assert store.positions() == {"talk": 700, "": 80}


def test_apply_is_refused_when_others_applied_events_meanwhile(store: MemoryStore) -> None:
    since = store.positions()
    assert store.apply([], {"": 80})
    assert not store.apply([HIDING["forgotten"]], {"talk": 700}, since=since)
    assert store.positions() == {"talk": 500, "": 80}
    assert store.get(["id1"])["id1"].status is MemoryStatus.LIVE
    assert store.apply([HIDING["forgotten"]], {"talk": 700}, since=store.positions())
    assert store.positions() == {"talk": 700, "": 80}
    assert store.get(["id1"])["id1"].status is MemoryStatus.FORGOTTEN


def test_more_ids_can_be_asked_for_than_sql_has_variables(store: MemoryStore) -> None:
    many = [f"absent{n}" for n in range(260_000)]
    assert list(store.get([*many, "id1"])) == ["id1"]


# ---- what becomes of a memory


@pytest.mark.parametrize("how", HIDING)
def test_hidden_memory_is_found_by_no_search(store: MemoryStore, how: str) -> None:
    embed_all(store)
    store.apply([change(EventType.PIN, "id1"), HIDING[how]], {})
    assert "id1" not in [*found(store, "dog"), *nearest(store, "dog"), *store.embedded_pairs(9)]
    assert "id1" not in {
        memory.id for memory in store.latest(Page(limit=9)) + store.conversation("talk", 9)
    }
    assert "id1" not in store.search_dates(NOW, NOW + DAY, limit=9)
    assert store.vectors(["id1"]) == store.last_seqs(["id1"]) == {}
    assert store.always_in_prompt() == []
    assert store.conversation_of_content(said(TALK[0]).key) is None
    assert store.pending_embeddings(10) == []
    assert store.counts()[how] == 1
    assert store.counts()["embedded"] == store.counts()["vectors"] == 8
    assert store.corpus(["dog"]).document_frequency == {"dog": 1}


def test_restored_memory_is_found_exactly_once(store: MemoryStore) -> None:
    embed_all(store)
    store.apply([HIDING["forgotten"]], {})
    store.apply([change(EventType.UNFORGET, "id1", seq=7)], {})
    embed_all(store)
    assert nearest(store, "dog").count("id1") == 1
    assert found(store, "dog Bruno")[0] == "id1"
    assert store.forgotten() == []


def test_repeated_add_event_does_not_undo_later_events(
    store: MemoryStore,
) -> None:
    first = added(1, "id1", said(TALK[0]))
    store.apply([HIDING["forgotten"]], {})
    before = store.get(["id1"])
    store.apply([first], {})
    assert store.get(["id1"]) == before
    store.erase(["id1"])
    store.apply([first, HIDING["forgotten"]], {})
    assert not store.get(["id1"])["id1"].has_text
    assert found(store, "beach") == ["id5"]


def test_an_edited_memory_is_found_by_its_new_words_only(store: MemoryStore) -> None:
    embed_all(store)
    store.apply(
        [change(EventType.EDIT, "id1", **exchange_fields(said("My cat is called Minka")))], {}
    )
    assert found(store, "Minka") == ["id1"]
    assert found(store, "dog") == ["id5"]
    assert store.corpus(["bruno", "minka"]).document_frequency == {"bruno": 1, "minka": 1}
    assert [pending.text for pending in store.pending_embeddings(9)] == ["My cat is called Minka"]
    assert nearest(store, "My cat is called Minka")[0] != "id1"
    embed_all(store)
    assert nearest(store, "My cat is called Minka")[0] == "id1"


@pytest.mark.parametrize("op", [EventType.PIN, EventType.UNPIN, EventType.EDIT])
def test_memory_with_unchanged_words_keeps_its_vectors(store: MemoryStore, op: EventType) -> None:
    embed_all(store)
    before = store.vectors(["id1"])["id1"], store.embedded_pairs(9), store.corpus(["dog"])
    store.apply([change(op, "id1", **exchange_fields(said(TALK[0])))], {})
    assert store.pending_embeddings(9) == []
    after = store.vectors(["id1"])["id1"], store.embedded_pairs(9), store.corpus(["dog"])
    assert np.array_equal(before[0], after[0])
    assert before[1:] == after[1:]


def test_a_revised_memory_is_still_the_same_exchange_of_the_chat(store: MemoryStore) -> None:
    before = store.known_exchanges("talk")
    store.apply([change(EventType.REVISE, "id1", user="My dog was called Bruno")], {})
    assert store.known_exchanges("talk") == before
    assert user_sides(store.conversation("talk", 9))[0] == "My dog was called Bruno"


def test_known_exchanges_are_shown_and_forgotten_ones_in_order(store: MemoryStore) -> None:
    store.apply([HIDING["forgotten"], change(EventType.REMOVE, "id3", seq=7)], {})
    store.apply([added(8, "id8", said("between"), place=1.5)], {})
    known = store.known_exchanges("talk")
    assert [record.id for record in known] == ["id1", "id8", "id2", "id4", "id5"]
    assert [record.is_forgotten for record in known] == [True, False, False, False, False]
    assert known[0].key == "5ea1"
    assert known[2].key == said(TALK[1]).key
    assert store.known_exchanges("another") == []


def test_conversation_returns_its_last_exchanges_in_order(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("elsewhere"), log="other")], {})
    assert user_sides(store.conversation("talk", 2)) == TALK[3:]
    assert store.conversation("talk", 0) == []


def test_pages_start_with_the_newest(store: MemoryStore) -> None:
    assert [memory.id for memory in store.latest(Page(limit=2))] == ["id5", "id4"]
    assert [memory.id for memory in store.latest(Page(limit=2, offset=3))] == ["id2", "id1"]


def test_page_holds_memories_with_all_words_said_before_a_time(store: MemoryStore) -> None:
    page = Page(limit=9, words=tuple(terms("Bruno the dog")))
    assert [memory.id for memory in store.latest(page)] == ["id1"]
    assert store.latest(Page(limit=9, words=("ana",))) == []  # that she said it is no word of it
    assert [memory.id for memory in store.latest(Page(limit=9, before=NOW + 10_800.0))] == [
        "id2",
        "id1",
    ]


def test_undated_memories_are_last_on_a_page_and_before_no_date(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("undated", ts=None))], {})
    assert store.latest(Page(limit=9))[-1].id == "id6"
    assert "id6" not in {memory.id for memory in store.latest(Page(limit=9, before=NOW * 2))}


def test_knowledge_is_always_in_prompt_pinned_or_not(store: MemoryStore) -> None:
    note = {"kind": "knowledge", "text": "Ana is allergic to nuts", "pinned": False}
    store.apply([change(EventType.NOTE, "note", **note), change(EventType.PIN, "id3", seq=7)], {})
    assert [memory.id for memory in store.always_in_prompt()] == ["id3", "note"]
    assert found(store, "nuts") == ["note"]
    assert store.get(["note"])["note"].memory.kind is MemoryKind.KNOWLEDGE
    store.apply([change(EventType.UNPIN, "id3", seq=8)], {})
    assert [memory.id for memory in store.always_in_prompt()] == ["note"]


def test_ids_by_content_are_all_copies_that_are_not_forgotten(
    store: MemoryStore,
) -> None:
    twin = store.get(["id3"])["id3"].memory
    store.apply([added(7, "id7", twin.exchange, log="branch")], {})
    assert sorted(store.ids_by_content([twin.key])) == ["id3", "id7"]
    store.apply([replace(change(EventType.REMOVE, "id7", seq=8), log="branch")], {})
    assert store.get(["id7"])["id7"].status is MemoryStatus.REMOVED
    assert sorted(store.ids_by_content([twin.key])) == ["id3", "id7"]
    store.apply([change(EventType.FORGET, "id7", seq=9)], {})
    assert store.ids_by_content([twin.key]) == ["id3"]
    assert store.ids_by_content(["absent"]) == store.ids_by_content([]) == []


def revised(store: MemoryStore) -> tuple[str, str]:
    """The content keys of a memory before and after it was edited here, not in its chat."""
    before = store.get(["id3"])["id3"].memory.key
    store.apply([change(EventType.REVISE, "id3", seq=7, user="said", assistant="anew")], {})
    return before, store.get(["id3"])["id3"].memory.key


def test_ids_by_content_compare_the_memory_and_not_its_chat(
    store: MemoryStore,
) -> None:
    before, now = revised(store)
    assert store.ids_by_content([before]) == []
    assert store.ids_by_content([now]) == ["id3"]


def test_conversation_of_content_compares_the_chat_and_not_the_memory(
    store: MemoryStore,
) -> None:
    before, now = revised(store)
    assert (store.conversation_of_content(before), store.conversation_of_content(now)) == (
        "talk",
        None,
    )


def test_a_memory_has_the_users_name_where_its_chat_has_a_macro(store: MemoryStore) -> None:
    chat = replace(said(TALK[0]), assistant="Hi {{user}}", user_name="Ana", channel="chat")
    store.apply([added(6, "id6", chat, log="other")], {})
    entry = store.get(["id6"])["id6"]
    assert entry.memory.exchange is not None
    assert entry.memory.exchange.assistant == "Hi Ana"
    assert entry.memory.text.endswith("Hi Ana")
    assert store.conversation_of_content(chat.key) == "other"
    assert [record.key for record in store.known_exchanges("other")] == [chat.key]
    assert [key for key, _ in store.exchanges_by_content([chat.key])] == [chat.key]


def test_lines_about_unknown_memories_change_nothing(store: MemoryStore) -> None:
    before = store.counts()
    store.apply([change(EventType.PIN, "absent"), change(EventType.INIT, "x", secret="00")], {})
    assert store.counts() == before


def test_conversation_of_content_is_the_last_that_has_it(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said(TALK[0]), log="other")], {})
    assert store.conversation_of_content(said(TALK[0]).key) == "other"


@pytest.mark.parametrize(("until", "expected"), [(0, []), (2, ["id1"]), (3, ["id1", "id3"])])
def test_memories_younger_than_until_seq_are_not_found(
    store: MemoryStore, until: int, expected: list[str]
) -> None:
    embed_all(store)
    words = store.search_words(terms("dog Bruno"), limit=9, only=SearchFilter(until_seq=until))
    query = FAKE.embed_query("dog", timeout_s=1)
    near = store.search_vectors(query, limit=2, only=SearchFilter(until_seq=until))
    said_then = store.search_dates(NOW, NOW + DAY, limit=9, only=SearchFilter(until_seq=until))
    assert words == expected
    assert len(near) == min(2, until)
    assert all(int(memory_id[2:]) <= until for memory_id in near)
    assert said_then == [f"id{n}" for n in range(until, 0, -1)]


def test_edit_does_not_change_the_first_seq(store: MemoryStore) -> None:
    store.apply([change(EventType.REVISE, "id1", user="My dog was called Bruno")], {})
    assert store.search_words(["dog"], limit=9, only=SearchFilter(until_seq=1)) == ["id1"]


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
    assert [record.memory.id for record in store.forgotten()] == ["id1", "note"]
    store.erase(["id1", "note", "absent"])
    entries = store.get(["id1", "note"])
    assert all(not record.memory.text and not record.memory.sources for record in entries.values())
    assert store.forgotten() == []
    (known,) = store.known_exchanges("talk")
    assert (known.key, known.position, known.is_forgotten) == ("seal-id1", 1.0, True)


def test_counts_are_those_of_the_records_and_vectors(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("elsewhere"), log="other"), HIDING["removed"]], {})
    store.apply([change(EventType.FORGET, "id2", seq=8, sealed="x")], {})
    counts = {"live": 4, "removed": 1, "forgotten": 1}
    counts |= {"conversations": 2, "last_seq": 6, "vectors": 8, "embedded": 0, "lacking": 8}
    assert store.counts() == counts


def test_last_seq_of_a_live_memory_is_that_of_its_last_event(store: MemoryStore) -> None:
    store.apply(
        [change(EventType.PIN, "id1", seq=7), change(EventType.FORGET, "id2", seq=8, sealed="x")],
        {},
    )
    assert store.last_seqs(["id1", "id2", "id3", "absent"]) == {"id1": 7, "id3": 3}
