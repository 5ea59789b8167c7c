"""Memories are deleted only after a backup that can restore them."""

import zlib
from pathlib import Path

import pytest

from memory_core.admin.backup import reader
from memory_core.admin.doctor.run import DoctorOptions, repair
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.index.local import LocalStore
from tests.admin.exporters.scene import exported
from tests.builders import NOW, SPACE, destroy, opened_namespace, said, user_sides
from tests.conftest import OpenMemory

DOG, BEES = said("My dog is called Bruno"), said("I keep bees")
ELSEWHERE = Namespace("ana", "elsewhere")
MAC = b"\0\5\x16\7\0\2\0\0Mac OS X"


def log_of(memory: LongTermMemory, name: str = "a.jsonl") -> Path:
    return SPACE.folder(memory.root) / "conversations" / name


def hit(path: Path) -> None:
    """Changes one letter of the first line."""
    data = path.read_bytes()
    path.write_bytes(data.replace(b'"channel"', b'"chamnel"', 1))


def of_a_newer_version(seq: int, memory_id: str = "newer") -> bytes:
    body = b'{"v":2,"seq":%d,"op":"add","id":"%s","ts":1.0' % (seq, memory_id.encode())
    return body + b',"crc":"%08x"}\n' % zlib.crc32(body)


@pytest.mark.parametrize("stray", ["._a.jsonl", "a (conflicted copy).jsonl", "A.jsonl.jsonl"])
def test_stray_file_among_the_logs_is_reported_and_spoils_no_backup(
    stray: str, opened: OpenMemory
) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    memory.close()
    data = MAC if stray.startswith(".") else log_of(memory).read_bytes()
    log_of(memory, stray).write_bytes(data)
    memory = opened()
    assert memory.counts(SPACE)["live"] == 1
    assert stray in memory.problems()[0]
    restore(memory, destroy(memory, SPACE))
    assert user_sides(memory.conversation(SPACE, "a", 9)) == [DOG.user]


def test_a_memory_that_is_written_twice_can_be_restored(opened: OpenMemory, tmp_path: Path) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG, BEES], whole=True)
    drafts = opened_namespace(memory, SPACE).event_log.read("a").events
    memory.close()
    twice = log_of(memory, "b.jsonl")
    twice.write_bytes(log_of(memory).read_bytes())
    memory = opened()
    restore(memory, exported(memory, tmp_path / "one.zip"), to=ELSEWHERE)
    assert memory.counts(ELSEWHERE)["live"] == len(drafts)
    saved = destroy(memory, SPACE)
    restore(memory, saved)
    assert memory.counts(SPACE)["live"] == len(drafts)


def test_a_namespace_with_a_damaged_line_is_destroyed_only_once_that_is_mended(
    opened: OpenMemory,
) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG, BEES], whole=True)
    memory.close()
    hit(log_of(memory))
    memory = opened()
    with pytest.raises(StorageFailed, match=r"1 lines cannot be read .*doctor --repair"):
        destroy(memory, SPACE)
    assert memory.namespaces() == [SPACE]
    assert list((memory.root.parent / "backups").iterdir()) == []
    memory.close()
    repair(memory.root, DoctorOptions(open_store=LocalStore, undo_s=600.0, clock=lambda: NOW))
    memory = opened()
    restore(memory, destroy(memory, SPACE))
    assert sorted(user_sides(memory.conversation(SPACE, "a", 9))) == [DOG.user, BEES.user][::-1]


def test_events_of_a_newer_version_are_neither_deleted_nor_replaced(
    opened: OpenMemory, tmp_path: Path
) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    older = exported(memory, tmp_path / "older.zip")
    memory.close()
    with log_of(memory).open("ab") as file:
        file.write(of_a_newer_version(2))
    before = log_of(memory).read_bytes()
    memory = opened()
    with pytest.raises(StorageFailed, match="update the extension"):
        destroy(memory, SPACE)
    with pytest.raises(StorageFailed, match="update the extension"):
        restore(memory, older, mode=RestoreMode.REPLACE)
    assert log_of(memory).read_bytes() == before


def test_namespace_is_not_deleted_when_its_backup_cannot_be_restored(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    monkeypatch.setattr(reader, "_MAX_LINE_BYTES", 10)
    with pytest.raises(StorageFailed, match=r"nothing was deleted: .*a line of over"):
        destroy(memory, SPACE)
    assert memory.counts(SPACE)["live"] == 1


def test_seq_of_a_newer_versions_event_is_not_used_again(opened: OpenMemory) -> None:
    memory = opened()
    memory.reconcile(SPACE, "a", [DOG], whole=True)
    memory.close()
    with log_of(memory).open("ab") as file:
        file.write(of_a_newer_version(2))
    for seq, name in ((3, "a"), (4, "b")):
        memory = opened()
        memory.remember(SPACE, name, BEES)
        memory.close()
        assert b'"seq":%d' % seq in log_of(memory, f"{name}.jsonl").read_bytes()
