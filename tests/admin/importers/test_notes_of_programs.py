"""Summaries and diaries of other programs: linked to their exchanges, and forgotten with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.importers.engine import ImportResult, import_chats
from memory_core.admin.importers.formats import find_reader
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.diary import Diary
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import DerivedFilter
from tests.admin.importers.foreign import OWNER
from tests.builders import open_memory

ANA = Namespace("ana", OWNER.character)


def meta(turn: int, user: str, summary: str) -> dict[str, Any]:
    return {
        "memory_id": f"m{turn}",
        "user_id": "ana",
        "conv_id": "first talk",
        "turn_id": turn,
        "ts": "2025-03-01T10:00:00",
        "summary": summary,
        "raw_user": user,
        "raw_assistant": "I see.",
    }


@pytest.fixture
def storage(tmp_path: Path) -> Path:
    """Returns a user's folder of OpenPersistentMemory with two exchanges, each with a summary."""
    folder = tmp_path / "users" / "ana"
    (folder / "conversations").mkdir(parents=True)
    rows = [meta(1, "I keep bees.", "Ana keeps bees."), meta(2, "And hens.", "Ana keeps hens.")]
    pairs = [
        {"turn_id": row["turn_id"], "ts": row["ts"], "user": row["raw_user"], "assistant": "I see."}
        for row in rows
    ]
    for path, lines in (("meta.jsonl", rows), ("conversations/first_talk.jsonl", pairs)):
        (folder / path).write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return tmp_path / "users"


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def bring_in(memory: LongTermMemory, path: Path) -> ImportResult:
    source = ImportSource(reader=find_reader(path), path=path, owner=OWNER)
    return import_chats(memory, source)


def summaries(memory: LongTermMemory) -> list[Memory]:
    only = DerivedFilter(kinds=frozenset({MemoryKind.SUMMARY}))
    return DerivedMemories(memory).find(ANA, only)


def test_summary_names_the_exchange_it_was_made_of(memory: LongTermMemory, storage: Path) -> None:
    assert bring_in(memory, storage).notes == 2
    found = {summary.text: summary for summary in summaries(memory)}
    assert set(found) == {"Ana keeps bees.", "Ana keeps hens."}
    (source,) = found["Ana keeps bees."].sources
    record = memory.get_record(ANA, source)
    assert record.memory.exchange is not None
    assert record.memory.exchange.user == "I keep bees."


def test_second_import_of_a_programs_notes_adds_nothing(
    memory: LongTermMemory, storage: Path
) -> None:
    bring_in(memory, storage)
    assert bring_in(memory, storage).notes == 0
    assert len(summaries(memory)) == 2


def test_summary_goes_with_its_exchange_and_stays_away(
    memory: LongTermMemory, storage: Path
) -> None:
    bring_in(memory, storage)
    (source,) = next(one for one in summaries(memory) if "bees" in one.text).sources
    memory.forget(ANA, [source])
    assert [summary.text for summary in summaries(memory)] == ["Ana keeps hens."]
    bring_in(memory, storage)
    assert [summary.text for summary in summaries(memory)] == ["Ana keeps hens."]


def test_summary_that_was_forgotten_itself_stays_away(
    memory: LongTermMemory, storage: Path
) -> None:
    bring_in(memory, storage)
    memory.forget(ANA, [one.id for one in summaries(memory) if "bees" in one.text])
    bring_in(memory, storage)
    assert [summary.text for summary in summaries(memory)] == ["Ana keeps hens."]


def test_diary_of_another_program_is_a_page_of_its_day(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    path = tmp_path / "diary.json"
    rows = [{"user_id": "ana", "diary_date": "2025-02-25", "content": "Soba again."}]
    path.write_text(json.dumps({"diaries": rows}))
    bring_in(memory, path)
    (page,) = Diary(memory).pages(ANA)
    assert (page.text, page.derived.key if page.derived else "") == ("Soba again.", "2025-02-25")
