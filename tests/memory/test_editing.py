"""Edits of memories: what is erased stays erased, whoever sends an old text."""

from pathlib import Path

import pytest

from memory_core.domain.errors import WordsErased
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import SPACE, said
from tests.forensics import leaks, words_needles

_SECRET = "Zanzibarhochzeit"


def test_edit_of_an_erased_memory_writes_no_words(memory: LongTermMemory, tmp_path: Path) -> None:
    exchange = memory.remember(SPACE, "talk", said(_SECRET))
    note = memory.add_note(SPACE, _SECRET, kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.forget(SPACE, [exchange, note])
    memory.erase_all_forgotten(SPACE)
    for memory_id, fields in ((exchange, {"user": _SECRET}), (note, {"text": _SECRET})):
        with pytest.raises(WordsErased):
            memory.edit(SPACE, memory_id, fields)
    assert leaks(tmp_path, words_needles([_SECRET])) == []
    assert not memory.get_record(SPACE, exchange).has_text


def test_forgotten_memory_can_be_edited_until_it_is_erased(memory: LongTermMemory) -> None:
    note = memory.add_note(SPACE, "tea", kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.forget(SPACE, [note])
    memory.edit(SPACE, note, {"text": "coffee"})
    memory.unforget(SPACE, note)
    assert memory.get_record(SPACE, note).memory.text == "coffee"
