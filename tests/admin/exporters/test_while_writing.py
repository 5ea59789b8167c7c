"""A backup made while others write shows one moment: no line refers to a missing memory."""

import json
import threading
from collections.abc import Collection
from pathlib import Path

import pytest

from memory_core.admin.backup import snapshot as snapshot_module
from memory_core.admin.backup import writer as writing
from memory_core.admin.backup.snapshot import NamespaceSnapshot
from memory_core.admin.exporters.restore import restore
from memory_core.domain.errors import StorageFailed
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.log.log_file import last_seq
from tests.admin.exporters.scene import FORGOTTEN, exported, fill, unpacked
from tests.builders import SPACE, open_memory, said


def test_backup_while_writing_has_the_memory_of_every_pin_and_no_gaps(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    stop = threading.Event()

    def write() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            memory.pin(SPACE, memory.remember(SPACE, f"talk {n % 7}", said(f"number {n}")))

    memory.remember(SPACE, "talk 0", said("number 0"))
    writer = threading.Thread(target=write)
    writer.start()
    try:
        paths = [exported(memory, tmp_path / f"{n}.zip") for n in range(8)]
    finally:
        stop.set()
        writer.join()
    for path in paths:
        logs = [data for name, data in unpacked(path).items() if name.endswith(".jsonl")]
        lines = [json.loads(line) for data in logs for line in data.splitlines()]
        assert sorted(event["seq"] for event in lines) == list(range(1, len(lines) + 1))
    other = open_memory(tmp_path / "other")
    assert restore(other, paths[-1])[0].memories > 0
    other.close()


def test_backup_leaves_out_events_written_after_its_start(memory: LongTermMemory) -> None:
    for talk in ("a", "b"):
        memory.remember(SPACE, talk, said(f"said before in {talk}"))
    snapshot, seqs = NamespaceSnapshot(SPACE.folder(memory.root)), []
    for log in snapshot.logs():
        seqs += [json.loads(line)["seq"] for line in snapshot.lines(log)]
        for talk in ("a", "b"):
            memory.pin(SPACE, memory.remember(SPACE, talk, said(f"said after in {talk}")))
    assert seqs == [1, 2]


def test_backup_holds_a_conversation_begun_with_it_and_its_pins(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.pin(SPACE, memory.remember(SPACE, "old", said("said before")))

    def begin_another(path: Path) -> int:
        if memory.counts(SPACE)["live"] == 1:
            memory.pin(SPACE, memory.remember(SPACE, "new", said("said meanwhile")))
        return last_seq(path)

    monkeypatch.setattr(snapshot_module, "last_seq", begin_another)
    snapshot = NamespaceSnapshot(SPACE.folder(memory.root))
    lines = [json.loads(line) for log in snapshot.logs() for line in snapshot.lines(log)]
    assert sorted(event["seq"] for event in lines) == [1, 2, 3, 4]


def test_memory_forgotten_during_a_backup_is_not_in_it(
    memory: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = fill(memory)
    later = memory.remember(SPACE, "monday", said("Kumquat again"))
    real = NamespaceSnapshot.forgotten_meanwhile

    def forget_meanwhile(self: NamespaceSnapshot) -> set[str]:
        if memory.get_record(SPACE, later).forgotten_at is None:
            memory.forget(SPACE, [later])
            memory.erase_all_forgotten(SPACE)
        return real(self)

    monkeypatch.setattr(NamespaceSnapshot, "forgotten_meanwhile", forget_meanwhile)
    path = exported(memory, tmp_path / "ana.zip")
    assert not any(b"Kumquat" in data for data in unpacked(path).values())
    assert FORGOTTEN.encode() not in path.read_bytes()
    assert ids["safe"].encode() in b"".join(unpacked(path).values())
    notes = [json.loads(line) for line in unpacked(path)["notes.jsonl"].splitlines()]
    assert later in [note["id"] for note in notes if note["op"] == "forget"]


def test_an_erasure_while_logs_are_read_leaves_no_memory_without_words_and_tombstone(
    memory: LongTermMemory,
) -> None:
    kept = memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.remember(SPACE, "tuesday", said("My cat is called Minka"))
    snapshot = NamespaceSnapshot(SPACE.folder(memory.root))
    memory.forget(SPACE, [kept])
    memory.erase_all_forgotten(SPACE)
    lines = [json.loads(line) for log in snapshot.logs() for line in snapshot.lines(log)]
    assert {event["op"] for event in lines if event["id"] == kept} == {"add", "forget"}


def test_backup_ends_although_memories_are_forgotten_all_the_time(
    memory: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    monkeypatch.setattr(NamespaceSnapshot, "forgotten_meanwhile", lambda _: {"somebody else's"})
    monkeypatch.setattr(writing, "_ATTEMPTS", 2)
    path = exported(memory, tmp_path / "ana.zip")
    assert live_in(path, tmp_path) == memory.counts(SPACE)["live"]


def live_in(path: Path, tmp_path: Path) -> int:
    """Returns the number of live memories after restoring into an empty storage."""
    other = open_memory(tmp_path / "other")
    restore(other, path)
    return other.counts(SPACE)["live"]


def test_words_forgotten_repeatedly_during_a_backup_are_erased_from_it(
    memory: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory)
    names = [f"Kumquat{n}" for n in range(9)]
    ids = [memory.remember(SPACE, "monday", said(f"{name} tastes well")) for name in names]
    real = NamespaceSnapshot.forgotten_meanwhile

    def forget_one(self: NamespaceSnapshot) -> set[str]:
        memory.forget(SPACE, [ids.pop()])
        return real(self)

    monkeypatch.setattr(NamespaceSnapshot, "forgotten_meanwhile", forget_one)
    path = exported(memory, tmp_path / "ana.zip")
    found = b"".join(unpacked(path).values())
    kept = [name for name in names if name.encode() in found]
    assert kept == names[: len(ids)] != names
    assert f"{names[-1]} tastes".encode() not in found
    assert live_in(path, tmp_path) == memory.counts(SPACE)["live"]


def test_backup_is_deleted_when_forgotten_words_cannot_be_erased(
    memory: LongTermMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cannot(path: Path, ids: Collection[str], *, now: float) -> int:
        raise StorageFailed(f"{path}: no space left for {len(ids)} at {now}")

    fill(memory)
    monkeypatch.setattr(NamespaceSnapshot, "forgotten_meanwhile", lambda _: {"somebody else's"})
    monkeypatch.setattr(writing, "erase_ids", cannot)
    with pytest.raises(StorageFailed, match="while memories are forgotten"):
        exported(memory, tmp_path / "ana.zip")
    assert not (tmp_path / "ana.zip").exists()
