import json
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.host.chat import chat_file
from memory_core.host.chat.exchanges import Speakers
from memory_core.host.chat.turn_request import ChatRef
from memory_core.host.chat_sync import scanner, synchronizer
from memory_core.host.chat_sync.chat_registry import REGISTRY_FILE
from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.storage.contract import Page
from tests.builders import destroy
from tests.host.plain_host import history_of
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats


def read(monkeypatch) -> list[str]:
    """Records the names of chats that are read from now on."""
    names: list[str] = []
    plain = chat_file.read_rows

    def reading(path: Path):
        names.append(path.stem)
        return plain(path)

    monkeypatch.setattr(synchronizer, "read_rows", reading)
    return names


def test_edit_after_a_restart_is_noticed_without_a_message(chats):
    chats.talk("one", BEES, CAT)
    chats.restart()
    chats.save("one", SHEEP, CAT)
    chats.settle()
    assert chats.stored("one") == [SHEEP, CAT]


def test_edit_while_the_program_was_off_is_noticed_at_the_next_start(chats):
    chats.talk("one", BEES, CAT)
    chats.settler.sync_and_close()
    chats.save("one", CAT)
    chats.restart()
    chats.settle()
    assert chats.stored("one") == [CAT]


def test_restart_reads_no_chat_that_has_not_changed(chats, monkeypatch):
    chats.talk("one", BEES)
    chats.talk("two", CAT)
    chats.restart()
    names = read(monkeypatch)
    chats.settle()
    assert names == []
    chats.save("two", CAT, SHEEP)
    chats.settle()
    assert set(names) == {"two"}


def test_lost_or_foreign_registry_leads_only_to_another_scan(chats):
    chats.talk("one", BEES)
    chats.settler.sync_and_close()
    (chats.runtime.memory.root / REGISTRY_FILE).write_bytes(b"no database at all" * 99)
    chats.save("one", SHEEP)
    chats.restart()
    chats.settle()
    assert chats.stored("one") == [SHEEP]


def test_registry_of_the_previous_version_keeps_the_marks_of_deleted_chats(chats):
    chats.talk("one", BEES)
    chats.talk("two", CAT)
    chats.path("one").unlink()
    chats.settle()
    chats.settler.sync_and_close()
    with closing(sqlite3.connect(chats.runtime.memory.root / REGISTRY_FILE)) as book, book:
        book.execute("ALTER TABLE chats DROP COLUMN file")
        book.execute("PRAGMA user_version = 1")
    chats.restart()
    chats.settle()
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=1)
    chats.save("two", CAT, SHEEP)
    chats.settle()
    assert chats.stored("two") == [CAT, SHEEP]


@pytest.mark.parametrize("name", ["a branch", "an upload", "a new chat"])
def test_chat_added_without_a_message_is_remembered(chats, name):
    chats.talk("one", BEES)
    chats.save(name, BEES, CAT)
    chats.settle()
    assert chats.stored(name) == [BEES, CAT]
    assert chats.live() == 2


def test_names_of_a_chat_found_in_a_file_are_those_of_the_other_chats(chats):
    chats.talk("one", BEES)
    chats.save("two", CAT)
    chats.settle()
    (memory,) = chats.runtime.memory.conversation(MIRA, "two", 9)
    names = memory.exchange.user_name, memory.exchange.assistant_name, memory.exchange.channel
    assert names == ("Ana", "Mira", "chat")


def test_chats_older_than_the_extension_are_ignored_until_they_continue(chats):
    for name in ("old", "older"):
        os.utime(chats.save(name, SHEEP), (1e9, 1e9))
    chats.talk("one", BEES)
    chats.restart()
    chats.settle()
    assert chats.live() == 1
    chats.save("old", SHEEP, CAT)
    chats.settle()
    assert chats.stored("old") == [SHEEP, CAT]
    assert chats.stored("older") == []


def test_renamed_chat_older_than_the_extension_is_still_ignored(chats):
    old = chats.save("old", SHEEP)
    os.utime(old, (1e9, 1e9))
    chats.talk("one", BEES)
    old.rename(old.with_name("renamed.json"))
    chats.settle()
    assert chats.live() == 1


def test_chats_of_a_character_without_memories_are_ignored(chats):
    chats.talk("one", BEES)
    chats.save("two", CAT, character="Tom")
    chats.settle()
    assert chats.runtime.memory.namespaces() == [MIRA]


