"""Chats in a renamed character folder: recognised by content, renamed only by a click.

Renamed chat files, and new chats under a reused name.
"""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.host.chat import chat_file
from memory_core.host.chat_sync import rename_detection, scanner
from memory_core.host.chat_sync.chat_registry import REGISTRY_FILE
from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.storage.contract import Page
from memory_core.storage.pauses import PauseState
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings import names
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats

MIA = Namespace("default", "Mia")
WORDS = tab_words("en")


def copied(chats: SavedChats, name: str = "Mia") -> Path:
    """Copies the folder to another name, with new inodes and times."""
    folder = chats.path("one").parent
    for path in sorted(folder.iterdir()):
        chats.save(path.stem, *rows_of(path), character=name)
    shutil.rmtree(folder)
    return folder.with_name(name)


def rows_of(path: Path) -> list[tuple[str, str]]:
    return [tuple(row) for row in json.loads(path.read_text(encoding="utf-8"))["internal"]]


def reinstalled(chats: SavedChats) -> None:
    """Restores the memories without the registry of chat files."""
    chats.settler.sync_and_close()
    chats.runtime.close()
    (chats.runtime.memory.root / REGISTRY_FILE).unlink()
    chats.begin()


def moved_to(chats: SavedChats) -> str:
    chats.settle()
    return chats.settler.renamed_to(MIRA)


def test_chats_under_another_name_are_offered_after_a_reinstallation_and_renamed_by_a_click(
    chats: SavedChats,
) -> None:
    chats.talk("one", BEES)
    chats.talk("two", CAT)
    copied(chats)
    reinstalled(chats)
    assert moved_to(chats) == "Mia"
    assert any("Mia" in problem for problem in chats.runtime.problems())
    assert chats.runtime.memory.namespaces() == [MIRA], "never on its own"
    chats.hooks.synchronizer.scan_now()
    assert chats.hooks.synchronizer.renamed_to(MIRA) == "Mia"
    assert "Mia" in names.rename_character(chats.hooks, MIRA, "Mia", WORDS)
    assert chats.stored("one", MIA) == [BEES]
    chats.hooks.synchronizer.scan_now()
    assert chats.hooks.synchronizer.renamed_to(MIRA) == ""
    assert chats.runtime.problems() == []


