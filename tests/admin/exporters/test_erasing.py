"""Erasing removes words from backups, which can still be restored."""

from pathlib import Path

import pytest

from memory_core.admin.backup.erased_scan import ErasedIds
from memory_core.admin.backup.purge import erase_ids, erase_ids_from_backups
from memory_core.admin.backup.reader import BackupFile
from memory_core.admin.backup.writer import write_backup
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from memory_core.ui.cli.main import main
from tests.builders import NOW, SPACE, open_memory, said, user_sides
from tests.forensics import leaks, words_needles

OTHER = Namespace("ana", "kai")
WORDS = ("Zyxquorvath", "Umbrastelle", "Blornificat")
SECRET = said("My therapist Zyxquorvath lives in Umbrastelle.", "So you take Blornificat?")


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    memory = open_memory(tmp_path)
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    return memory


def backup(memory: LongTermMemory, *spaces: Namespace) -> Path:
    into = memory.root.parent / "backups"
    return write_backup(into / "all.zip", memory.root, spaces or [SPACE], now=NOW).path


def restored(path: Path, tmp_path: Path) -> LongTermMemory:
    """A memory elsewhere that holds what the backup holds."""
    again = open_memory(tmp_path / "elsewhere")
    with BackupFile(path) as file:
        for contents in file.contents:
            file.unpack(contents, contents.namespace.folder(again.root))
    return again


def test_erasing_removes_the_words_from_a_backup_and_nothing_else(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    told = memory.remember(SPACE, "monday", SECRET)
    memory.edit(SPACE, told, {"user": "Zyxquorvath moved"})
    memory.remember(SPACE, "monday", said("My cat is called Minka"))
    path = backup(memory)
    assert erase_ids(path, [told], now=NOW) == 1
    assert leaks(path.parent, words_needles(WORDS)) == []
    again = restored(path, tmp_path)
    found = again.latest(SPACE, Page(limit=9))
    assert user_sides(found) == ["My cat is called Minka", "My dog is called Bruno"]
    assert again.rebuild(SPACE) is None
    assert again.problems() == []


def test_erased_memory_does_not_return_from_a_chat_after_a_restore(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    told = memory.remember(SPACE, "monday", SECRET)
    path = backup(memory)
    erase_ids(path, [told], now=NOW)
    again = restored(path, tmp_path)
    again.reconcile(SPACE, "monday", [said("My dog is called Bruno"), SECRET], whole=True)
    assert again.counts(SPACE)["live"] == 1


def test_erasing_covers_notes_and_memories_forgotten_before_the_backup(
    memory: LongTermMemory,
) -> None:
    note = memory.add_note(SPACE, SECRET.user, kind=MemoryKind.KNOWLEDGE, pinned=True)
    told = memory.remember(SPACE, "monday", said("Gone before"))
    memory.forget(SPACE, [told])
    path = backup(memory)
    assert erase_ids(path, [note, told], now=NOW) == 1
    assert leaks(path.parent, words_needles(WORDS)) == []


def test_erasing_leaves_a_backup_without_the_memory_untouched(memory: LongTermMemory) -> None:
    path = backup(memory)
    before = path.read_bytes()
    assert erase_ids(path, ["absent"], now=NOW) == 0
    assert path.read_bytes() == before


def test_erasing_keeps_a_backups_other_namespaces_and_its_date(memory: LongTermMemory) -> None:
    told = memory.remember(OTHER, "monday", SECRET)
    path = backup(memory, SPACE, OTHER)
    erase_ids(path, [told], now=NOW + 99)
    with BackupFile(path) as file:
        assert {contents.namespace for contents in file.contents} == {SPACE, OTHER}
        assert {file.made_at(contents) for contents in file.contents} == {NOW}


def test_words_erased_from_the_logs_are_erased_from_backups(
    memory: LongTermMemory,
) -> None:
    erased, hidden = (
        memory.remember(SPACE, "monday", said(text)) for text in ("Zyxquor", "Blorni")
    )
    path = backup(memory)
    memory.forget(SPACE, [erased])
    memory.erase_all_forgotten(SPACE)
    memory.forget(SPACE, [hidden])
    ids = ErasedIds(memory.root).read_current()
    assert erase_ids_from_backups([path], ids, now=NOW).memories == 1
    assert leaks(path.parent, words_needles(["Zyxquor"])) == []
    assert leaks(path.parent, words_needles(["Blorni"])), "it can still be brought back"
    assert erase_ids_from_backups([path], ids, now=NOW).memories == 0


def test_erasing_reports_a_file_that_is_no_backup_and_does_the_others(
    memory: LongTermMemory,
) -> None:
    told = memory.remember(SPACE, "monday", SECRET)
    path = backup(memory)
    broken = path.with_name("broken.zip")
    broken.write_bytes(b"no zip")
    erased = erase_ids_from_backups([broken, path], [told], now=NOW)
    assert erased.memories == 1
    assert [problem.partition(" ")[0] for problem in erased.problems] == ["broken.zip"]


def test_purge_command_erases_from_safety_backups(
    memory: LongTermMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    told = memory.remember(SPACE, "monday", SECRET)
    path = backup(memory)
    memory.forget(SPACE, [told])
    memory.erase_all_forgotten(SPACE)
    memory.close()
    assert main(["purge-backups", "--storage", str(memory.root)]) == 0
    assert capsys.readouterr().out == "backups checked: 1; memories erased from them: 1\n"
    assert leaks(path.parent, words_needles(WORDS)) == []
    path.write_bytes(b"no zip")
    assert main(["purge-backups", str(path), "--storage", str(memory.root)]) == 1
    assert "all.zip may hold erased memories" in capsys.readouterr().err
