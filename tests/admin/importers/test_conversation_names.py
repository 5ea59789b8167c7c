"""Chats of one name stay apart, and an own export keeps the names of its chats."""

import json
from pathlib import Path

import pytest

from memory_core.admin.exporters.export import ExportFormat, export_namespace
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.engine import ImportProgress, ImportResult, ImportRun
from memory_core.admin.importers.formats import find_reader
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.pauses import ChatPauses
from tests.builders import NOW, SPACE, open_memory, said, user_sides

PLAIN, SECOND = "plain-chat", "plain-chat-2"


def table(path: Path, *texts: str) -> Path:
    rows = [{"user": text, "assistant": "I see."} for text in texts]
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def imported(memory: LongTermMemory, *paths: Path) -> ImportResult:
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    sources = [ImportSource(reader=find_reader(path), path=path, owner=owner) for path in paths]
    pauses = ChatPauses(memory.root, memory.shared.files)
    run = ImportRun(
        memory,
        sources,
        pauses=pauses,
        total=ImportProgress(),
        on_progress=lambda progress: None,
        stop=lambda: False,
    )
    return run.run()


def texts(memory: LongTermMemory, conversation: str) -> list[str]:
    return user_sides(memory.conversation(SPACE, conversation, 9))


def conversations(memory: LongTermMemory) -> int:
    return memory.counts(SPACE)["conversations"]


def test_two_files_of_one_name_become_two_chats(memory: LongTermMemory, tmp_path: Path) -> None:
    files = [
        table(tmp_path / folder / "chat.jsonl", f"I was in {folder}") for folder in ("Rome", "Oslo")
    ]
    for _ in range(2):
        imported(memory, *files)
        assert texts(memory, PLAIN) == ["I was in Rome"]
        assert texts(memory, SECOND) == ["I was in Oslo"]
        assert conversations(memory) == 2


def test_chats_keep_their_names_when_a_file_comes_before_them(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    rome = table(tmp_path / "Rome" / "chat.jsonl", "I was in Rome")
    imported(memory, rome)
    imported(memory, table(tmp_path / "Oslo" / "chat.jsonl", "I was in Oslo"), rome)
    assert texts(memory, PLAIN) == ["I was in Rome"]
    assert texts(memory, SECOND) == ["I was in Oslo"]


def test_files_of_one_name_in_a_folder_of_sillytavern_become_two_chats(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    for place in ("Rome", "Oslo"):
        path = tmp_path / "chats" / place / "chat.jsonl"
        path.parent.mkdir(parents=True)
        lines = [
            {"user_name": "Ana", "character_name": "unused"},
            {"is_user": True, "name": "Ana", "mes": f"I was in {place}"},
            {"is_user": False, "name": "Mira", "mes": "I see."},
        ]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    imported(memory, tmp_path / "chats")
    names = ("sillytavern-chat", "sillytavern-chat-2")
    space = Namespace(SPACE.user, "Mira")
    found = [user_sides(memory.conversation(space, name, 9)) for name in names]
    assert found == [["I was in Oslo"], ["I was in Rome"]]


def test_file_that_grew_is_the_same_chat(memory: LongTermMemory, tmp_path: Path) -> None:
    path = table(tmp_path / "chat.jsonl", "I was in Rome")
    imported(memory, path)
    assert imported(memory, table(path, "I was in Rome", "It rained")).added == 1
    assert texts(memory, PLAIN) == ["I was in Rome", "It rained"]
    assert conversations(memory) == 1


def test_file_whose_only_answer_was_replaced_is_the_same_chat(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    path = table(tmp_path / "chat.jsonl", "I was in Rome")
    imported(memory, path)
    path.write_text(path.read_text("utf-8").replace("I see.", "When?"), encoding="utf-8")
    assert imported(memory, path).changed == 1
    assert conversations(memory) == 1


@pytest.mark.parametrize("is_forgotten", [False, True])
def test_file_whose_only_memory_was_changed_in_the_tab_is_the_same_chat(
    memory: LongTermMemory, tmp_path: Path, is_forgotten: bool
) -> None:
    path = table(tmp_path / "chat.jsonl", "I was in Rome")
    (memory_id,) = imported(memory, path).new_ids[SPACE]
    if is_forgotten:
        memory.forget(SPACE, [memory_id])
    else:
        memory.edit(SPACE, memory_id, {"user": "I was in Oslo"})
    assert imported(memory, path).added == 0
    assert texts(memory, PLAIN) == ([] if is_forgotten else ["I was in Oslo"])
    assert texts(memory, SECOND) == []


@pytest.fixture
def exported(memory: LongTermMemory, tmp_path: Path) -> Path:
    """Returns an export of a chat with a note for it alone."""
    chat = [said("Hello", ts=NOW - 9), said("I was in Rome", ts=NOW)]
    memory.reconcile(SPACE, "monday", chat, whole=True)
    memory.add_note(
        SPACE, "Speak of Rome", kind=MemoryKind.KNOWLEDGE, pinned=True, conversation="monday"
    )
    path = tmp_path / "export.jsonl"
    export_namespace(memory, SPACE, ExportFormat.JSONL, path)
    return path


def test_own_export_keeps_the_names_of_chats_elsewhere(exported: Path, tmp_path: Path) -> None:
    other = open_memory(tmp_path / "other")
    for _ in range(2):
        imported(other, exported)
        assert texts(other, "monday") == ["Hello", "I was in Rome"]
        assert [note.conversation for note in other.always_in_prompt(SPACE, "monday")] == ["monday"]
        assert conversations(other) == 1
    other.close()


def test_own_export_joins_no_other_chat_of_its_name(exported: Path, tmp_path: Path) -> None:
    other = open_memory(tmp_path / "other")
    other.remember(SPACE, "monday", said("I was in Oslo"))
    imported(other, exported)
    assert texts(other, "monday") == ["I was in Oslo"]
    assert texts(other, "plain-monday") == ["Hello", "I was in Rome"]
    other.close()


def test_own_export_brings_what_its_chat_lost_back_under_another_name(
    memory: LongTermMemory, exported: Path
) -> None:
    memory.reconcile(SPACE, "monday", [said("Hello", ts=NOW - 9)], whole=True)
    imported(memory, exported)
    assert texts(memory, "monday") == ["Hello"]
    assert texts(memory, "plain-monday") == ["Hello", "I was in Rome"]
