"""Listing memories for people, also while a search is being typed."""

import pytest

from memory_core.domain.records import MemoryKind
from memory_core.memory.browse import browse, history, typed_query
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.listing import ListQuery, Order, SessionQuery
from tests.builders import NOW, SPACE, said


def typed(memory: LongTermMemory, text: str) -> list[str]:
    query = typed_query(memory, SPACE, text, ListQuery(order=Order.BEST))
    found = browse(memory, SPACE, query).memories
    return [one.exchange.user for one in found if one.exchange]


def test_each_letter_of_a_word_keeps_the_memory_in_the_list(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("I was running by the theatre"))
    memory.remember(SPACE, "monday", said("We baked bread"))
    for word in ("running", "theatre"):
        for end in range(2, len(word) + 1):
            found = typed(memory, f"was {word[:end]}")
            assert "I was running by the theatre" in found, word[:end]


def test_history_goes_from_either_end_across_its_pages(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.memory.browse._PAGE", 2)
    ids = [memory.remember(SPACE, "monday", said(f"Day {n}", ts=NOW + n)) for n in range(5)]
    for order, wanted in ((Order.OLDEST, ids), (Order.NEWEST, ids[::-1])):
        found = history(memory, SPACE, SessionQuery(), conversation="monday", order=order)
        assert [one.id for one in found] == wanted
    assert list(history(memory, SPACE, SessionQuery(), conversation="friday")) == []


def test_a_finished_word_finds_no_longer_words(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("The catalogue is new"))
    memory.remember(SPACE, "monday", said("My cat is old"))
    assert set(typed(memory, "cat")) == {"The catalogue is new", "My cat is old"}
    assert typed(memory, "cat ") == ["My cat is old"]


def test_search_finds_only_memories_with_all_of_its_words(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("My dog Bruno barks"))
    memory.remember(SPACE, "monday", said("Bruno the barber"))
    assert typed(memory, "bruno dog") == ["My dog Bruno barks"]
    assert typed(memory, "bruno zebra") == []


def test_chinese_is_found_while_it_is_typed(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("我对芒果过敏"))
    memory.remember(SPACE, "monday", said("我喜欢苹果"))
    for text in ("芒", "芒果", "芒果过", "芒果过敏"):
        assert typed(memory, text) == ["我对芒果过敏"]


def test_a_list_holds_no_memory_that_was_just_forgotten(memory: LongTermMemory) -> None:
    gone = memory.remember(SPACE, "monday", said("My dog Bruno barks"))
    memory.forget(SPACE, [gone])
    memory.add_note(SPACE, "Bruno is gone", kind=MemoryKind.KNOWLEDGE, pinned=False)
    found = browse(memory, SPACE, ListQuery())
    assert (found.total, [one.text for one in found.memories]) == (1, ["Bruno is gone"])
