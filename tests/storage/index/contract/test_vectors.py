"""Contract of every vector index: vector search, compared with numpy."""

from itertools import product

import numpy as np
import pytest

from memory_core.domain.records import MemoryKind
from memory_core.providers.embedders.base import unit
from memory_core.storage.contract import SearchFilter
from memory_core.storage.index import local_vectors
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.store import MemoryStore
from tests.builders import HOUR, NOW, added, said
from tests.storage.index.scene import FAKE, TALK, MakeStore, change, embed_all, nearest

NEAR = 2e-3  # a store may keep half precision


def test_vector_search_by_the_better_side_agrees_with_brute_force(make_store: MakeStore) -> None:
    rng = np.random.default_rng(7)
    store = make_store()
    pairs = [said(f"text {n}", f"answer {n}" if n % 3 else "") for n in range(1, 201)]
    store.apply([added(n, f"id{n}", pair) for n, pair in enumerate(pairs, start=1)], {})
    store.vectors.use_model("random", 24)
    waiting = store.vectors.pending(1000)
    given = unit(rng.standard_normal((len(waiting), 24)))
    store.vectors.add([pending.vector_id for pending in waiting], given)
    rows = {pending.text: row for pending, row in zip(waiting, given, strict=True)}
    for query in unit(rng.standard_normal((5, 24))):
        best = [
            max(float(rows[side] @ query) for side in (pair.user, pair.assistant) if side)
            for pair in pairs
        ]
        ids = store.vectors.search(query, limit=10)
        found = [best[int(memory_id[2:]) - 1] for memory_id in ids]
        assert len(set(ids)) == 10
        assert found == pytest.approx(sorted(best, reverse=True)[:10], abs=NEAR)


SPAN = (NOW + 20 * HOUR, NOW + 60 * HOUR)
FILTERS = {
    "a conversation": SearchFilter(conversation="talk 3"),
    "a time": SearchFilter(since=SPAN[0], until=SPAN[1]),
    "since then": SearchFilter(since=SPAN[1]),
    "until then": SearchFilter(until=SPAN[0]),
    "a kind": SearchFilter(kinds=frozenset({MemoryKind.KNOWLEDGE})),
    "exchanges": SearchFilter(kinds=frozenset({MemoryKind.EXCHANGE})),
    "a horizon": SearchFilter(until_seq=17),
    "a chat's own notes": SearchFilter(applies_in="talk 1"),
    "no chat's own notes": SearchFilter(applies_in=""),
    "a chat's own notes since then": SearchFilter(applies_in="talk 1", since=SPAN[1]),
    "several": SearchFilter(since=SPAN[0], conversation="talk 2", until_seq=150),
    "none": SearchFilter(conversation="nowhere"),
}


def is_allowed(only: SearchFilter, number: int) -> bool:
    """Returns whether the filter allows the memory that event() makes of this number.

    Every tenth memory is a note, and every second note applies to one of four chats only. The
    others are exchanges of five talks. All are an hour apart.
    """
    ts, is_note = NOW + number * HOUR, number % 10 == 0
    return (
        (only.since is None or ts >= only.since)
        and (only.until is None or ts < only.until)
        and (not only.kinds or (MemoryKind.KNOWLEDGE in only.kinds) == is_note)
        and (not only.conversation or (not is_note and f"talk {number % 5}" == only.conversation))
        and (only.until_seq is None or number <= only.until_seq)
        and (only.applies_in is None or only_in_talk(number) in ("", only.applies_in))
    )


def only_in_talk(number: int) -> str:
    return "" if number % 20 else f"talk {number // 20 % 4}"


def event(number: int) -> Event:
    text, ts = f"text {number}", NOW + number * HOUR
    if number % 10:
        return added(number, f"id{number}", said(text, "", ts=ts), log=f"talk {number % 5}")
    fields = {"kind": "knowledge", "text": text, "conversation": only_in_talk(number)}
    return Event(seq=number, op=EventType.NOTE, id=f"id{number}", ts=ts, fields=fields, log="")


@pytest.mark.parametrize("few", [3_000, 5, 0])
def test_filtered_vector_search_returns_the_nearest_allowed(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch, few: int
) -> None:
    monkeypatch.setattr(local_vectors, "_FEW_MEMORIES", few)  # each way of searching
    monkeypatch.setattr(local_vectors, "_MAX_VECTORS_ASKED", 10_000 if few else 14)
    monkeypatch.setattr(local_vectors, "_MAX_MEMORIES_LISTED", few)
    random, store = np.random.default_rng(7), make_store()
    store.apply([event(n) for n in range(1, 201)], {})
    store.vectors.use_model("random", 24)
    waiting = store.vectors.pending(1000)
    rows = unit(random.standard_normal((len(waiting), 24)))
    store.vectors.add([pending.vector_id for pending in waiting], rows)
    while store.maintain():
        pass
    numbers = [int(pending.text.split()[1]) for pending in waiting]
    for (what, only), query in product(FILTERS.items(), unit(random.standard_normal((3, 24)))):
        order = [numbers[index] for index in np.argsort(-(rows @ query))]
        wanted = [f"id{index}" for index in order if is_allowed(only, index)]
        assert store.vectors.search(query, limit=7, only=only) == wanted[:7], what
        assert set(store.vectors.search(query, limit=300, only=only)) == set(wanted), what


