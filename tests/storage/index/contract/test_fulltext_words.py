"""Contract of every full-text index: word search, compared with counting by hand."""

from itertools import chain

import pytest

from memory_core.storage.log.events import EventType
from memory_core.storage.store import MemoryStore
from memory_core.text import bm25
from memory_core.text.search_terms import terms
from memory_core.text.topics import topics
from tests.builders import added, said
from tests.storage.index.scene import TALK, MakeStore, change, found


def test_word_search_finds_texts_with_any_word_best_first(store: MemoryStore) -> None:
    assert found(store, "Where is the dog Bruno?") == ["id1", "id3", "id5"]
    assert found(store, "nothing of this kind") == found(store, "") == []


def test_word_search_finds_answers_too(make_store: MakeStore) -> None:
    store = make_store()
    store.apply([added(1, "id1", said("Where is Bruno?", "At the harbour"))], {})
    assert found(store, "harbour") == ["id1"]


def test_word_search_finds_chinese(store: MemoryStore) -> None:
    assert found(store, "我的狗叫什么名字") == ["id4"]


def test_word_search_returns_at_most_limit_results(store: MemoryStore) -> None:
    assert store.fulltext.search(terms("dog Bruno"), limit=2) == ["id1", "id3"]


@pytest.mark.parametrize(
    "words",
    [
        ["naïve"],
        ["привет"],
        ["ß"],
        ["2026"],
        ["μ"],
        ["௸"],
        ["ⴰⵣⵓⵍ"],
        ["ꭰ"],
        ["𞤀𞤁"],
        ['"or"', "狗叫"],
    ],
)
def test_word_search_finds_and_counts_any_script(make_store: MakeStore, words: list[str]) -> None:
    text = " ".join(words)
    store = make_store()
    store.apply([added(1, "id1", said(text, "ok")), added(2, "id2", said("else", "ok"))], {})
    assert terms(text)
    assert found(store, text) == ["id1"]
    assert set(store.fulltext.corpus(terms(text)).document_frequency.values()) == {1}


def test_word_search_accepts_very_many_words(store: MemoryStore) -> None:
    many = [f"w{n}" for n in range(5000)]
    assert store.fulltext.search([*many, "graz"], limit=9) == ["id2"]


def test_the_corpus_counts_the_live_memories(store: MemoryStore) -> None:
    store.apply(
        [change(EventType.REMOVE, "id5"), change(EventType.FORGET, "id2", seq=7, sealed="x")], {}
    )
    store.apply([change(EventType.REVISE, "id3", seq=8, user="Bruno chased Bruno's tail")], {})
    texts = [
        [*terms(text), *topics(text), *terms("I see."), *topics("I see.")]
        for text in (TALK[0], "Bruno chased Bruno's tail", TALK[3])
    ]
    corpus = store.fulltext.corpus(["bruno", "dog", "graz", "tail", "absent"])
    assert corpus.size == 3
    assert corpus.mean_length == pytest.approx(len(list(chain(*texts))) / 3)
    assert corpus.document_frequency == {"bruno": 2, "dog": 1, "graz": 0, "tail": 1, "absent": 0}


def test_an_empty_store_has_an_empty_corpus(make_store: MakeStore) -> None:
    empty = bm25.Corpus(size=0, mean_length=0.0, document_frequency={"dog": 0})
    assert make_store().fulltext.corpus(["dog"]) == empty


def test_restored_memory_is_counted_once_in_the_corpus(store: MemoryStore) -> None:
    before = store.fulltext.corpus(["dog"])
    store.apply(
        [change(EventType.FORGET, "id1", sealed="x"), change(EventType.FORGET, "id1", seq=7)], {}
    )
    assert store.fulltext.corpus(["dog"]).document_frequency == {"dog": 1}
    store.apply([change(EventType.UNFORGET, "id1", seq=8), change(EventType.PIN, "id1", seq=9)], {})
    assert store.fulltext.corpus(["dog"]) == before


def test_cleared_store_has_an_empty_corpus_again(store: MemoryStore) -> None:
    store.clear()
    assert store.fulltext.corpus(["dog"]) == bm25.Corpus(
        size=0, mean_length=0.0, document_frequency={"dog": 0}
    )
    store.apply([added(1, "id1", said("My dog", ""))], {})
    length = 1.0 + len(topics("My dog"))
    assert store.fulltext.corpus(["dog"]) == bm25.Corpus(
        size=1, mean_length=length, document_frequency={"dog": 1}
    )
