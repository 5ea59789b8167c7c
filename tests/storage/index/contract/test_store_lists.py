"""Contract of every store: lists for people to look through, and their counts."""

from dataclasses import replace
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.domain.records import MemoryKind, Role
from memory_core.storage.index.local import LocalStore
from memory_core.storage.listing import NO_MONTH, ListedMemories, ListQuery, Order
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.store import MemoryStore
from tests.builders import HOUR, NOW, added, said
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import MakeStore, change

ALL = ListQuery()
DAY = 24 * HOUR


def ids(found: ListedMemories) -> list[str]:
    return [memory.id for memory in found.memories]


def note(seq: int, memory_id: str, text: str, **fields: object) -> Event:
    content = {"text": text, "kind": "knowledge", **fields}
    return Event(seq=seq, op=EventType.NOTE, id=memory_id, ts=NOW, fields=content)


def test_a_list_has_the_newest_first_and_counts_all(store: MemoryStore) -> None:
    found = store.list_memories(replace(ALL, limit=2))
    assert ids(found) == ["id5", "id4"]
    assert found.total == 5
    assert ids(store.list_memories(replace(ALL, limit=2, offset=4))) == ["id1"]


def test_a_list_can_begin_with_the_oldest(store: MemoryStore) -> None:
    found = store.list_memories(replace(ALL, order=Order.OLDEST, limit=2))
    assert ids(found) == ["id1", "id2"]


def test_a_list_by_words_holds_a_term_of_each_group(store: MemoryStore) -> None:
    beach = store.list_memories(replace(ALL, words=(("dog",), ("beach", "sea"))))
    assert ids(beach) == ["id5", "id1"]
    assert store.list_memories(replace(ALL, words=(("dog",), ("graz",)))).total == 0
    assert store.list_memories(replace(ALL, words=(("unknown",),))).total == 0


def test_a_list_by_the_best_match_has_the_order_of_word_search(store: MemoryStore) -> None:
    query = replace(ALL, words=(("dog", "bruno", "chase"),), order=Order.BEST)
    expected = store.fulltext.search(["dog", "bruno", "chase"], limit=9)
    assert ids(store.list_memories(query)) == expected
    assert ids(store.list_memories(replace(query, limit=1, offset=1))) == expected[1:2]


def test_the_best_match_without_words_is_the_newest(store: MemoryStore) -> None:
    assert ids(store.list_memories(replace(ALL, order=Order.BEST, limit=1))) == ["id5"]


def test_a_list_can_begin_with_the_most_recalled(store: MemoryStore) -> None:
    recalls = {"id2": 3, "id4": 9, "id1": 3, "unknown": 5}
    query = replace(ALL, order=Order.RECALLED, recalls=recalls)
    assert ids(store.list_memories(query)) == ["id4", "id2", "id1", "id5", "id3"]
    assert ids(store.list_memories(replace(query, words=(("dog",),)))) == ["id1", "id5"]
    assert ids(store.list_memories(replace(query, recalls={}, limit=2))) == ["id5", "id4"]


def test_words_can_be_looked_for_on_one_side(make_store: MakeStore) -> None:
    store = make_store()
    lines = [added(1, "id1", said("a harbour", "a boat")), added(2, "id2", said("x", "harbour"))]
    store.apply([*lines, note(3, "n", "the harbour is closed")], {})
    words = (("harbour",),)
    by_user = store.list_memories(replace(ALL, words=words, said_by=Role.USER))
    by_character = store.list_memories(replace(ALL, words=words, said_by=Role.ASSISTANT))
    assert sorted(ids(by_user)) == ["id1", "n"]
    assert ids(by_character) == ["id2"]


def test_a_list_leaves_out_forgotten_and_removed_memories(store: MemoryStore) -> None:
    store.apply(
        [change(EventType.REMOVE, "id5"), change(EventType.FORGET, "id2", seq=7, sealed="x")], {}
    )
    assert ids(store.list_memories(ALL)) == ["id4", "id3", "id1"]


def test_a_list_notices_what_was_written_since(store: MemoryStore) -> None:
    assert store.list_memories(ALL).pinned == 0
    store.apply([change(EventType.PIN, "id2"), note(7, "n", "a note")], {})
    found = store.list_memories(replace(ALL, pinned=True))
    assert (ids(found), found.pinned, found.total) == (["id2"], 1, 1)
    assert found.kinds == {MemoryKind.EXCHANGE: 1}
    assert store.list_memories(ALL).kinds == {MemoryKind.EXCHANGE: 5, MemoryKind.KNOWLEDGE: 1}


