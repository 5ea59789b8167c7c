"""A chat's file under another name, and another chat under a name that was used before."""

import os
from dataclasses import replace

import pytest

from memory_core.host.chat import chat_file
from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.storage.contract import Page
from memory_core.storage.pauses import PauseState
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats


def rename(chats: SavedChats, old: str, new: str) -> None:
    chats.path(old).rename(chats.path(new))


def remembered(chats: SavedChats) -> list[str]:
    found = chats.runtime.memory.latest(MIRA, Page(limit=99))
    return sorted(memory.exchange.user for memory in found)


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
def test_a_chat_renamed_right_behind_a_change_leaves_no_ghost(chats, after):
    chats.talk("one", BEES, CAT)
    chats.save("one", *after)
    rename(chats, "one", "two")
    chats.settle()
    assert (chats.stored("one"), chats.stored("two")) == ([], after)
    assert remembered(chats) == sorted(user for user, _ in after)
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


@pytest.mark.parametrize("after", [[], [SHEEP]], ids=["emptied", "all said anew"])
def test_a_chat_of_which_nothing_is_left_was_renamed_if_it_was_there_just_now(chats, after):
    chats.talk("one", BEES, CAT)
    chats.settler.scan_now()
    chats.save("one", *after)
    rename(chats, "one", "two")
    chats.settle()
    assert remembered(chats) == [user for user, _ in after]
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_a_chat_renamed_twice_and_changed_before_it_is_looked_at_leaves_no_ghost(chats):
    chats.talk("one", BEES, CAT)
    rename(chats, "one", "two")
    chats.settle()
    rename(chats, "two", "three")
    chats.save("three", SHEEP, CAT)
    chats.settle()
    assert chats.stored("three") == [SHEEP, CAT]
    assert chats.live() == 2


def test_a_change_and_a_renaming_while_the_program_was_off_leave_no_ghost(chats):
    chats.talk("one", BEES, CAT)
    chats.settler.sync_and_close()
    chats.save("one", BEES, SHEEP)
    rename(chats, "one", "two")
    chats.restart()
    chats.settle()
    assert (chats.stored("one"), chats.stored("two")) == ([], [BEES, SHEEP])
    assert chats.live() == 2


def test_what_is_pinned_and_what_is_paused_go_along(chats):
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


def test_what_was_forgotten_stays_so_under_the_new_name(chats):
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
    """Many disks give a new file the number of the one deleted last; some give none (0)."""
    monkeypatch.setattr(
        "memory_core.host.chat_sync.synchronizer.file_stamp",
        lambda path: (found := chat_file.file_stamp(path)) and replace(found, inode=number),
    )


def test_a_new_chat_in_a_deleted_ones_place_on_the_disk_is_no_renaming(chats, monkeypatch):
    number_all(monkeypatch, 7)
    chats.talk("one", BEES, CAT)
    chats.path("one").unlink()
    chats.save("20261121-10-00-00", SHEEP)
    chats.settle()
    rename(chats, "20261121-10-00-00", "two")
    chats.settle()
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)


def test_where_the_disk_does_not_number_its_files_a_renaming_is_told_by_content(chats, monkeypatch):
    number_all(monkeypatch, 0)
    chats.talk("one", BEES, CAT)
    rename(chats, "one", "two")
    chats.settle()
    assert (chats.stored("one"), chats.stored("two")) == ([], [BEES, CAT])
    assert chats.live() == 2


def delete_and_use_the_name_again(chats: SavedChats, *, settled: bool) -> None:
    """`two`, a chat of its own, gets the name of the deleted `one`."""
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    if settled:
        chats.settle()
    rename(chats, "two", "one")
    chats.settle()


@pytest.mark.parametrize("settled", [True, False])
def test_a_name_used_again_leaves_what_is_kept_of_the_deleted_chat(chats, settled):
    delete_and_use_the_name_again(chats, settled=settled)
    assert chats.stored("one") == [SHEEP]
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])
    chats.restart()
    chats.settle()
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)
    assert chats.settler.forget_deleted(MIRA) == 2
    assert remembered(chats) == [SHEEP[0]]


@pytest.mark.parametrize("settled", [True, False])
def test_a_name_used_again_forgets_the_deleted_chat_where_the_settings_say_so(forgetting, settled):
    delete_and_use_the_name_again(forgetting, settled=settled)
    assert remembered(forgetting) == [SHEEP[0]]
    assert len(forgetting.runtime.memory.forgotten(MIRA)) == 2


def test_a_name_used_again_at_once_by_a_new_chat_leaves_what_is_kept(chats, monkeypatch):
    number_all(monkeypatch, 7)
    chats.talk("one", BEES, CAT)
    chats.path("one").unlink()
    new = "20261121-10-00-00"
    chats.talk_for_a_moment(new, SHEEP)
    rename(chats, new, "one")
    chats.settle()
    assert chats.stored("one") == [SHEEP]
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0]])


def test_without_numbers_an_absence_seen_once_tells_two_chats_of_one_name_apart(chats, monkeypatch):
    number_all(monkeypatch, 0)
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    chats.save("two", SHEEP, ("And goats", "How nice"))
    chats.settler.scan_now()
    rename(chats, "two", "one")
    chats.settle()
    assert remembered(chats) == sorted([BEES[0], CAT[0], SHEEP[0], "And goats"])


def test_a_name_can_be_used_again_more_than_once(chats):
    delete_and_use_the_name_again(chats, settled=True)
    chats.path("one").unlink()
    chats.settle()
    chats.talk("one", ("I have a boat", "Nice"))
    assert chats.stored("one") == [("I have a boat", "Nice")]
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=2, memories=3)
    assert chats.live() == 4


def test_a_pause_is_not_for_another_chat_under_the_same_name(chats):
    chats.talk("one", BEES)
    chats.runtime.pauses.set_pause(MIRA, "one", PauseState(is_writing_paused=True))
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    chats.settle()
    rename(chats, "two", "one")
    chats.save("one", SHEEP, CAT)
    chats.settle()
    assert chats.stored("one") == [SHEEP, CAT]


def test_a_deleted_chat_restored_from_elsewhere_goes_on_where_it_was(chats):
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


def test_a_file_that_an_editor_replaces_is_the_same_chat(chats):
    chats.talk("one", BEES, CAT)
    chats.save("other", BEES, SHEEP)
    os.replace(chats.path("other"), chats.path("one"))
    chats.settle()
    assert chats.stored("one") == [BEES, SHEEP]
    assert chats.live() == 2


def test_the_first_chat_ever_is_remembered_after_a_crash_before_it_was_written(chats):
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
