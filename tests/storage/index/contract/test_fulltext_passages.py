"""Contract of every full-text index: terms, times, sessions and neighbours of passages."""

import pytest

from memory_core.storage.log.events import Event, EventType
from memory_core.storage.log.projection import exchange_fields
from memory_core.storage.store import MemoryStore
from memory_core.text.search_terms import terms
from memory_core.text.topics import topics
from tests.builders import DAY, HOUR, NOW, added, said
from tests.storage.index.scene import MakeStore, change, day, reported, spoken


def neighbours(store: MemoryStore, memory_id: str) -> tuple[str | None, str | None]:
    passage = reported(store, memory_id)
    assert passage is not None
    return passage.before, passage.after


def times_of(store: MemoryStore, memory_id: str) -> list[tuple[float, float]]:
    """Returns the times that the memory mentions."""
    passages = store.fulltext.passages([memory_id], [])
    return store.fulltext.mentioned_times(passages).get(memory_id, [])


def sessions(store: MemoryStore, *, count: int = 9) -> list[list[str]]:
    """Returns the ids of the live memories by session."""
    runs: dict[int, list[str]] = {}
    passages = store.fulltext.passages([f"id{n}" for n in range(1, count)], [])
    for memory_id, session in zip(passages.ids, passages.sessions.tolist(), strict=True):
        runs.setdefault(session, []).append(memory_id)
    return sorted(runs.values())


def test_passage_has_both_sides_speakers_and_time(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("Bruno likes Bruno", "The dog likes you", ts=NOW))], {})
    passage = reported(store, "id1", ["bruno", "like", "dog", "cat"])
    assert passage
    assert passage.counts == [[2, 1, 0, 0], [0, 1, 1, 0]]
    assert passage.length == 5 + len(topics("Bruno likes Bruno")) + len(topics("The dog likes you"))
    assert (passage.names, passage.ts) == (("Ana", "Mira"), NOW)


def test_only_known_live_memories_have_passages(store: MemoryStore) -> None:
    store.apply([change(EventType.REMOVE, "id2")], {})
    assert store.fulltext.passages(["id1", "id2", "absent"], []).ids[:2] == ["id1", "id3"]
    assert store.fulltext.term_counts(store.fulltext.passages(["id2"], []), ["beekeep"]).sum() == 0
    assert store.fulltext.passages([], []).ids == []


def test_edited_text_has_its_new_terms_and_times(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0)
    new = exchange_fields(said("Yesterday we met Bruno"))
    store.apply([change(EventType.EDIT, "id1", **new)], {})
    passage = reported(store, "id1", ["text", "bruno"])
    assert passage
    assert (passage.counts[0], passage.mentioned_times) == ([0, 1], [day(1)])
    assert store.catalog.search_dates(*day(1), limit=9) == ["id1"]
    store.apply([change(EventType.REVISE, "id1", seq=7, user="Bruno came")], {})
    assert times_of(store, "id1") == []
    assert store.catalog.search_dates(*day(1), limit=9) == []


# ---- times


def test_mentioned_times_come_from_both_sides(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("We met yesterday", "You met two days ago", ts=NOW))], {})
    assert times_of(store, "id1") == [day(1), day(2)]


def test_mentioned_times_keep_full_precision(make_store: MakeStore) -> None:
    odd = NOW + 0.123457
    store = make_store()
    store.apply([added(1, "id1", said("Two hours ago it rained", ts=odd))], {})
    passage = reported(store, "id1")
    assert passage
    assert passage.ts == odd
    assert store.catalog.search_dates(odd, odd + 1e-6, limit=1) == ["id1"]


def test_spans_longer_than_a_season_are_not_indexed(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("I moved in 2019, in May", ts=NOW))], {})
    store.apply([added(2, "id2", said("I moved in 2019", ts=NOW))], {})
    lengths = [end - start for start, end in times_of(store, "id1")]
    assert all(length <= 100 * DAY for length in lengths)
    assert times_of(store, "id2") == []


@pytest.mark.parametrize("ts", [None, 1.79e12, -1e18, 9e99])
def test_memory_dated_beyond_all_calendars_mentions_no_times(
    make_store: MakeStore, ts: float | None
) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("We met yesterday", ts=ts))], {})
    passage = reported(store, "id1")
    assert passage
    assert (passage.ts, passage.mentioned_times) == (ts, [])


# ---- sessions


def test_neighbours_are_the_adjacent_exchanges_of_the_chat(store: MemoryStore) -> None:
    assert [neighbours(store, f"id{n}") for n in (1, 3, 5)] == [
        (None, "id2"),
        ("id2", "id4"),
        ("id4", None),
    ]


def test_pause_of_more_than_four_hours_ends_a_session(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 4 * HOUR, 8 * HOUR + 1)
    assert sessions(store) == [["id1", "id2"], ["id3"]]
    assert neighbours(store, "id2") == ("id1", None)
    assert neighbours(store, "id3") == (None, None)


def test_conversations_share_no_session(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0)
    spoken(store, 30.0, 90.0, log="other", seq=3)
    assert sessions(store) == [["id1", "id2"], ["id3", "id4"]]


def test_unknown_times_end_no_session(make_store: MakeStore) -> None:
    assert sessions(spoken(make_store(), 0.0, None, None, 0.0)) == [["id1", "id2", "id3", "id4"]]


@pytest.mark.parametrize(
    "line",
    [change(EventType.REMOVE, "id2"), change(EventType.FORGET, "id2", sealed="x")],
    ids=["removed", "forgotten"],
)
def test_neighbours_skip_memories_that_are_not_live(make_store: MakeStore, line: Event) -> None:
    store = spoken(make_store(), 0.0, 3 * HOUR, 6 * HOUR)
    store.apply([line], {})
    assert neighbours(store, "id1") == (None, "id3")
    assert neighbours(store, "id3") == ("id1", None)
    back = [
        change(EventType.UNFORGET, "id2", seq=7),
        change(EventType.EDIT, "id2", seq=8, user="text 2"),
    ]
    store.apply(back, {})
    assert neighbours(store, "id2") == ("id1", "id3")


