"""An own export that is imported again adds no second copy of what was edited meanwhile."""

from pathlib import Path

import pytest

from memory_core.admin.backup.writer import write_backup
from memory_core.admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.engine import ImportResult, import_chats
from memory_core.admin.importers.formats import find_reader
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.errors import ImportFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from tests.builders import NOW, SPACE, said, user_sides

HELLO, SAFE = said("Hello"), said("The safe is behind the mirror")
CLOCK, STOVE = said("The safe is behind the clock"), said("The safe is behind the stove")
OTHER = Namespace("ana", "rei")


def test_backup_of_our_own_is_refused_with_the_command_that_restores_it(
    memory: LongTermMemory, safe: str, tmp_path: Path
) -> None:
    path = tmp_path / "backup.zip"
    write_backup(path, memory.root, [SPACE], now=NOW)
    with pytest.raises(ImportFailed, match=r"backup\.zip is a backup .* restore`"):
        find_reader(path)


@pytest.fixture(params=[ExportFormat.JSONL, ExportFormat.CSV])
def wanted(request: pytest.FixtureRequest) -> ExportFormat:
    return ExportFormat(request.param)


def exported(memory: LongTermMemory, folder: Path, wanted: ExportFormat) -> Path:
    path = folder / f"export{ENDINGS[wanted]}"
    export_namespace(memory, SPACE, wanted, path)
    return path


def imported(memory: LongTermMemory, path: Path, space: Namespace = SPACE) -> ImportResult:
    owner = MemoryOwner(user=space.user, character=space.character)
    source = ImportSource(reader=find_reader(path), path=path, owner=owner)
    return import_chats(memory, source)


def texts(memory: LongTermMemory, space: Namespace = SPACE) -> list[str]:
    return sorted(user_sides(memory.latest(space, Page(limit=9))))


@pytest.fixture
def safe(memory: LongTermMemory) -> str:
    """Returns the id of an exchange that follows another one in its chat."""
    memory.reconcile(SPACE, "monday", [HELLO, SAFE], whole=True)
    return memory.conversation(SPACE, "monday", 1)[0].id


def test_export_of_times_within_a_second_adds_nothing(
    memory: LongTermMemory, tmp_path: Path, wanted: ExportFormat
) -> None:
    """A CSV holds whole seconds, which spreadsheets read as dates."""
    memory.reconcile(SPACE, "tuesday", [said("Hi", ts=NOW + 0.25)], whole=True)
    assert imported(memory, exported(memory, tmp_path, wanted)).added == 0
    assert texts(memory) == ["Hi"]


def test_export_made_before_an_edit_in_the_tab_adds_nothing(
    memory: LongTermMemory, safe: str, tmp_path: Path, wanted: ExportFormat
) -> None:
    path = exported(memory, tmp_path, wanted)
    memory.edit(SPACE, safe, {"user": CLOCK.user})
    result = imported(memory, path)
    assert (result.added, result.changed, result.removed) == (0, 0, 0)
    assert texts(memory) == ["Hello", CLOCK.user]


def test_export_made_after_an_edit_in_the_tab_adds_nothing(
    memory: LongTermMemory, safe: str, tmp_path: Path, wanted: ExportFormat
) -> None:
    memory.edit(SPACE, safe, {"user": CLOCK.user})
    path = exported(memory, tmp_path, wanted)
    imported(memory, path)
    assert texts(memory) == ["Hello", CLOCK.user]
    memory.edit(SPACE, safe, {"user": STOVE.user})
    result = imported(memory, path)
    assert texts(memory) == ["Hello", STOVE.user]
    assert not result.added


def test_export_made_before_an_edit_in_the_chat_adds_nothing(
    memory: LongTermMemory, safe: str, tmp_path: Path, wanted: ExportFormat
) -> None:
    path = exported(memory, tmp_path, wanted)
    memory.reconcile(SPACE, "monday", [HELLO, CLOCK], whole=True)
    imported(memory, path)
    assert texts(memory) == ["Hello", CLOCK.user]
    assert memory.get_record(SPACE, safe).memory.exchange == CLOCK


def test_export_made_before_an_edit_in_the_chat_brings_back_nothing_forgotten(
    memory: LongTermMemory, safe: str, tmp_path: Path, wanted: ExportFormat
) -> None:
    path = exported(memory, tmp_path, wanted)
    memory.reconcile(SPACE, "monday", [HELLO, CLOCK], whole=True)
    memory.forget(SPACE, [safe])
    memory.erase_all_forgotten(SPACE)
    imported(memory, path)
    assert texts(memory) == ["Hello"]


def test_export_brings_back_what_was_edited_and_then_removed_from_its_chat(
    memory: LongTermMemory, safe: str, tmp_path: Path, wanted: ExportFormat
) -> None:
    memory.edit(SPACE, safe, {"user": CLOCK.user})
    path = exported(memory, tmp_path, wanted)
    memory.reconcile(SPACE, "monday", [HELLO], whole=True)
    imported(memory, path)
    assert texts(memory) == ["Hello", CLOCK.user]


def test_export_of_an_edited_exchange_is_copied_to_another_character(
    memory: LongTermMemory, safe: str, tmp_path: Path, wanted: ExportFormat
) -> None:
    memory.edit(SPACE, safe, {"user": CLOCK.user})
    imported(memory, exported(memory, tmp_path, wanted), OTHER)
    assert texts(memory, OTHER) == ["Hello", CLOCK.user]


def test_export_made_before_a_note_was_edited_adds_no_second_note(
    memory: LongTermMemory, tmp_path: Path, wanted: ExportFormat
) -> None:
    note = memory.add_note(SPACE, SAFE.user, kind=MemoryKind.KNOWLEDGE, pinned=False)
    path = exported(memory, tmp_path, wanted)
    memory.edit(SPACE, note, {"text": CLOCK.user})
    imported(memory, path)
    assert texts(memory) == [CLOCK.user]
