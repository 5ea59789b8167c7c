"""What every store promises, held against counting by hand and against numpy."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core import bm25
from memory_core.embedders.hashing_fake import FakeEmbedder
from memory_core.records import MemoryKind, Role, Turn
from memory_core.stores.base import MemoryStore, Page
from memory_core.stores.in_memory import InMemoryStore
from memory_core.stores.local import LocalStore
from memory_core.terms import terms
from memory_core.transcript.entries import State, exchange_fields
from memory_core.transcript.lines import Line, Op
from tests.builders import NOW, added, said, user_sides

MakeStore = Callable[[], MemoryStore]
FAKE = FakeEmbedder(dim=32)

TALK = [
    "My dog is called Bruno and he loves the beach",
    "I work as a beekeeper near Graz",
    "Bruno chased a bee today",
    "我的狗叫小黑，它很喜欢海滩",
    "Tomorrow we drive to the beach with the dog",
]


@pytest.fixture(params=["local", "in memory"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    made: list[MemoryStore] = []

    def make() -> MemoryStore:
        folder = tmp_path / str(len(made))
        made.append(LocalStore(folder) if request.param == "local" else InMemoryStore())
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> MemoryStore:
    """Five exchanges: id1 … id5, seq 1 … 5, an hour apart."""
    filled = make_store()
    lines = [
        added(n, f"id{n}", said(text, ts=NOW + 3600.0 * n)) for n, text in enumerate(TALK, start=1)
    ]
    filled.apply(lines, {"talk": 500})
    return filled


def change(op: Op, memory_id: str, *, seq: int = 6, **fields: Any) -> Line:
    log = "talk" if op in (Op.EDIT, Op.REMOVE) else ""
    return Line(seq=seq, op=op, id=memory_id, ts=NOW, fields=fields, log=log)


def found(store: MemoryStore, text: str) -> list[str]:
    return [hit.id for hit in store.search_words(terms(text), limit=10)]


def embed_all(store: MemoryStore, embedder: FakeEmbedder = FAKE) -> None:
    store.use_model(embedder.fingerprint, embedder.dim)
    while waiting := store.unembedded(2):
        store.add_vectors(
            [it.vector_id for it in waiting], embedder.embed([it.text for it in waiting])
        )


def nearest(store: MemoryStore, text: str, *, limit: int = 10) -> list[str]:
    query = FAKE.embed_query(text, timeout_s=1)
    return [hit.id for hit in store.search_vectors(query, limit=limit)]


def test_what_was_applied_can_be_had_by_id(store: MemoryStore) -> None:
    entry = store.get(["id2", "absent"])["id2"]
    assert entry.memory.exchange == said(TALK[1], ts=NOW + 7200.0)
    assert entry.memory.text == f"Ana: {TALK[1]}\nMira: I see."
    assert (entry.state, entry.seq, entry.place) == (State.LIVE, 2, 2.0)
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


def test_more_ids_can_be_asked_for_than_sql_has_variables(store: MemoryStore) -> None:
    many = [f"absent{n}" for n in range(260_000)]
    assert list(store.get([*many, "id1"])) == ["id1"]


# ---- words


def test_words_find_what_holds_any_of_them_best_first(store: MemoryStore) -> None:
    assert found(store, "Where is the dog Bruno?") == ["id1", "id3", "id5"]
    assert found(store, "nothing of this kind") == found(store, "") == []


def test_words_find_chinese(store: MemoryStore) -> None:
    assert found(store, "我的狗叫什么名字") == ["id4"]


def test_the_only_memory_of_all_is_found_by_its_words(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("My dog is called Bruno"))], {})
    (hit,) = store.search_words(terms("my dog"), limit=5)
    assert hit.score > 0.25


def test_scores_are_those_of_bm25_over_the_live_memories(store: MemoryStore) -> None:
    store.apply([change(Op.FORGET, "id5", sealed="x")], {})
    texts = {f"id{n}": terms(f"Ana: {TALK[n - 1]}\nMira: I see.") for n in (1, 2, 3, 4)}
    corpus = bm25.Corpus(size=4, mean_length=sum(map(len, texts.values())) / 4)
    weights = {"dog": bm25.idf(corpus, 1), "bruno": bm25.idf(corpus, 2)}
    hits = store.search_words(["dog", "bruno", "dog"], limit=10)
    assert {hit.id: pytest.approx(hit.score) for hit in hits} == {
        it: bm25.score(texts[it], weights, corpus) for it in ("id1", "id3")
    }


WORDS = st.lists(
    st.sampled_from(["dog", "bee", "狗叫", "Привет", "naïve", "2026", "μ", "don't", "ß"]),
    max_size=6,
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    texts=st.lists(WORDS, min_size=1, max_size=8), asked=WORDS, until=st.none() | st.integers(0, 9)
)
def test_the_local_store_ranks_as_the_oracle_does(
    tmp_path_factory: pytest.TempPathFactory,
    texts: list[list[str]],
    asked: list[str],
    until: int | None,
) -> None:
    local, oracle = LocalStore(tmp_path_factory.mktemp("store")), InMemoryStore()
    lines = [added(n, f"id{n}", said(" ".join(it), "ok")) for n, it in enumerate(texts, start=1)]
    lines.append(change(Op.REMOVE, "id1", seq=99))
    for store in (local, oracle):
        store.apply(lines, {})
    words = terms(" ".join(asked))
    ranked = [store.search_words(words, limit=20, until_seq=until) for store in (local, oracle)]
    local.close()
    assert [hit.id for hit in ranked[0]] == [hit.id for hit in ranked[1]]
    assert [hit.score for hit in ranked[0]] == pytest.approx([hit.score for hit in ranked[1]])


# ---- vectors


def test_nearest_agrees_with_brute_force(make_store: MakeStore) -> None:
    rng = np.random.default_rng(7)
    lines = [added(n, f"id{n}", said(f"text {n}")) for n in range(1, 201)]
    store = make_store()
    store.apply(lines, {})
    store.use_model("random", 24)
    waiting = store.unembedded(500)
    rows = rng.standard_normal((len(waiting), 24)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    store.add_vectors([it.vector_id for it in waiting], rows)
    text_of = {it: entry.memory.text for it, entry in store.get([it.id for it in lines]).items()}
    at = {it.text: n for n, it in enumerate(waiting)}
    for query in rng.standard_normal((5, 24)).astype(np.float32):
        unit = query / np.linalg.norm(query)
        hits = store.search_vectors(unit, limit=10)
        best = np.sort(rows @ unit)[::-1][:10]
        assert [hit.score for hit in hits] == pytest.approx(best, abs=2e-3)
        assert [hit.score for hit in hits] == pytest.approx(
            [rows[at[text_of[hit.id]]] @ unit for hit in hits], abs=2e-3
        )


def test_without_a_model_there_are_no_vectors(store: MemoryStore) -> None:
    assert store.unembedded(5) == []
    assert nearest(store, "dog") == []
    assert store.cosines(FAKE.embed_query("dog", timeout_s=1), ["id1"]) == {}


def test_the_newest_are_embedded_first(store: MemoryStore) -> None:
    store.use_model("fake", 32)
    assert [it.text for it in store.unembedded(2)] == [
        f"Ana: {text}\nMira: I see." for text in (TALK[4], TALK[3])
    ]


def test_vectors_find_what_is_alike(store: MemoryStore) -> None:
    embed_all(store)
    assert nearest(store, f"Ana: {TALK[1]}\nMira: I see.", limit=1) == ["id2"]
    assert store.counts()["embedded"] == 5


def test_cosines_are_given_for_those_that_have_a_vector(store: MemoryStore) -> None:
    embed_all(store)
    store.apply([added(6, "id6", said("not embedded yet"))], {})
    query = FAKE.embed_query(f"Ana: {TALK[1]}\nMira: I see.", timeout_s=1)
    given = store.cosines(query, ["id2", "id6", "absent"])
    assert given == {"id2": pytest.approx(1.0, abs=2e-3)}


def test_another_model_drops_all_vectors(store: MemoryStore) -> None:
    embed_all(store)
    store.use_model("another", 32)
    assert nearest(store, "dog") == []
    assert len(store.unembedded(10)) == 5


def test_the_same_model_keeps_its_vectors(store: MemoryStore) -> None:
    embed_all(store)
    store.use_model(FAKE.fingerprint, FAKE.dim)
    assert store.unembedded(10) == []
    assert len(nearest(store, "dog")) == 5


def test_clearing_keeps_the_vectors_of_texts_that_come_again(store: MemoryStore) -> None:
    embed_all(store)
    store.clear()
    assert store.counts()["live"] == 0
    assert store.positions() == {}
    store.apply([added(1, "id1", said(TALK[0], ts=NOW))], {})
    assert store.unembedded(10) == []


# ---- what becomes of a memory

HIDING = {
    "removed": change(Op.REMOVE, "id1"),
    "forgotten": change(Op.FORGET, "id1", sealed="5ea1"),
}


@pytest.mark.parametrize("how", HIDING)
def test_what_is_hidden_is_found_by_nothing(store: MemoryStore, how: str) -> None:
    embed_all(store)
    store.apply([change(Op.PIN, "id1"), HIDING[how]], {})
    assert "id1" not in [*found(store, "dog"), *nearest(store, "dog")]
    assert "id1" not in {
        it.id for it in store.latest(Page(limit=9)) + store.conversation("talk", 9)
    }
    assert store.standing() == []
    assert store.find_key(said(TALK[0]).key) is None
    assert store.unembedded(10) == []
    assert store.counts()[how] == 1
    assert store.counts()["embedded"] == 4


def test_what_is_brought_back_is_found_again_once(store: MemoryStore) -> None:
    embed_all(store)
    store.apply([HIDING["forgotten"]], {})
    store.apply([change(Op.UNFORGET, "id1", seq=7)], {})
    embed_all(store)
    assert nearest(store, "dog").count("id1") == 1
    assert found(store, "dog Bruno")[0] == "id1"
    assert store.forgotten() == []


def test_an_edited_memory_is_found_by_its_new_words_only(store: MemoryStore) -> None:
    embed_all(store)
    store.apply([change(Op.EDIT, "id1", **exchange_fields(said("My cat is called Minka")))], {})
    assert found(store, "Minka") == ["id1"]
    assert found(store, "dog") == ["id5"]
    assert [it.text for it in store.unembedded(9)] == ["Ana: My cat is called Minka\nMira: I see."]
    assert "id1" not in nearest(store, "cat")
    embed_all(store)
    assert nearest(store, "Ana: My cat is called Minka\nMira: I see.")[0] == "id1"


def test_a_revised_memory_is_still_the_same_exchange_of_the_chat(store: MemoryStore) -> None:
    before = store.known("talk")
    store.apply([change(Op.REVISE, "id1", user="My dog was called Bruno")], {})
    assert store.known("talk") == before
    assert user_sides(store.conversation("talk", 9))[0] == "My dog was called Bruno"


def test_known_are_the_exchanges_in_the_chat_and_the_forgotten_in_order(store: MemoryStore) -> None:
    store.apply([HIDING["forgotten"], change(Op.REMOVE, "id3", seq=7)], {})
    store.apply([added(8, "id8", said("between"), place=1.5)], {})
    known = store.known("talk")
    assert [it.id for it in known] == ["id1", "id8", "id2", "id4", "id5"]
    assert [it.forgotten for it in known] == [True, False, False, False, False]
    assert known[0].key == "5ea1"
    assert known[2].key == said(TALK[1]).key
    assert store.known("another") == []


def test_the_last_exchanges_of_a_conversation_in_its_order(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("elsewhere"), log="other")], {})
    assert user_sides(store.conversation("talk", 2)) == TALK[3:]
    assert store.conversation("talk", 0) == []


def test_pages_go_from_the_newest_back(store: MemoryStore) -> None:
    assert [it.id for it in store.latest(Page(limit=2))] == ["id5", "id4"]
    assert [it.id for it in store.latest(Page(limit=2, offset=3))] == ["id2", "id1"]


def test_a_page_holds_what_has_all_words_and_was_said_before(store: MemoryStore) -> None:
    page = Page(limit=9, words=tuple(terms("Bruno the dog")))
    assert [it.id for it in store.latest(page)] == ["id1"]
    assert [it.id for it in store.latest(Page(limit=9, before=NOW + 10_800.0))] == ["id2", "id1"]


def test_undated_memories_stand_last_on_a_page_and_before_no_date(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("undated", ts=None))], {})
    assert store.latest(Page(limit=9))[-1].id == "id6"
    assert "id6" not in {it.id for it in store.latest(Page(limit=9, before=NOW * 2))}


def test_notes_are_found_and_knowledge_stands_pinned_or_not(store: MemoryStore) -> None:
    note = {"kind": "knowledge", "text": "Ana is allergic to nuts", "pinned": False}
    store.apply([change(Op.NOTE, "note", **note), change(Op.PIN, "id3", seq=7)], {})
    assert [it.id for it in store.standing()] == ["id3", "note"]
    assert found(store, "nuts") == ["note"]
    assert store.get(["note"])["note"].memory.kind is MemoryKind.KNOWLEDGE
    store.apply([change(Op.UNPIN, "id3", seq=8)], {})
    assert [it.id for it in store.standing()] == ["note"]


def test_copies_are_the_live_memories_of_the_same_content(store: MemoryStore) -> None:
    twin = store.get(["id3"])["id3"].memory
    store.apply([added(7, "id7", twin.exchange, log="branch")], {})
    assert sorted(store.copies([twin.key])) == ["id3", "id7"]


def test_lines_about_unknown_memories_change_nothing(store: MemoryStore) -> None:
    before = store.counts()
    store.apply([change(Op.PIN, "absent"), change(Op.INIT, "x", secret="00")], {})
    assert store.counts() == before


def test_the_conversation_of_a_content_is_the_last_that_holds_it(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said(TALK[0]), log="other")], {})
    assert store.find_key(said(TALK[0]).key) == "other"


@pytest.mark.parametrize(("until", "expected"), [(0, []), (2, ["id1"]), (3, ["id1", "id3"])])
def test_what_is_younger_than_the_horizon_is_not_found(
    store: MemoryStore, until: int, expected: list[str]
) -> None:
    embed_all(store)
    words = store.search_words(terms("dog Bruno"), limit=9, until_seq=until)
    query = FAKE.embed_query("dog", timeout_s=1)
    near = store.search_vectors(query, limit=2, until_seq=until)
    assert [hit.id for hit in words] == expected
    assert len(near) == min(2, until)
    assert all(int(hit.id[2:]) <= until for hit in near)


def test_an_edit_makes_nothing_younger(store: MemoryStore) -> None:
    store.apply([change(Op.REVISE, "id1", user="My dog was called Bruno")], {})
    assert [hit.id for hit in store.search_words(["dog"], limit=9, until_seq=1)] == ["id1"]


def test_erased_memories_keep_only_their_seal_and_place(make_store: MakeStore) -> None:
    note = change(Op.NOTE, "note", seq=2, kind="summary", text="Ana has a dog", sources=["id1"])
    store = make_store()
    store.apply([added(1, "id1", said(TALK[0])), note], {})
    store.apply([change(Op.FORGET, it, seq=3, sealed=f"seal-{it}") for it in ("id1", "note")], {})
    assert [it.memory.id for it in store.forgotten()] == ["id1", "note"]
    store.erase(["id1", "note", "absent"])
    entries = store.get(["id1", "note"])
    assert all(not it.memory.text and not it.memory.sources for it in entries.values())
    assert store.forgotten() == []
    (known,) = store.known("talk")
    assert (known.key, known.place, known.forgotten) == ("seal-id1", 1.0, True)


def test_counts(store: MemoryStore) -> None:
    store.apply([added(6, "id6", said("elsewhere"), log="other"), HIDING["removed"]], {})
    store.apply([change(Op.FORGET, "id2", seq=8, sealed="x")], {})
    counts = {"live": 4, "removed": 1, "forgotten": 1}
    assert store.counts() == counts | {"conversations": 2, "last_seq": 6, "embedded": 0}


def test_the_seq_of_a_live_memory_is_that_of_its_last_line(store: MemoryStore) -> None:
    store.apply([change(Op.PIN, "id1", seq=7), change(Op.FORGET, "id2", seq=8, sealed="x")], {})
    assert store.seqs(["id1", "id2", "id3", "absent"]) == {"id1": 7, "id3": 3}
