"""Recall by words that are related in meaning to those of the message."""

from dataclasses import replace

from memory_core.recall.passages import expand_query
from memory_core.recall.query import Query
from memory_core.recall.search import SearchScope, search
from tests.builders import added, said
from tests.recall.test_pipeline import embed, found_by, stored, vector_of
from tests.storage.index.in_memory.store import InMemoryStore

LANDLORD = "The landlord came by and measured everything"
APARTMENT = Query(text="is my apartment big enough")


def test_memory_with_a_related_word_comes_first_and_says_so() -> None:
    first, *_ = found_by(stored("I baked bread", LANDLORD, "The bus was late"), APARTMENT)
    assert first.memory.id == "id2"
    assert first.parts["related"] > 0.0


def test_memory_with_the_word_itself_comes_before_one_with_a_related_word() -> None:
    found = found_by(stored(LANDLORD, "The apartment was measured by a man"), APARTMENT)
    assert [one.memory.id for one in found] == ["id2", "id1"]
    assert "related" not in found[0].parts


def test_embedder_that_knows_the_language_replaces_related_words() -> None:
    store = stored("I baked bread", LANDLORD)
    vector = vector_of(store, APARTMENT.text)
    shares = [
        {one.memory.id: one.parts.get("related", 0.0) for one in found.candidates}
        for trust in (0.0, 0.5, 1.0)
        if (found := search(store, APARTMENT, replace(vector, trust=trust), SearchScope(limit=9)))
    ]
    alone, half, none = (share["id2"] for share in shares)
    assert alone > 0.0
    assert half == alone / 2
    assert none == 0.0


def test_related_word_of_many_memories_is_not_searched() -> None:
    store = InMemoryStore()
    texts = [f"The landlord said {n}" for n in range(9)]
    store.apply([added(n, f"id{n}", said(text)) for n, text in enumerate(texts, start=1)], {})
    expansion = expand_query(store.fulltext, APARTMENT, with_related_words=True)
    assert expansion.related == {}
    few = expand_query(stored(*texts[:8]).fulltext, APARTMENT, with_related_words=True)
    assert few.related["apart"].keys() == {"landlord"}


def test_message_in_another_language_has_no_related_words() -> None:
    query = Query(text="wann kommt der dentist in die wohnung")
    store = stored("I had a tooth pulled")
    embed(store)
    assert expand_query(store.fulltext, query, with_related_words=True).related == {}