def test_a_count_leaves_out_the_restriction_of_its_own_field(store: MemoryStore) -> None:
    store.apply([note(6, "n", "a note about the dog")], {})
    query = replace(ALL, words=(("dog",),), kinds=frozenset((MemoryKind.KNOWLEDGE,)))
    found = store.list_memories(query)
    assert found.total == 1
    assert found.kinds == {MemoryKind.EXCHANGE: 2, MemoryKind.KNOWLEDGE: 1}
    assert found.conversations == {}


def test_a_list_counts_the_chats_that_show_its_memories(make_store: MakeStore) -> None:
    store = make_store()
    lines = [added(n, f"id{n}", said(f"text {n}"), log=f"chat{n % 2}") for n in range(1, 6)]
    store.apply(lines, {})
    found = store.list_memories(replace(ALL, conversation="chat0"))
    assert sorted(ids(found)) == ["id2", "id4"]
    assert found.conversations == {"chat1": 3, "chat0": 2}
    assert store.list_memories(replace(ALL, conversation="no such chat")).total == 0


def test_a_list_counts_local_months(make_store: MakeStore) -> None:
    store = make_store()
    times = [
        datetime(2026, 1, 31, 23, 59).timestamp(),
        datetime(2026, 2, 1).timestamp(),
        datetime(2025, 12, 31).timestamp(),
        None,
        1e18,
    ]
    store.apply([added(n, f"id{n}", said(f"t{n}", ts=ts)) for n, ts in enumerate(times, 1)], {})
    found = store.list_memories(ALL)
    assert found.months == {"2025-12": 1, "2026-01": 1, "2026-02": 1, NO_MONTH: 2}
    since, until = datetime(2026, 1, 1).timestamp(), datetime(2026, 2, 1).timestamp()
    january = store.list_memories(replace(ALL, since=since, until=until))
    assert ids(january) == ["id1"]
    assert january.months == found.months


def test_an_empty_store_has_an_empty_list(make_store: MakeStore) -> None:
    found = make_store().list_memories(replace(ALL, words=(("dog",),), order=Order.BEST))
    assert (ids(found), found.total, dict(found.months)) == ([], 0, {})


WORDS = st.sampled_from(["dog", "bee", "sea", "graz"])
QUERIES = st.builds(
    ListQuery,
    words=st.lists(st.lists(WORDS, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple),
    said_by=st.sampled_from([None, Role.USER, Role.ASSISTANT]),
    kinds=st.sets(st.sampled_from([MemoryKind.EXCHANGE, MemoryKind.KNOWLEDGE])).map(frozenset),
    pinned=st.booleans(),
    since=st.none() | st.sampled_from([NOW, NOW + 2 * DAY]),
    until=st.none() | st.sampled_from([NOW + DAY, NOW + 40 * DAY]),
    conversation=st.sampled_from(["", "a", "b"]),
    order=st.sampled_from(list(Order)),
    limit=st.integers(1, 9),
    offset=st.integers(0, 3),
)
TALKS = st.lists(
    st.tuples(WORDS, WORDS, st.none() | st.integers(0, 60), st.sampled_from("ab"), st.booleans()),
    max_size=8,
)


@given(TALKS, st.lists(QUERIES, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_listing_agrees_with_brute_force(
    tmp_path_factory: pytest.TempPathFactory,
    talk: list[tuple[str, str, int | None, str, bool]],
    queries: list[ListQuery],
) -> None:
    lines: list[Event] = []
    for user, assistant, day, log, is_pinned in talk:
        n = len(lines) + 1
        ts = None if day is None else NOW + day * DAY
        lines.append(added(n, f"id{n}", said(user, assistant, ts=ts), log=log))
        if is_pinned:
            lines.append(change(EventType.PIN, f"id{n}", seq=n + 1))
    local, oracle = LocalStore(tmp_path_factory.mktemp("store")), InMemoryStore()
    for store in (local, oracle):
        store.apply(lines, {})
    for query in queries:
        assert local.list_memories(query) == oracle.list_memories(query)
    local.close()
