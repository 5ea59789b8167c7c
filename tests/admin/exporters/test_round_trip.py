"""A restored backup has everything but the words of forgotten memories."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.errors import ConfigError, StorageLocked, UnknownMemory
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.log.event_log import EventLog
from memory_core.storage.manifest import read_manifest, write_manifest
from tests.admin.exporters.scene import (
    FORGOTTEN,
    exported,
    files,
    fill,
    packed,
    recalled_bytes,
    seen,
    unpacked,
)
from tests.builders import (
    SPACE,
    asked,
    derive_all,
    destroy,
    open_memory,
    recalled,
    said,
)

OpenMemory = Callable[..., LongTermMemory]
BOB = Namespace("bob", "小美")


@pytest.fixture
def elsewhere(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path / "elsewhere")


@pytest.mark.parametrize("space", [SPACE, BOB], ids=["same names", "other names"])
def test_a_restored_namespace_is_the_same_to_the_eye_and_to_recall(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path, space: Namespace
) -> None:
    ids = fill(memory)
    [done] = restore(elsewhere, exported(memory, tmp_path / "ana.zip"), to=space)
    assert (done.namespace, done.memories) == (space, memory.counts(SPACE)["live"])
    assert seen(elsewhere, space) == seen(memory)
    entries = elsewhere.get_records(space, list(ids.values()))
    assert entries[ids["dog"]].memory.pinned
    assert len(entries[ids["dog"]].positions) == 2
    assert (
        entries[ids["safe"]].tombstone_hash == memory.get_record(SPACE, ids["safe"]).tombstone_hash
    )
    assert elsewhere.namespaces() == [space]
    elsewhere.close()


def test_the_logs_are_the_same_bytes_where_nothing_was_forgotten(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.remember(SPACE, "tuesday", said("Grüße 😀\ud800"))
    restore(elsewhere, exported(memory, tmp_path / "ana.zip"))
    assert files(elsewhere.root) == files(memory.root)


def test_restored_memories_are_embedded_again(memory: LongTermMemory, tmp_path: Path) -> None:
    fill(memory)
    restored = open_memory(tmp_path / "elsewhere", embedder=FakeEmbedder())
    restore(restored, exported(memory, tmp_path / "ana.zip"))
    derive_all(restored)
    counts = restored.counts(SPACE)
    assert counts["embedded"] == counts["vectors"] > 0
    restored.close()


def test_restore_keeps_extra_fields_of_the_manifest(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    write_manifest(SPACE, SPACE.folder(memory.root), extra={"aliases": ["Anna"]})
    restore(elsewhere, exported(memory, tmp_path / "ana.zip"), to=BOB)
    manifest = read_manifest(BOB.folder(elsewhere.root))
    assert manifest == {
        "aliases": ["Anna"],
        "format": 1,
        "user": "bob",
        "character": "小美",
        "scope": "character",
    }


def test_backup_lacks_forgotten_words_and_they_stay_out_when_restored(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    ids = fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    assert not any(b"Kumquat" in data for data in unpacked(path).values())
    restore(elsewhere, path)
    with pytest.raises(UnknownMemory):
        elsewhere.unforget(SPACE, ids["safe"])
    shown = [record.memory.exchange for record in memory.get_records(SPACE, [ids["safe"]]).values()]
    assert shown[0] is not None
    assert shown[0].user == FORGOTTEN
    elsewhere.reconcile(SPACE, "monday", [shown[0]], whole=False)
    assert recalled(elsewhere.recall(SPACE, asked("How does the safe open?"))) == []


def test_restored_chat_only_note_stays_in_its_chat(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    kind = MemoryKind.KNOWLEDGE
    kept = memory.add_note(SPACE, "We play", kind=kind, pinned=False, conversation="monday")
    memory.move_conversation(SPACE, "monday", "tuesday")
    restore(elsewhere, exported(memory, tmp_path / "ana.zip"), to=BOB)
    assert elsewhere.get_records(BOB, [kept]) == memory.get_records(SPACE, [kept])
    found = [
        [note.text for note in elsewhere.always_in_prompt(BOB, chat)]
        for chat in ("monday", "tuesday", "")
    ]
    assert found == [[], ["We play"], []]


def test_a_destroyed_namespace_comes_back_from_its_backup(memory: LongTermMemory) -> None:
    fill(memory)
    before = seen(memory)
    restore(memory, destroy(memory, SPACE))
    assert seen(memory) == before


def test_running_memory_continues_with_restored_memories(memory: LongTermMemory) -> None:
    fill(memory)
    restore(memory, destroy(memory, SPACE))
    memory.remember(SPACE, "monday", said("My cat is called Minka"))
    assert recalled(memory.recall(SPACE, asked("my cat")))[0] == "My cat is called Minka"
    lines = [
        event
        for log in ("", "monday")
        for event in EventLog(SPACE.folder(memory.root)).read(log).events
    ]
    assert len({event.seq for event in lines}) == len(lines)


# ---- the whole storage


def test_a_backup_of_everything_restores_every_namespace(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    spaces = [SPACE, BOB, Namespace.instruct("ana"), Namespace.shared("ana"), Namespace.world()]
    for space in spaces:
        fill(memory, space)
    path = exported(memory, tmp_path / "all.zip", *memory.namespaces())
    assert len(restore(elsewhere, path)) == len(spaces)
    for space in spaces:
        assert seen(elsewhere, space) == seen(memory, space)


def test_one_namespace_of_a_backup_can_be_restored_alone(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    fill(memory, BOB)
    path = exported(memory, tmp_path / "all.zip", SPACE, BOB)
    restore(elsewhere, path, to=BOB)
    assert elsewhere.namespaces() == [BOB]
    with pytest.raises(ConfigError, match="ana / mira"):
        restore(elsewhere, path, to=Namespace("bob", "absent"))


# ---- where there are memories already


def test_restoring_over_memories_is_refused(memory: LongTermMemory, tmp_path: Path) -> None:
    fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    before = files(memory.root)
    with pytest.raises(ConfigError, match=r"already: .*--merge"):
        restore(memory, path)
    assert files(memory.root) == before


def test_empty_namespace_folder_does_not_block_a_restore(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    elsewhere.counts(SPACE)
    assert SPACE.folder(elsewhere.root).is_dir()
    restore(elsewhere, exported(memory, tmp_path / "ana.zip"))
    assert seen(elsewhere) == seen(memory)


def test_replacing_restore_backs_up_the_former_memories(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    elsewhere.remember(SPACE, "monday", said("I am to be replaced"))
    replaced = seen(elsewhere)
    path = exported(memory, tmp_path / "ana.zip")
    [done] = restore(elsewhere, path, mode=RestoreMode.REPLACE)
    assert seen(elsewhere) == seen(memory)
    assert done.backup is not None
    restore(elsewhere, done.backup, mode=RestoreMode.REPLACE)
    assert seen(elsewhere) == replaced


def test_replacing_restore_removes_the_folder_behind_a_link(
    opened: OpenMemory, tmp_path: Path
) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    path = exported(memory, tmp_path / "ana.zip")
    memory.remember(SPACE, "talk", said("I keep a quetzalcoatlus"))
    memory.close()
    folder, far = SPACE.folder(memory.root), tmp_path / "another disk"
    folder.rename(far)
    folder.symlink_to(far)
    again = opened()
    restore(again, path, mode=RestoreMode.REPLACE)
    assert again.counts(SPACE)["live"] == 1
    assert not far.exists()
    assert not list(again.root.glob(".restoring-*"))


def test_restore_is_refused_while_another_program_writes(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    elsewhere.remember(SPACE, "monday", said("I am being written"))
    before = files(elsewhere.root)
    third = open_memory(tmp_path / "elsewhere")
    for mode in (RestoreMode.MERGE, RestoreMode.REPLACE):
        with pytest.raises(StorageLocked, match="another program writes"):
            restore(third, path, mode=mode)
    assert files(elsewhere.root) == before
    third.close()


def test_a_backup_needs_no_lock(memory: LongTermMemory, tmp_path: Path) -> None:
    fill(memory)
    second = open_memory(tmp_path)
    assert exported(second, tmp_path / "ana.zip").exists()
    second.close()


def test_a_damaged_line_is_left_out_and_the_rest_can_be_restored(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.remember(SPACE, "monday", said("My cat is called Minka"))
    log = SPACE.folder(memory.root) / "conversations" / "monday.jsonl"
    log.write_bytes(log.read_bytes().replace(b"Bruno", b"Brumo"))
    [done] = restore(elsewhere, exported(memory, tmp_path / "ana.zip"))
    assert done.memories == 1
    assert recalled(elsewhere.recall(SPACE, asked("my cat"))) == ["My cat is called Minka"]


def test_repacked_backup_can_be_restored(
    memory: LongTermMemory, elsewhere: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    members = unpacked(exported(memory, tmp_path / "ana.zip"))
    restore(elsewhere, packed(tmp_path / "again.zip", members))
    question = "What is my dog called?"
    assert recalled_bytes(elsewhere, SPACE, question) == recalled_bytes(memory, SPACE, question)
