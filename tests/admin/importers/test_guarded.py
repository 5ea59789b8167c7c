"""The guard looks at imported chats and notes as at everything else."""

from pathlib import Path

import pytest

from memory_core.admin.exporters.export import ExportFormat, export_namespace
from memory_core.admin.exporters.live_memories import live_memories
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.private_parts import GuardAction, GuardRules, PrivatePart
from memory_core.memory.long_term_memory import LongTermMemory
from tests.admin.importers.chats import MIRA, history, said, save, source
from tests.builders import SPACE, open_memory
from tests.memory.derived_scene import observe, remember

TALK = "20260601-12-30-00"
MAIL = ["Write to ana@example.org", "I will"]
MARKED = ("Write to [e-mail address removed]", "I will")
TOM = ["My cat is Tom", "Lovely"]


def set_action(memory: LongTermMemory, action: str) -> None:
    memory.guard.follow(GuardRules(actions={PrivatePart.EMAIL: GuardAction(action)}))


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    save(tmp_path / "user_data", f"chat/Mira/{TALK}.json", history([MAIL, TOM]))
    return tmp_path / "user_data"


@pytest.mark.parametrize(
    ("action", "kept"), [("redact", [MARKED, tuple(TOM)]), ("skip", [tuple(TOM)])]
)
def test_imported_chat_is_guarded_once_and_for_good(
    memory: LongTermMemory, chats: Path, action: str, kept: list[tuple[str, str]]
) -> None:
    set_action(memory, action)
    first = import_chats(memory, source(chats))
    assert said(memory, MIRA, TALK) == kept
    assert len(first.warnings) == 1
    assert f"guard.emails is set to {action}" in first.warnings[0]
    second = import_chats(memory, source(chats))
    set_action(memory, "keep")
    third = import_chats(memory, source(chats))
    assert [found.added + found.changed + found.removed for found in (second, third)] == [0, 0]
    assert second.warnings == third.warnings == []


def test_chat_imported_before_the_guard_was_set_stays(memory: LongTermMemory, chats: Path) -> None:
    import_chats(memory, source(chats))
    set_action(memory, "skip")
    again = import_chats(memory, source(chats))
    assert (again.changed, again.removed, again.warnings) == (0, 0, [])
    assert said(memory, MIRA, TALK) == [tuple(MAIL), tuple(TOM)]


def test_imported_note_finds_its_redacted_source(tmp_path: Path) -> None:
    first, other = open_memory(tmp_path / "one"), open_memory(tmp_path / "two")
    mail = remember(first, MAIL[0])
    fact = observe(first, "Ana's address is ana@example.org.", mail)
    observe(first, "Ana has an address.", fact)
    path = tmp_path / "all.jsonl"
    export_namespace(first, SPACE, ExportFormat.JSONL, path)
    set_action(other, "redact")
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    import_chats(other, ImportSource(reader=TableReader(), path=path, owner=owner))
    texts = {found.text: found for found in live_memories(other, SPACE)}
    marked = texts["Ana's address is [e-mail address removed]."]
    assert texts["Ana has an address."].sources == (marked.id,)
    assert other.get_record(SPACE, marked.sources[0]).memory.text.startswith(f"Ana: {MARKED[0]}")
