"""A character's file holds what is remembered now, and nothing that was edited or forgotten."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.admin.exporters.character_file import write_character_file
from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.bootstrap import build_runtime
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.installation import Installation
from memory_core.memory.merging import merge_memories
from memory_core.memory.runtime import Runtime
from memory_core.storage.contract import DerivedFilter, Page
from tests.builders import NOW, SPACE, said
from tests.memory.derived_scene import observe, remember


def runtime_in(folder: Path) -> Runtime:
    return build_runtime(Installation(folder=folder, environ={"LTM_EMBEDDER__KIND": "none"}))


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Runtime]:
    made = runtime_in(tmp_path / "other")
    yield made
    made.close()


def filled(runtime: Runtime) -> None:
    memory = runtime.memory
    chat = [said("My dog is Bruno", ts=NOW), said("I live in Rua Secreta 5", ts=NOW + 1)]
    dog, home = memory.reconcile(SPACE, "monday", chat, whole=True).new_ids
    memory.pin(SPACE, dog)
    memory.edit(SPACE, home, {"user": "I live in Porto"})
    secret = memory.remember(SPACE, "monday", said("My password is kumquat", ts=NOW + 2))
    memory.forget(SPACE, [secret])
    memory.add_note(SPACE, "Must not eat nuts", kind=MemoryKind.DIARY, pinned=True)
    memory.add_note(SPACE, "Is a nurse", kind=MemoryKind.KNOWLEDGE, pinned=False)
    memory.add_note(
        SPACE, "Plays a pirate", kind=MemoryKind.KNOWLEDGE, pinned=False, conversation="monday"
    )
    shared = Namespace.shared(SPACE.user)
    memory.add_note(shared, "Shared by all", kind=MemoryKind.KNOWLEDGE, pinned=False)


def test_character_file_leaves_out_edited_forgotten_and_shared_words(
    runtime: Runtime, tmp_path: Path
) -> None:
    filled(runtime)
    path = tmp_path / "Mira.memories.zip"
    write_character_file(runtime, SPACE, path)
    with zipfile.ZipFile(path) as archive:
        words = b"".join(archive.read(name) for name in archive.namelist())
    assert b"Bruno" in words
    assert b"Porto" in words
    assert b"nuts" in words
    for missing in (b"Secreta", b"kumquat", b"Shared by all", b'"secret"', b"sealed"):
        assert missing not in words


def test_character_file_restores_like_a_backup(
    runtime: Runtime, other: Runtime, tmp_path: Path
) -> None:
    filled(runtime)
    path = tmp_path / "Mira.memories.zip"
    write_character_file(runtime, SPACE, path)
    mine = Namespace("bob", "Mira")
    restore(other.memory, path, to=mine)
    found = {
        memory.text.split("\n")[0]: memory for memory in other.memory.latest(mine, Page(limit=9))
    }
    assert found["Ana: My dog is Bruno"].pinned
    assert found["Must not eat nuts"].pinned
    assert found["Plays a pirate"].only_in_conversation == "monday"
    assert set(found) == {
        "Ana: My dog is Bruno",
        "Ana: I live in Porto",
        "Must not eat nuts",
        "Is a nurse",
        "Plays a pirate",
    }


def test_character_file_adds_nothing_where_everything_is_known(
    runtime: Runtime, tmp_path: Path
) -> None:
    runtime.memory.reconcile(SPACE, "monday", [said("My dog is Bruno", ts=NOW)], whole=True)
    runtime.memory.add_note(SPACE, "Is a nurse", kind=MemoryKind.KNOWLEDGE, pinned=False)
    path = tmp_path / "Mira.memories.zip"
    write_character_file(runtime, SPACE, path)
    [done] = restore(runtime.memory, path, mode=RestoreMode.MERGE)
    assert done.memories == 0


def test_character_file_keeps_what_was_replaced_and_what_memories_were_made_of(
    runtime: Runtime, other: Runtime, tmp_path: Path
) -> None:
    memory = runtime.memory
    porto, lisbon = remember(memory, "I live in Porto"), remember(memory, "I moved to Lisbon")
    old = observe(memory, "Ana lives in Porto", porto)
    new = observe(memory, "Ana lives in Lisbon", lisbon)
    DerivedMemories(memory).supersede(SPACE, old, new, valid_to=NOW)
    memory.pin(SPACE, new)
    path = tmp_path / "Mira.memories.zip"
    write_character_file(runtime, SPACE, path)
    restore(other.memory, path)
    found = {one.text: one for one in DerivedMemories(other.memory).find(SPACE, DerivedFilter())}
    before, after = found["Ana lives in Porto"], found["Ana lives in Lisbon"]
    assert DerivedMemories(other.memory).is_superseded(SPACE, before)
    assert not DerivedMemories(other.memory).is_superseded(SPACE, after)
    assert before.derived
    assert (before.derived.valid_to, after.pinned) == (NOW, True)
    other.memory.forget(SPACE, after.sources)
    assert other.memory.get_record(SPACE, after.id).is_withdrawn


def test_character_file_keeps_a_merged_note_without_its_sources(
    runtime: Runtime, other: Runtime, tmp_path: Path
) -> None:
    ids = [remember(runtime.memory, text) for text in ("My cat is Biscuit", "Biscuit is three")]
    merge_memories(runtime, SPACE, ids, "Biscuit the cat is three")
    path = tmp_path / "Mira.memories.zip"
    write_character_file(runtime, SPACE, path)
    restore(other.memory, path)
    [note] = other.memory.latest(SPACE, Page(limit=9))
    assert (note.text, note.sources) == ("Biscuit the cat is three", ())