def test_renamed_chat_is_neither_lost_nor_doubled(chats):
    chats.talk("one", BEES, CAT)
    (pinned, _) = chats.runtime.memory.conversation(MIRA, "one", 9)
    chats.runtime.memory.pin(MIRA, pinned.id)
    chats.path("one").rename(chats.path("two"))
    chats.settle()
    assert chats.stored("one") == []
    assert chats.stored("two") == [BEES, CAT]
    assert chats.live() == 2
    assert chats.runtime.memory.get_record(MIRA, pinned.id).memory.pinned
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_renamed_chat_is_not_forgotten_when_deleted_chats_are(forgetting):
    forgetting.talk("one", BEES, CAT)
    forgetting.path("one").rename(forgetting.path("two"))
    forgetting.settle()
    assert forgetting.stored("two") == [BEES, CAT]
    assert forgetting.live() == 2


def test_deleted_chats_memories_are_kept_and_counted(chats):
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    chats.settle()
    assert chats.live() == 3
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)
    chats.restart()
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=2)


def test_memories_of_deleted_chats_can_be_forgotten_at_once(chats):
    chats.talk("one", BEES, CAT)
    chats.talk("two", SHEEP)
    chats.path("one").unlink()
    chats.settle()
    assert chats.settler.forget_deleted(MIRA) == 2
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()
    assert [
        memory.exchange.user for memory in chats.runtime.memory.latest(MIRA, Page(limit=9))
    ] == [SHEEP[0]]
    assert len(chats.runtime.memory.forgotten(MIRA)) == 2


def test_deleted_chat_that_comes_back_is_no_longer_counted(chats):
    chats.talk("one", BEES)
    away = chats.path("one").rename(chats.data / "away.json")
    chats.settle()
    assert chats.settler.deleted_chat_stats(MIRA).memories == 1
    away.rename(chats.path("one"))
    chats.settle()
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()
    assert chats.stored("one") == [BEES]


def test_deleted_chat_is_forgotten_except_for_what_another_chat_shows(forgetting):
    forgetting.talk("one", BEES, CAT)
    forgetting.talk("branch", BEES, SHEEP)
    forgetting.path("one").unlink()
    forgetting.settle()
    assert forgetting.stored("branch") == [BEES, SHEEP]
    assert forgetting.live() == 2
    assert [
        record.memory.exchange.user for record in forgetting.runtime.memory.forgotten(MIRA)
    ] == [CAT[0]]


def test_deleted_chat_forgets_equal_text_in_that_chat_only(forgetting):
    forgetting.talk("one", BEES, CAT)
    later = json.dumps(history_of(BEES, SHEEP, stamp="Nov 21, 2026 10:00"))
    forgetting.save("two").write_text(later, encoding="utf-8")
    forgetting.settle()
    assert forgetting.live() == 4
    forgetting.path("one").unlink()
    forgetting.settle()
    assert forgetting.stored("two") == [BEES, SHEEP]
    found = forgetting.runtime.memory.forgotten(MIRA)
    assert [record.memory.exchange.user for record in found] == [BEES[0], CAT[0]]


def test_pinned_memory_survives_the_deletion_of_its_chat(forgetting):
    forgetting.talk("two", SHEEP)
    forgetting.talk("one", BEES, CAT)
    (bees, _) = forgetting.runtime.memory.conversation(MIRA, "one", 9)
    forgetting.runtime.memory.pin(MIRA, bees.id)
    forgetting.path("one").unlink()
    forgetting.settle()
    assert forgetting.stored("one") == [BEES]
    assert forgetting.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_chat_deleted_while_the_program_was_off_is_counted(forgetting):
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT)
    forgetting.settler.sync_and_close()
    forgetting.path("one").unlink()
    forgetting.restart()
    forgetting.settle()
    assert forgetting.live() == 1


def test_whole_characters_folder_can_be_deleted(forgetting):
    tom = Namespace("default", "Tom")
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT, namespace=tom)
    shutil.rmtree(forgetting.path("two", "Tom").parent)
    forgetting.settle()
    assert (forgetting.live(), forgetting.live(tom)) == (1, 0)


