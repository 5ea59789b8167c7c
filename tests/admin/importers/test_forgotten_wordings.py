"""A memory that was edited and forgotten does not come back with an export made before that."""

from pathlib import Path

import pytest

from memory_core.admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.engine import ImportResult, import_chats
from memory_core.admin.importers.formats import find_reader
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from tests.builders import SPACE, said, user_sides

SAFE = said("The safe is behind the mirror")
FORMATS = pytest.mark.parametrize("wanted", [ExportFormat.JSONL, ExportFormat.CSV])


def exported(memory: LongTermMemory, folder: Path, name: str, wanted: ExportFormat) -> Path:
    path = folder / f"{name}{ENDINGS[wanted]}"
    export_namespace(memory, SPACE, wanted, path)
    return path


def imported(memory: LongTermMemory, path: Path) -> ImportResult:
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    source = ImportSource(reader=find_reader(path), path=path, owner=owner)
    return import_chats(memory, source)


def texts(memory: LongTermMemory) -> list[str]:
    return user_sides(memory.latest(SPACE, Page(limit=9)))


@FORMATS
@pytest.mark.parametrize("is_erased", [False, True], ids=["hidden", "erased"])
def test_edited_exchange_that_was_forgotten_is_not_imported_again(
    memory: LongTermMemory, tmp_path: Path, wanted: ExportFormat, is_erased: bool
) -> None:
    kept = memory.remember(SPACE, "monday", SAFE)
    memory.edit(SPACE, kept, {"user": "The safe is behind the clock"})
    path = exported(memory, tmp_path, "edited", wanted)
    memory.forget(SPACE, [kept])
    if is_erased:
        memory.erase_all_forgotten(SPACE)
    imported(memory, path)
    assert texts(memory) == []


@FORMATS
@pytest.mark.parametrize("exported_at", [0, 1, 2])
def test_no_wording_of_a_forgotten_note_is_imported_again(
    memory: LongTermMemory, tmp_path: Path, wanted: ExportFormat, exported_at: int
) -> None:
    note = memory.add_note(SPACE, SAFE.user, kind=MemoryKind.KNOWLEDGE, pinned=False)
    paths = [exported(memory, tmp_path, "0", wanted)]
    for number, place in enumerate(("clock", "stove"), 1):
        memory.edit(SPACE, note, {"text": f"The safe is behind the {place}"})
        paths.append(exported(memory, tmp_path, str(number), wanted))
    memory.forget(SPACE, [note])
    memory.erase_all_forgotten(SPACE)
    imported(memory, paths[exported_at])
    assert texts(memory) == []
