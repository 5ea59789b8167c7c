"""Contract of every catalog: lookups by id, conversation, content and time."""

from dataclasses import replace

import pytest

from memory_core.domain.records import MemoryKind, Role, Turn
from memory_core.storage.contract import SearchFilter
from memory_core.storage.log.events import EventType
from memory_core.storage.log.projection import MemoryStatus
from memory_core.storage.store import MemoryStore
from tests.builders import DAY, HOUR, NOW, added, said, user_sides
from tests.storage.index.scene import HIDING, TALK, MakeStore, change, day, found, spoken


def test_applied_memories_are_found_by_id(store: MemoryStore) -> None:
    entry = store.catalog.get(["id2", "absent"])["id2"]
    assert entry.memory.exchange == said(TALK[1], ts=NOW + 7200.0)
    assert entry.memory.text == f"Ana: {TALK[1]}\nMira: I see."
    assert (entry.status, entry.seq, entry.first_position) == (MemoryStatus.LIVE, 2, 2.0)
    assert list(store.catalog.get(["absent"])) == list(store.catalog.get([])) == []


def test_an_exchange_comes_back_with_all_its_parts(make_store: MakeStore) -> None:
    turns = (
        Turn(role=Role.TOOL, text="sunny", name="weather", ts=NOW, metadata={"id": 1}),
        Turn(role=Role.ASSISTANT, text="It is sunny.", metadata={"深": [None, 1.5]}),
    )
    whole = replace(said("Weather?"), channel="api", metadata={"a": {"b": "c"}}, turns=turns)
    store = make_store()
    store.apply([added(1, "id1", whole)], {})
    assert store.catalog.get(["id1"])["id1"].memory.exchange == whole


def test_more_ids_can_be_asked_for_than_sql_has_variables(store: MemoryStore) -> None:
    many = [f"absent{n}" for n in range(260_000)]
    assert list(store.catalog.get([*many, "id1"])) == ["id1"]


def test_a_revised_memory_is_still_the_same_exchange_of_the_chat(store: MemoryStore) -> None:
    before = store.catalog.known_exchanges("talk")
    store.apply([change(EventType.REVISE, "id1", user="My dog was called Bruno")], {})
    assert store.catalog.known_exchanges("talk") == before
    assert user_sides(store.catalog.conversation("talk", 9))[0] == "My dog was called Bruno"


@pytest.mark.parametrize("is_erased", [False, True], ids=["hidden", "erased"])
def test_known_exchange_that_was_forgotten_has_the_hash_of_its_message_and_its_time(
    store: MemoryStore, is_erased: bool
) -> None:
    before = {known.id: known for known in store.catalog.known_exchanges("talk")}
    hashes = {"sealed": "both", "sealed_message": "message"}
    store.apply([change(EventType.FORGET, "id1", seq=7, **hashes)], {})
    if is_erased:
        store.erase(["id1"])
    after = {known.id: known for known in store.catalog.known_exchanges("talk")}
    assert (after["id1"].key, after["id1"].user_key) == ("both", "message")
    assert {name: known.ts for name, known in after.items()} == {
        name: known.ts for name, known in before.items()
    }
    assert before["id1"].ts is not None


def test_known_exchanges_are_shown_and_forgotten_ones_in_order(store: MemoryStore) -> None:
    store.apply([HIDING["forgotten"], change(EventType.REMOVE, "id3", seq=7)], {})
    store.apply([added(8, "id8", said("between"), place=1.5)], {})
    known = store.catalog.known_exchanges("talk")
    assert [record.id for record in known] == ["id1", "id8", "id2", "id4", "id5"]
    assert [record.is_forgotten for record in known] == [True, False, False, False, False]
    assert known[0].key == "5ea1"
    assert known[2].key == said(TALK[1]).key
    assert store.catalog.known_exchanges("another") == []


def test_conversation_returns_its_last_exchanges_in_order(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("elsewhere"), log="other")], {})
    assert user_sides(store.catalog.conversation("talk", 2)) == TALK[3:]
    assert store.catalog.conversation("talk", 0) == []


def test_knowledge_is_always_in_prompt_pinned_or_not(store: MemoryStore) -> None:
    note = {"kind": "knowledge", "text": "Ana is allergic to nuts", "pinned": False}
    store.apply([change(EventType.NOTE, "note", **note), change(EventType.PIN, "id3", seq=7)], {})
    assert [memory.id for memory in store.catalog.always_in_prompt()] == ["id3", "note"]
    assert found(store, "nuts") == ["note"]
    assert store.catalog.get(["note"])["note"].memory.kind is MemoryKind.KNOWLEDGE
    store.apply([change(EventType.UNPIN, "id3", seq=8)], {})
    assert [memory.id for memory in store.catalog.always_in_prompt()] == ["note"]


def test_ids_by_content_are_all_copies_that_are_not_forgotten(
    store: MemoryStore,
) -> None:
    twin = store.catalog.get(["id3"])["id3"].memory
    store.apply([added(7, "id7", twin.exchange, log="branch")], {})
    assert sorted(store.catalog.ids_by_content([twin.key])) == ["id3", "id7"]
    store.apply([replace(change(EventType.REMOVE, "id7", seq=8), log="branch")], {})
    assert store.catalog.get(["id7"])["id7"].status is MemoryStatus.REMOVED
    assert sorted(store.catalog.ids_by_content([twin.key])) == ["id3", "id7"]
    store.apply([change(EventType.FORGET, "id7", seq=9)], {})
    assert store.catalog.ids_by_content([twin.key]) == ["id3"]
    assert store.catalog.ids_by_content(["absent"]) == store.catalog.ids_by_content([]) == []


