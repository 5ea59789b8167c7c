"""Finding memories that say the same as others."""

from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.similar import similar_memories
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.log.events import EventType, NewEvent
from tests.builders import SPACE, derive_all, opened_namespace, said
from tests.conftest import OpenMemory


def similar(memory: LongTermMemory, *ids: str) -> list[str]:
    return [one.id for one in similar_memories(memory, SPACE, ids)]


def test_a_paraphrase_in_nearly_the_same_words_is_similar(memory: LongTermMemory) -> None:
    cat = memory.remember(SPACE, "monday", said("My cat is called Biscuit"))
    again = memory.remember(SPACE, "tuesday", said("Biscuit is the name of the cat I called in"))
    answer = memory.remember(SPACE, "friday", said("Who was it?", "Your cat is called Biscuit!"))
    memory.remember(SPACE, "tuesday", said("I called my brother about the garden"))
    memory.remember(SPACE, "tuesday", said("The weather is fine"))
    assert set(similar(memory, cat)) == {again, answer}


def test_equal_answers_make_no_memories_similar(opened: OpenMemory) -> None:
    memory = opened(embedder=FakeEmbedder(dim=64))
    for answer in ("Okay.", "Understood, noted."):
        for n in range(9):
            memory.remember(SPACE, "monday", said(f"harbour{n} lamp{n} {answer[:1]}{n}", answer))
    one = memory.remember(SPACE, "tuesday", said("My cat is called Biscuit", "Okay."))
    other = memory.remember(SPACE, "tuesday", said("My PIN is 1234", "Understood, noted."))
    derive_all(memory)
    assert similar(memory, one) == []
    assert similar(memory, other) == []


def test_answer_that_quotes_the_message_is_similar_in_both_directions(
    memory: LongTermMemory,
) -> None:
    cat = memory.remember(SPACE, "monday", said("My cat is called Biscuit"))
    answer = memory.remember(SPACE, "friday", said("Who was it?", "Your cat is called Biscuit!"))
    assert (similar(memory, cat), similar(memory, answer)) == ([answer], [cat])


def test_forgotten_memory_is_not_similar_to_any(memory: LongTermMemory) -> None:
    cat = memory.remember(SPACE, "monday", said("My cat is called Biscuit"))
    again = memory.remember(SPACE, "tuesday", said("Biscuit, so my cat is called"))
    memory.forget(SPACE, [again])
    assert similar(memory, cat) == []


def test_a_note_made_of_a_memory_is_similar_to_it(memory: LongTermMemory) -> None:
    cat = memory.remember(SPACE, "monday", said("My cat is called Biscuit"))
    fields = {"kind": MemoryKind.INSIGHT, "text": "Loves animals", "sources": [cat]}
    note = opened_namespace(memory, SPACE).write(NewEvent(op=EventType.NOTE, ts=1.0, fields=fields))
    assert similar(memory, cat) == [note.id]


def test_memory_without_a_similar_one_finds_none(memory: LongTermMemory) -> None:
    assert similar(memory, memory.remember(SPACE, "monday", said("Hm", "Yes"))) == []
    assert similar(memory, "unknown") == []


def test_the_same_meaning_is_similar_where_vectors_are_stored(opened: OpenMemory) -> None:
    memory = opened(embedder=FakeEmbedder(dim=64))
    for n in range(9):
        memory.remember(SPACE, "monday", said(f"harbour{n} lamp{n} river{n}", f"yes{n} ok{n}"))
    one = memory.remember(SPACE, "tuesday", said("It is what it is, about you and me", "ok20"))
    same = memory.remember(SPACE, "tuesday", said("About me and you: it is what it is", "no21"))
    assert similar(memory, one) == []
    derive_all(memory)
    assert similar(memory, one) == [same]