def test_copied_folder_under_another_name_forgets_nothing(forgetting: SavedChats) -> None:
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT)
    copied(forgetting)
    assert moved_to(forgetting) == "Mia"
    assert forgetting.live() == 2
    assert forgetting.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_chat_of_the_same_name_that_says_something_else_is_not_offered(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    chats.save("one", SHEEP, character="Mia", stamp="Nov 21, 2026 11:00")
    shutil.rmtree(chats.path("one").parent)
    reinstalled(chats)
    assert moved_to(chats) == ""


def test_unreadable_chat_of_the_same_name_is_not_offered(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    folder = copied(chats)
    (folder / "one.json").write_bytes(b"{")
    reinstalled(chats)
    assert moved_to(chats) == ""


def test_character_whose_folder_is_there_is_not_offered_another_name(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    chats.save("one", BEES, character="Mia")
    reinstalled(chats)
    assert moved_to(chats) == ""


def test_folder_with_most_of_the_chats_is_offered(chats: SavedChats) -> None:
    chats.talk("one", BEES)
    chats.talk("two", CAT)
    copied(chats, "Mia")
    chats.save("one", BEES, character="Ada")
    reinstalled(chats)
    assert moved_to(chats) == "Mia"


def test_memories_without_chats_are_not_searched_for_at_every_scan(
    chats: SavedChats, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats.talk("one", BEES)
    copied(chats)
    reinstalled(chats)
    read: list[Path] = []
    plain = rename_detection.read_rows
    monkeypatch.setattr(
        rename_detection, "read_rows", lambda path: read.append(path) or plain(path)
    )
    for _ in range(3):
        assert moved_to(chats) == "Mia"
    assert len(read) == 1
    chats.now += 1000
    chats.settle()
    assert len(read) == 2


def rename(chats: SavedChats, old: str, new: str) -> None:
    chats.path(old).rename(chats.path(new))


def remembered(chats: SavedChats) -> list[str]:
    memories = chats.runtime.memory.latest(MIRA, Page(limit=99))
    return sorted(memory.exchange.user for memory in memories)


@pytest.mark.parametrize(
    "after",
    [
        [BEES, (CAT[0], "Sweet")],
        [BEES, ("My cat is Tim", CAT[1])],
        [BEES],
        [BEES, CAT, SHEEP],
        [CAT],
    ],
    ids=["regenerated", "edited", "last removed", "gone on", "first removed"],
)
def test_chat_renamed_right_after_a_change_leaves_no_ghost(chats, after):
    chats.talk("one", BEES, CAT)
    chats.save("one", *after)
    rename(chats, "one", "two")
    chats.settle()
    assert (chats.stored("one"), chats.stored("two")) == ([], after)
    assert remembered(chats) == sorted(user for user, _ in after)
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


@pytest.mark.parametrize("after", [[], [SHEEP]], ids=["emptied", "all said anew"])
def test_chat_without_old_content_counts_as_renamed_if_it_existed_just_now(chats, after):
    chats.talk("one", BEES, CAT)
    chats.settler.scan_now()
    chats.save("one", *after)
    rename(chats, "one", "two")
    chats.settle()
    assert remembered(chats) == [user for user, _ in after]
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_chat_renamed_twice_and_changed_before_a_scan_leaves_no_ghost(chats):
    chats.talk("one", BEES, CAT)
    rename(chats, "one", "two")
    chats.settle()
    rename(chats, "two", "three")
    chats.save("three", SHEEP, CAT)
    chats.settle()
    assert chats.stored("three") == [SHEEP, CAT]
    assert chats.live() == 2


def test_chat_changed_and_renamed_while_the_program_was_off_leaves_no_ghost(chats):
    chats.talk("one", BEES, CAT)
    chats.settler.sync_and_close()
    chats.save("one", BEES, SHEEP)
    rename(chats, "one", "two")
    chats.restart()
    chats.settle()
    assert (chats.stored("one"), chats.stored("two")) == ([], [BEES, SHEEP])
    assert chats.live() == 2


def test_renamed_chat_keeps_its_pins_and_pauses(chats):
    chats.talk("one", BEES, CAT)
    (_, cat) = chats.runtime.memory.conversation(MIRA, "one", 9)
    chats.runtime.memory.pin(MIRA, cat.id)
    chats.runtime.pauses.set_pause(MIRA, "one", PauseState(is_writing_paused=True))
    chats.save("one", BEES, CAT, SHEEP)
    rename(chats, "one", "two")
    chats.settle()
    assert chats.stored("two") == [BEES, CAT]
    assert chats.runtime.memory.get_record(MIRA, cat.id).memory.pinned
    assert chats.runtime.pauses.paused_chats(MIRA) == {"two": PauseState(is_writing_paused=True)}


def test_renamed_chat_does_not_bring_back_forgotten_memories(chats):
    chats.talk("one", BEES, CAT)
    (bees, _) = chats.runtime.memory.conversation(MIRA, "one", 9)
    chats.runtime.memory.forget(MIRA, [bees.id])
    chats.save("one", BEES, SHEEP)
    rename(chats, "one", "two")
    chats.settle()
    assert chats.stored("two") == [SHEEP]
    chats.save("two", BEES, SHEEP, CAT)
    chats.settle()
    assert chats.stored("two") == [SHEEP, CAT]


def number_all(monkeypatch, number: int) -> None:
    """Gives all files this inode: many disks reuse inodes, and some have none (0)."""
    monkeypatch.setattr(
        "memory_core.host.chat_sync.synchronizer.file_stamp",
        lambda path: (found := chat_file.file_stamp(path)) and replace(found, inode=number),
    )


def test_new_chat_with_a_deleted_chats_inode_is_not_a_rename(chats, monkeypatch):
    number_all(monkeypatch, 7)
    chats.talk("one", BEES, CAT)
    chats.path("one").unlink()
    chats.save("20261121-10-00-00", SHEEP)
    chats.settle()
    rename(chats, "20261121-10-00-00", "two")
    chats.settle()
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)


def test_rename_on_a_disk_without_inodes_is_detected_by_content(chats, monkeypatch):
    number_all(monkeypatch, 0)
    chats.talk("one", BEES, CAT)
    rename(chats, "one", "two")
    chats.settle()
    assert (chats.stored("one"), chats.stored("two")) == ([], [BEES, CAT])
    assert chats.live() == 2


def delete_and_use_the_name_again(chats: SavedChats, *, settled: bool) -> None:
    """Renames `two`, a separate chat, to the name of the deleted `one`."""
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    if settled:
        chats.settle()
    rename(chats, "two", "one")
    chats.settle()


@pytest.mark.parametrize("settled", [True, False])
def test_reused_name_leaves_the_memories_of_the_deleted_chat(chats, settled):
    delete_and_use_the_name_again(chats, settled=settled)
    assert chats.stored("one") == [SHEEP]
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])
    chats.restart()
    chats.settle()
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)
    assert chats.settler.forget_deleted(MIRA) == 2
    assert remembered(chats) == [SHEEP[0]]