def revised(store: MemoryStore) -> tuple[str, str]:
    """The content keys of a memory before and after it was edited here, not in its chat."""
    before = store.catalog.get(["id3"])["id3"].memory.key
    store.apply([change(EventType.REVISE, "id3", seq=7, user="said", assistant="anew")], {})
    return before, store.catalog.get(["id3"])["id3"].memory.key


def test_ids_by_content_compare_the_memory_and_not_its_chat(
    store: MemoryStore,
) -> None:
    before, now = revised(store)
    assert store.catalog.ids_by_content([before]) == []
    assert store.catalog.ids_by_content([now]) == ["id3"]


def test_exchanges_by_content_compare_the_chat_and_not_the_memory(store: MemoryStore) -> None:
    before, now = revised(store)
    ((key, record),) = store.catalog.exchanges_by_content([before])
    assert (key, record.memory.id, record.memory.key) == (before, "id3", now)
    assert store.catalog.exchanges_by_content([now]) == []


def test_a_memory_has_the_users_name_where_its_chat_has_a_macro(store: MemoryStore) -> None:
    chat = replace(said(TALK[0]), assistant="Hi {{user}}", user_name="Ana", channel="chat")
    store.apply([added(6, "id6", chat, log="other")], {})
    entry = store.catalog.get(["id6"])["id6"]
    assert entry.memory.exchange is not None
    assert entry.memory.exchange.assistant == "Hi Ana"
    assert entry.memory.text.endswith("Hi Ana")
    assert [record.key for record in store.catalog.known_exchanges("other")] == [chat.key]
    assert [key for key, _ in store.catalog.exchanges_by_content([chat.key])] == [chat.key]


def test_exchanges_by_content_are_the_oldest_first_whatever_their_status(
    store: MemoryStore,
) -> None:
    store.apply([added(6, "id6", said(TALK[0]), log="other"), HIDING["removed"]], {})
    found_again = store.catalog.exchanges_by_content([said(TALK[0]).key])
    assert [(record.memory.id, record.status) for _, record in found_again] == [
        ("id1", MemoryStatus.REMOVED),
        ("id6", MemoryStatus.LIVE),
    ]


def test_live_seq_of_a_memory_is_that_of_its_last_event(store: MemoryStore) -> None:
    store.apply(
        [change(EventType.PIN, "id1", seq=7), change(EventType.FORGET, "id2", seq=8, sealed="x")],
        {},
    )
    assert store.catalog.live_seqs(["id1", "id2", "id3", "absent"]) == {"id1": 7, "id3": 3}


def test_date_search_finds_memories_of_that_time_latest_first(store: MemoryStore) -> None:
    hours = [NOW + HOUR * n for n in range(8)]
    assert store.catalog.search_dates(hours[2], hours[4], limit=9) == ["id3", "id2"]  # half-open
    assert store.catalog.search_dates(hours[1], hours[7], limit=2) == ["id5", "id4"]
    assert store.catalog.search_dates(NOW - 9 * DAY, NOW - 8 * DAY, limit=9) == []


def test_date_search_finds_memories_that_mention_the_date(make_store: MakeStore) -> None:
    store = spoken(make_store(), -1.0 * DAY)
    store.apply([added(2, "id2", said("Yesterday it rained", ts=NOW))], {})
    store.apply([added(3, "id3", said("It rained yesterday, yesterday", ts=NOW + 1))], {})
    store.apply([added(4, "id4", said("Yesterday it rained", ts=None))], {})
    start, end = day(1)
    assert store.catalog.search_dates(start, end, limit=9) == ["id3", "id2", "id1"]
    assert store.catalog.search_dates(end - 1, end, limit=9) == ["id3", "id2"]
    assert store.catalog.search_dates(start, end, limit=1) == ["id3"]
    assert store.catalog.search_dates(start, end, limit=9, only=SearchFilter(until_seq=2)) == [
        "id2",
        "id1",
    ]


def test_date_search_orders_equal_times_by_last_written_first(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 0.0, 0.0)
    assert store.catalog.search_dates(NOW, NOW + 1, limit=2) == ["id3", "id2"]


def test_live_seqs_leave_out_what_the_filter_excludes(store: MemoryStore) -> None:
    only = SearchFilter(until_seq=2)
    assert store.catalog.live_seqs(["id1", "id2", "id3"], only) == {"id1": 1, "id2": 2}


def test_summary_of_an_empty_catalog_is_zero(make_store: MakeStore) -> None:
    summary = make_store().catalog.summary()
    assert (summary.last_applied_seq, summary.last_seq, summary.has_forgotten) == (0, 0, False)


def test_summary_has_the_seqs_of_the_last_event_and_the_last_memory(store: MemoryStore) -> None:
    store.apply([change(EventType.PIN, "id1", seq=9)], {})
    summary = store.catalog.summary()
    assert (summary.last_applied_seq, summary.last_seq, summary.has_forgotten) == (9, 5, False)


def test_summary_still_knows_of_a_forgotten_memory_that_was_erased(store: MemoryStore) -> None:
    store.apply([HIDING["forgotten"]], {})
    store.erase(["id1"])
    assert store.catalog.forgotten() == []
    assert store.catalog.summary().has_forgotten