def test_renamed_character_folder_is_reported_and_forgets_nothing(forgetting):
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT)
    folder = forgetting.path("one").parent
    folder.rename(folder.with_name("Mia"))
    forgetting.settle()
    assert forgetting.live() == 2
    assert forgetting.settler.deleted_chat_stats(MIRA) == DeletedChatStats()
    assert any("Mia" in problem for problem in forgetting.runtime.problems())


def missing_logs(chats: SavedChats) -> None:
    (chats.data / "logs").rename(chats.data / "gone")


def empty_disk(chats: SavedChats) -> None:
    """Replaces the folder by a new one, like the mount point of an unmounted disk."""
    folder = chats.path("one").parent
    folder.rename(chats.data / "the disk")
    folder.mkdir()
    chats.save("begun anew", CAT)


def empty_disk_above(chats: SavedChats) -> None:
    missing_logs(chats)
    chats.save("begun anew", CAT)


def other_data(chats: SavedChats) -> None:
    chats.host.folder = chats.data.with_name("other")
    (chats.host.folder / "logs" / "chat" / "Mira").mkdir(parents=True)


def unreadable(chats: SavedChats) -> None:
    folder = chats.path("one").parent
    folder.rename(chats.data / "kept")
    folder.write_text("a file where the folder was")


def everything_at_once(chats: SavedChats) -> None:
    for path in chats.path("one").parent.iterdir():
        path.unlink()


@pytest.mark.parametrize(
    "mishap",
    [missing_logs, empty_disk, empty_disk_above, other_data, unreadable, everything_at_once],
)
def test_mishaps_with_folders_do_not_look_like_deleted_chats(forgetting, mishap):
    forgetting.talk("one", BEES)
    forgetting.talk("two", SHEEP)
    mishap(forgetting)
    forgetting.settle()
    forgetting.restart()
    forgetting.settle()
    assert forgetting.stored("one") == [BEES]
    assert forgetting.stored("two") == [SHEEP]


def test_remounted_disk_brings_its_chats_back(forgetting):
    forgetting.talk("one", BEES)
    missing_logs(forgetting)
    forgetting.settle()
    (forgetting.data / "gone").rename(forgetting.data / "logs")
    forgetting.save("one", BEES, CAT)
    forgetting.settle()
    assert forgetting.stored("one") == [BEES, CAT]


def test_scan_does_nothing_while_writing_is_disabled(tmp_path):
    chats = SavedChats(tmp_path)
    chats.talk("one", BEES)
    chats.settings = {"ltm_writes": {"enabled": False}}
    chats.restart()
    chats.path("one").unlink()
    chats.save("two", CAT)
    chats.settle()
    assert chats.stored("two") == []
    assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats()


def test_chat_files_of_a_shared_page_have_no_owner(chats):
    chats.talk("one", BEES)
    chats.host.multi_user = True
    chats.save("two", CAT)
    chats.settle()
    assert chats.stored("two") == []


def test_destroyed_memories_do_not_return_by_a_scan(chats):
    chats.talk("one", BEES)
    chats.save("two", CAT)
    chats.settler.unwatch(MIRA)
    destroy(chats.runtime.memory, MIRA)
    chats.talk("three", SHEEP)
    chats.restart()
    chats.settle()
    assert chats.live() == 1


def test_instruct_chats_lie_in_a_folder_of_their_own(chats):
    namespace = Namespace.instruct("default")
    path = chats.data / "logs" / "instruct" / "one.json"
    path.parent.mkdir(parents=True)
    chats.talk("x", BEES)
    path.write_bytes(chats.path("x").read_bytes())
    chats.settler.watch(path, ChatRef(namespace=namespace, conversation="one", speakers=_none()))
    chats.settle()
    path.write_bytes(chats.save("y", CAT).read_bytes())
    chats.restart()
    chats.settle()
    assert chats.stored("one", namespace) == [CAT]


def test_scan_step_stops_after_any_file_when_its_time_is_over(chats, monkeypatch):
    monkeypatch.setattr(scanner, "_STEP_LIMIT_S", 0.0)
    for n in range(100):
        os.utime(chats.save(f"old {n}", SHEEP), (1e9, 1e9))
    chats.talk("one", BEES)
    chats.save("two", CAT)
    ticks = 0
    while not chats.stored("two"):
        chats.settler.poll()
        ticks += 1
        chats.now += 0.5
        assert ticks < 10_000
    assert ticks > 100
    assert chats.live() == 2


def _none():
    return Speakers(user_name="", assistant_name="", channel="instruct")