@pytest.mark.parametrize("settled", [True, False])
def test_reused_name_forgets_the_deleted_chat_if_configured(forgetting, settled):
    delete_and_use_the_name_again(forgetting, settled=settled)
    assert remembered(forgetting) == [SHEEP[0]]
    assert len(forgetting.runtime.memory.forgotten(MIRA)) == 2


def test_name_reused_at_once_leaves_the_memories_of_the_deleted_chat(chats, monkeypatch):
    number_all(monkeypatch, 7)
    chats.talk("one", BEES, CAT)
    chats.path("one").unlink()
    new = "20261121-10-00-00"
    chats.talk_for_a_moment(new, SHEEP)
    rename(chats, new, "one")
    chats.settle()
    assert chats.stored("one") == [SHEEP]
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])


def test_without_inodes_one_missed_scan_separates_two_chats_of_one_name(chats, monkeypatch):
    number_all(monkeypatch, 0)
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    chats.save("two", SHEEP, ("And goats", "How nice"))
    chats.settler.scan_now()
    rename(chats, "two", "one")
    chats.settle()
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0], "And goats"])


def test_name_can_be_reused_more_than_once(chats):
    delete_and_use_the_name_again(chats, settled=True)
    chats.path("one").unlink()
    chats.settle()
    chats.talk("one", ("I have a boat", "Nice"))
    assert chats.stored("one") == [("I have a boat", "Nice")]
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=2, memories=3)
    assert chats.live() == 4


def test_pause_does_not_apply_to_another_chat_that_reuses_the_name(chats):
    chats.talk("one", BEES)
    chats.runtime.pauses.set_pause(MIRA, "one", PauseState(is_writing_paused=True))
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    chats.settle()
    rename(chats, "two", "one")
    chats.save("one", SHEEP, CAT)
    chats.settle()
    assert chats.stored("one") == [SHEEP, CAT]


def test_deleted_chat_restored_from_a_copy_continues_with_its_memories(chats):
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    aside = chats.path("two").with_name("kept.json.bak")
    aside.write_bytes(chats.path("one").read_bytes())
    chats.path("one").unlink()
    chats.settle()
    aside.rename(chats.path("one"))
    chats.settle()
    assert chats.stored("one") == [BEES, CAT]
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_file_that_an_editor_replaces_is_the_same_chat(chats):
    chats.talk("one", BEES, CAT)
    chats.save("other", BEES, SHEEP)
    os.replace(chats.path("other"), chats.path("one"))
    chats.settle()
    assert chats.stored("one") == [BEES, SHEEP]
    assert chats.live() == 2


def test_first_chat_ever_is_remembered_after_a_crash_before_it_was_written(chats):
    old = chats.save("old", SHEEP)
    os.utime(old, (1e9, 1e9))
    path = chats.save("one", BEES)
    chats.look_after("one")
    chats.settler.poll()
    assert chats.runtime.memory.namespaces() == []
    chats.crash()
    chats.settle()
    assert path.exists()
    assert chats.stored("one") == [BEES]
    assert chats.stored("old") == []


def test_scan_that_pauses_at_a_chat_does_not_find_it_after_it_was_deleted(chats, monkeypatch):
    number_all(monkeypatch, 0)
    chats.talk("one", BEES, CAT)
    monkeypatch.setattr(scanner, "_STEP_LIMIT_S", 0.0)
    chats.now += scanner.SCAN_INTERVAL_S
    chats.settler.poll()  # pauses at the only chat
    chats.path("one").unlink()
    chats.settler.scan_now()
    chats.save("one", SHEEP)
    chats.settle()
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])