def test_restored_memory_is_next_to_others_restored_meanwhile(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0, 120.0)
    for seq, (op, memory_id) in enumerate(
        [
            (EventType.FORGET, "id3"),
            (EventType.FORGET, "id2"),
            (EventType.UNFORGET, "id3"),
            (EventType.UNFORGET, "id2"),
        ],
        start=6,
    ):
        store.apply([change(op, memory_id, seq=seq)], {})
        sessions(store)  # so that the store has read its words before
    assert [neighbours(store, f"id{n}") for n in (1, 2, 3)] == [
        (None, "id2"),
        ("id1", "id3"),
        ("id2", None),
    ]


def test_exchange_after_a_forgotten_one_follows_the_last_live_one(
    make_store: MakeStore,
) -> None:
    store = spoken(make_store(), 0.0, 60.0)
    store.apply([change(EventType.FORGET, "id2")], {})
    sessions(store)  # so that the store has read its words before
    spoken(store, 120.0, seq=7)
    assert neighbours(store, "id1") == (None, "id7")
    assert neighbours(store, "id7") == ("id1", None)


@pytest.mark.parametrize(
    ("ts", "runs"),
    [
        (3.0, [["id1", "id3"], ["id2"]]),
        (4.0, [["id1", "id2", "id3"]]),
        (6.0, [["id1"], ["id2", "id3"]]),
        (-2.0, [["id1", "id3"], ["id2"]]),
    ],
)
def test_inserted_exchange_joins_the_session_that_it_is_near_to(
    make_store: MakeStore, ts: float, runs: list[list[str]]
) -> None:
    store = spoken(make_store(), 0.0, 8 * HOUR)
    between = said("text 3", ts=NOW + ts * HOUR)
    store.apply([added(3, "id3", between, place=1.5)], {})
    assert sessions(store) == runs


def test_inserted_exchange_becomes_the_neighbour_of_both_beside_it(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, HOUR)
    assert neighbours(store, "id2") == ("id1", None)
    between = [said(f"text {n}", ts=NOW + 60 * n) for n in (3, 4)]
    store.apply(
        [
            added(n, f"id{n}", exchange, place=1 + (n - 2) / 3)
            for n, exchange in zip((3, 4), between, strict=True)
        ],
        {},
    )
    assert neighbours(store, "id1") == (None, "id3")
    assert neighbours(store, "id2") == ("id4", None)


def test_inserted_exchange_of_another_day_splits_a_session(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0, 120.0, 180.0)
    store.apply([added(5, "id5", said("text 5", ts=NOW + DAY), place=2.5)], {})
    assert sessions(store) == [["id1", "id2"], ["id3", "id4", "id5"]]
    assert neighbours(store, "id5") == (None, "id3")
    store.apply([added(6, "id6", said("text 6", ts=NOW - 2 * DAY), place=2.7)], {})
    store.apply([added(7, "id7", said("text 7", ts=NOW - DAY), place=2.8)], {})
    assert sessions(store) == [["id1", "id2"], ["id3", "id4"], ["id5", "id6"], ["id7"]]


def test_note_is_alone_in_its_session(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0)
    kept = {"kind": "summary", "text": "Ana has a dog", "conversation": "talk"}
    notes = [
        change(EventType.NOTE, memory_id, seq=n, **kept)
        for n, memory_id in ((3, "id3"), (4, "id4"))
    ]
    store.apply(notes, {})
    spoken(store, 120.0, seq=5)
    assert sessions(store) == [["id1", "id2", "id5"], ["id3"], ["id4"]]
    assert neighbours(store, "id3") == (None, None)
    note = reported(store, "id3", terms("Ana has a dog"))
    assert note
    assert (note.counts, note.names) == ([[1, 1], [0, 0]], ("", ""))


# ---- fetched memories


def test_fetched_memory_has_its_keys(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0)
    store.apply([change(EventType.REVISE, "id2", user="mended")], {})
    own, mended = store.fulltext.live_memories(["id1", "id2"])
    assert (own.memory.id, mended.memory.id) == ("id1", "id2")
    assert own.key == own.chat_key == own.memory.key
    assert mended.key == mended.memory.key
    assert mended.chat_key == said("text 2").key != mended.key


def test_fetched_note_has_no_chat_key(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([change(EventType.NOTE, "id1", kind="summary", text="Ana has a dog")], {})
    assert store.fulltext.live_memories(["id1"])[0].chat_key == ""


def test_live_memories_come_in_the_order_asked_for(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0, 120.0)
    store.apply([change(EventType.FORGET, "id2")], {})
    found = store.fulltext.live_memories(["id3", "id2", "unknown", "id1"])
    assert [stored.memory.id for stored in found] == ["id3", "id1"]


def test_memory_forgotten_meanwhile_is_not_fetched(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0)
    passages = store.fulltext.passages(["id1", "id2"], [])
    store.apply([change(EventType.FORGET, "id1")], {})
    live = store.fulltext.live_memories(passages.ids)
    assert [stored.memory.id for stored in live] == ["id2"]


def test_row_reused_by_another_memory_is_not_fetched(make_store: MakeStore) -> None:
    store = spoken(make_store(), 0.0, 60.0)
    passages = store.fulltext.passages(["id1"], [])
    store.clear()
    spoken(store, 0.0, seq=7)
    assert store.fulltext.live_memories(passages.ids) == []
