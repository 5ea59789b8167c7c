"""The registry of chat files speeds up scans, but no memory depends on it."""

import os
import sqlite3
import sys
from contextlib import closing

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.host.chat_sync.chat_registry import REGISTRY_FILE
from memory_core.host.chat_sync.deletions import DeletedChatStats
from tests import programs
from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP
from tests.storage.test_durability_disk import NOBODY, closed_to_writers

READER = """
import os, sys
from pathlib import Path
from memory_core.host.chat_sync.chat_registry import ChatRegistry
from memory_core.host.chat.chat_file import FileStamp

if os.geteuid() == 0:
    os.setgid({nobody}); os.setuid({nobody})
book = ChatRegistry(lambda: Path(sys.argv[1]))
book.put(Path("/chats/two.json"), FileStamp(1, 2), "here", None)
print(book.get(Path("/chats"), "two.json").name)
"""
NO_UTF_8 = os.fsdecode(b"caf\xe9")


def test_chat_is_stored_while_the_registry_is_not_writable(chats):
    chats.talk("one", BEES)
    with closing(sqlite3.connect(chats.runtime.memory.root / REGISTRY_FILE)) as other:
        other.execute("BEGIN EXCLUSIVE")
        chats.talk_for_a_moment("two", CAT)
        assert chats.stored("two") == [CAT]


def test_read_only_registry_is_replaced_by_one_in_memory(chats):
    chats.talk("one", BEES)
    chats.settler.sync_and_close()
    with closed_to_writers(chats.home):
        path = chats.runtime.memory.root / REGISTRY_FILE
        command = [sys.executable, "-c", READER.format(nobody=NOBODY), str(path)]
        done = programs.run(command)
    assert (done.stdout, done.stderr) == ("two.json\n", "")


def test_deletion_during_an_in_memory_registry_is_noticed_by_the_real_one(
    forgetting,
):
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT)
    forgetting.settler.sync_and_close()
    path = forgetting.runtime.memory.root / REGISTRY_FILE
    away = path.rename(path.with_name("away"))
    path.mkdir()
    forgetting.path("one").unlink()
    forgetting.settle()
    assert forgetting.live() == 2
    path.rmdir()
    away.rename(path)
    forgetting.settle()
    assert forgetting.live() == 1


@pytest.mark.skipif(os.name == "nt", reason="all names are Unicode there")
class TestNamesThatAreNotUtf8:
    def test_chat_name_that_is_not_utf_8_harms_no_chat(self, chats):
        chats.talk("one", BEES)
        chats.talk(NO_UTF_8, CAT)
        chats.restart()
        chats.save("one", SHEEP)
        chats.settle()
        assert (chats.stored("one"), chats.stored(NO_UTF_8)) == ([SHEEP], [CAT])
        chats.path(NO_UTF_8).unlink()
        chats.settle()
        assert chats.settler.deleted_chat_stats(MIRA) == DeletedChatStats(chats=1, memories=1)

    def test_character_name_that_is_not_utf_8_harms_no_chat(self, chats):
        chats.talk("one", BEES)
        chats.talk("two", CAT, namespace=Namespace("default", NO_UTF_8))
        chats.restart()
        chats.save("one", SHEEP)
        chats.save("two", SHEEP, character=NO_UTF_8)
        chats.settle()
        assert chats.stored("one") == [SHEEP]
        assert chats.stored("two", Namespace("default", NO_UTF_8)) == [SHEEP]
        assert chats.runtime.problems() == []


def test_character_with_an_impossible_file_name_delays_no_other_chat(chats):
    chats.talk("one", BEES)
    chats.look_after("two", Namespace("default", "\ud800"))
    chats.save("one", SHEEP)
    chats.settle()
    assert chats.stored("one") == [SHEEP]