def test_store_without_a_model_has_no_vectors(store: MemoryStore) -> None:
    assert store.vectors.pending(5) == store.vectors.embedded_pairs(5) == []
    assert nearest(store, "dog") == []
    assert store.vectors.get(["id1"]) == {}


def test_pending_embeddings_are_newest_first_one_per_side(store: MemoryStore) -> None:
    store.vectors.use_model("fake", 32)
    assert [pending.text for pending in store.vectors.pending(3)] == [TALK[4], "I see.", TALK[3]]
    assert len(store.vectors.pending(99)) == 10


def test_blank_side_has_no_pending_embedding(make_store: MakeStore) -> None:
    store = make_store()
    note = change(EventType.NOTE, "note", seq=2, kind="knowledge", text="Ana likes tea")
    store.apply([added(1, "id1", said("Bruno?", " ")), note], {})
    store.vectors.use_model("fake", 32)
    assert [pending.text for pending in store.vectors.pending(9)] == ["Ana likes tea", "Bruno?"]
    embed_all(store)
    assert [row is None for row in store.vectors.get(["id1"])["id1"]] == [False, True]
    assert [row is None for row in store.vectors.get(["note"])["note"]] == [False, True]
    assert store.vectors.embedded_pairs(9) == []


def test_vector_search_finds_similar_texts(store: MemoryStore) -> None:
    embed_all(store)
    assert nearest(store, TALK[1], limit=1) == ["id2"]
    assert store.counts()["embedded"] == 10


def test_a_query_of_another_width_finds_nothing(store: MemoryStore) -> None:
    embed_all(store)
    assert store.vectors.search(np.ones(5, dtype=np.float32), limit=9) == []


def test_each_side_has_its_own_vector(store: MemoryStore) -> None:
    embed_all(store)
    store.apply([added(6, "id6", said("not embedded yet"))], {})
    given = store.vectors.get(["id2", "id6", "absent"])
    assert list(given) == ["id2"]
    assert np.allclose(np.stack(given["id2"]), FAKE.embed([TALK[1], "I see."]), atol=NEAR)


def test_unwanted_vectors_are_not_stored(store: MemoryStore) -> None:
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    waiting = store.vectors.pending(99)
    store.apply([change(EventType.REMOVE, "id1")], {})
    store.vectors.add(
        [pending.vector_id for pending in waiting],
        FAKE.embed([pending.text for pending in waiting]),
    )
    assert store.counts()["embedded"] == 8


def test_unusable_vectors_are_not_pending_again(store: MemoryStore) -> None:
    store.vectors.use_model("fake", 32)
    waiting = store.vectors.pending(99)
    store.vectors.add(
        [pending.vector_id for pending in waiting], np.zeros((10, 32), dtype=np.float32)
    )
    assert store.vectors.pending(99) == store.vectors.embedded_pairs(9) == []
    assert store.vectors.get(["id1"]) == {}
    assert store.counts()["embedded"] == 0


def test_pairs_are_exchanges_with_both_vectors_and_stay_the_same(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([added(n, f"id{n}", said(f"text {n}")) for n in range(1, 21)], {})
    embed_all(store)
    before = store.vectors.embedded_pairs(8)
    assert len(set(before)) == 8
    assert set(store.vectors.embedded_pairs(99)) == {f"id{n}" for n in range(1, 21)}
    store.apply([change(EventType.REMOVE, before[0], seq=21)], {})
    store.apply([added(22, "id22", said("not embedded", "yet"))], {})
    assert store.vectors.embedded_pairs(7) == before[1:]


def test_another_model_drops_all_vectors(store: MemoryStore) -> None:
    embed_all(store)
    store.vectors.use_model("another", 32)
    assert nearest(store, "dog") == store.vectors.embedded_pairs(9) == []
    assert len(store.vectors.pending(99)) == 10


def test_the_same_model_keeps_its_vectors(store: MemoryStore) -> None:
    embed_all(store)
    store.vectors.use_model(FAKE.fingerprint, FAKE.dim)
    assert store.vectors.pending(99) == []
    assert len(nearest(store, "dog")) == 5
