"""A merge adds missing memories, by content, and changes no existing one."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import Page
from memory_core.storage.pauses import ChatPauses, PauseState
from tests.admin.exporters.scene import exported, files, fill, seen, unpacked
from tests.builders import (
    NOW,
    SPACE,
    asked,
    derive_all,
    open_memory,
    opened_namespace,
    recalled,
    said,
    user_sides,
)

OpenMemory = Callable[..., LongTermMemory]


@pytest.fixture
def other(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path / "other")


def merged(into: LongTermMemory, path: Path) -> int:
    return restore(into, path, mode=RestoreMode.MERGE)[0].memories


def everything(memory: LongTermMemory) -> list[str]:
    return sorted(user_sides(memory.latest(SPACE, Page(limit=1000))))


def test_merging_a_backup_of_the_same_memories_changes_nothing(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    before, looks = files(memory.root), seen(memory)
    assert merged(memory, path) == 0
    assert (files(memory.root), seen(memory)) == (before, looks)


def test_merge_adds_missing_memories_once_with_pins_edits_and_positions(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    ids = fill(memory)
    other.remember(SPACE, "monday", said("I was here before"))
    path = exported(memory, tmp_path / "ana.zip")
    assert merged(other, path) == memory.counts(SPACE)["live"]
    assert merged(other, path) == 0
    assert everything(other) == sorted([*everything(memory), "I was here before"])
    dog, sister = (other.get_record(SPACE, ids[name]) for name in ("dog", "sister"))
    assert (dog.memory.pinned, len(dog.positions)) == (True, 2)
    assert "at the river" in sister.memory.text
    other.remember(SPACE, "monday", said("And it goes on"))
    assert recalled(other.recall(SPACE, asked("it goes on")))[0] == "And it goes on"


def test_merge_treats_equal_text_and_time_as_one_memory_despite_other_ids(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    for one in (memory, other):
        one.remember(SPACE, "monday", said("good morning", ts=NOW))
        one.remember(SPACE, "monday", said("nobody knows when", ts=None))
        one.add_note(SPACE, "Ana must not eat nuts", kind=MemoryKind.DIARY, pinned=False)
    memory.remember(SPACE, "monday", said("good morning", ts=NOW + 86_400))
    assert merged(other, exported(memory, tmp_path / "ana.zip")) == 1
    assert everything(other) == everything(memory)


def test_merge_keeps_both_of_two_equal_exchanges_without_a_time(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    for one, times in ((memory, 3), (other, 1)):
        for _ in range(times):
            one.remember(SPACE, "monday", said("good morning", ts=None))
    assert merged(other, exported(memory, tmp_path / "ana.zip")) == 2


def test_merge_keeps_edits_and_forgotten_memories_of_the_existing_folder(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    ids = fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    memory.edit(SPACE, ids["dog"], {"user": "My dog is called Rex"})
    memory.unpin(SPACE, ids["dog"])
    memory.forget(SPACE, [ids["nuts"]])
    memory.erase_all_forgotten(SPACE)
    looks = seen(memory)
    assert merged(memory, path) == 0
    assert seen(memory) == looks


def test_merge_does_not_bring_a_forgotten_memory_back_under_another_id(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    other.forget(SPACE, [other.remember(SPACE, "monday", said("My dog is called Bruno"))])
    other.erase_all_forgotten(SPACE)
    assert merged(other, exported(memory, tmp_path / "ana.zip")) == 0
    assert everything(other) == []


def test_merge_keeps_memories_that_the_backup_has_forgotten_or_lost(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    other.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.forget(SPACE, [memory.remember(SPACE, "monday", said("My dog is called Bruno"))])
    assert merged(other, exported(memory, tmp_path / "ana.zip")) == 0
    assert everything(other) == ["My dog is called Bruno"]


def test_merge_keeps_existing_vectors(other: LongTermMemory, tmp_path: Path) -> None:
    other.remember(SPACE, "monday", said("My cat is called Minka"))
    here = open_memory(tmp_path / "here", embedder=FakeEmbedder())
    here.remember(SPACE, "monday", said("My dog is called Bruno"))
    derive_all(here)
    merged(here, exported(other, tmp_path / "ana.zip"))
    assert here.derive_pending(SPACE) == 2  # the two sides of what is new
    counts = here.counts(SPACE)
    assert counts["embedded"] == counts["vectors"] == 4
    here.close()


def test_merge_numbers_added_events_after_the_existing_ones(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    other.remember(SPACE, "monday", said("I was here before"))
    merged(other, exported(memory, tmp_path / "ana.zip"))
    event_log = opened_namespace(other, SPACE).event_log
    seqs = sorted(event.seq for log in event_log.logs() for event in event_log.read(log).events)
    assert seqs == list(range(1, len(seqs) + 1))


@pytest.mark.parametrize("mode", [RestoreMode.MERGE, RestoreMode.REPLACE])
def test_merge_keeps_the_pauses_of_the_existing_folder(
    memory: LongTermMemory, tmp_path: Path, mode: RestoreMode
) -> None:
    fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    ChatPauses(memory.root).set_pause(SPACE, "monday", PauseState(is_writing_paused=True))
    restore(memory, path, mode=mode)
    assert ChatPauses(memory.root).get(SPACE, "monday").is_writing_paused


def paused(memory: LongTermMemory, conversation: str, text: str) -> None:
    """Pauses writing in the chat and excludes the exchange that was said meanwhile."""
    pauses, shown = ChatPauses(memory.root), [said(text)]
    pauses.set_pause(SPACE, conversation, PauseState(is_writing_paused=True))
    pauses.exclude(SPACE, conversation, shown, shown)


@pytest.mark.parametrize("mode", [RestoreMode.MERGE, RestoreMode.REPLACE])
def test_restore_takes_pauses_and_excluded_exchanges_from_the_backup(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path, mode: RestoreMode
) -> None:
    fill(memory)
    paused(memory, "monday", "Nobody shall know")
    path = exported(memory, tmp_path / "ana.zip")
    other.remember(SPACE, "tuesday", said("I was here before"))
    paused(other, "tuesday", "Nor this")
    for _ in range(2):
        restore(other, path, mode=mode)
        pauses = ChatPauses(other.root)
        assert set(pauses.paused_chats(SPACE)) == {"monday", "tuesday"}
        for text in ("Nobody shall know", "Nor this"):
            assert pauses.without_excluded(SPACE, "a branch", [said(text)]) == []


def test_restore_into_an_empty_place_takes_the_backups_pauses(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    paused(memory, "monday", "Nobody shall know")
    restore(other, exported(memory, tmp_path / "ana.zip"))
    pauses = ChatPauses(other.root)
    assert pauses.get(SPACE, "monday").is_writing_paused
    assert pauses.without_excluded(SPACE, "a branch", [said("Nobody shall know")]) == []
    assert b"shall know" not in b"".join(unpacked(tmp_path / "ana.zip").values())


def test_unreadable_pauses_do_not_prevent_a_backup(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    (SPACE.folder(memory.root) / "switches.json").write_text("{", encoding="utf-8")
    assert restore(other, exported(memory, tmp_path / "ana.zip"))[0].memories


def test_merge_keeps_equal_notes_of_two_chats_apart(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    kind, rules = MemoryKind.KNOWLEDGE, "We play pirates"
    for chat in ("", "monday", "tuesday"):
        memory.add_note(SPACE, rules, kind=kind, pinned=False, conversation=chat)
    memory.move_conversation(SPACE, "tuesday", "friday")
    other.add_note(SPACE, rules, kind=kind, pinned=False, conversation="monday")
    path = exported(memory, tmp_path / "ana.zip")
    assert merged(other, path) == 2
    assert merged(other, path) == 0
    assert everything(other) == [rules] * 3
    for chat, count in (("monday", 2), ("friday", 2), ("tuesday", 1)):
        assert len(other.always_in_prompt(SPACE, chat)) == count
