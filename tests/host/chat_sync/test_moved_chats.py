"""Chats in a renamed character folder: recognised by content, renamed only by a click."""

import json
import shutil
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.host.chat_sync import moved_chats
from memory_core.host.chat_sync.chat_registry import REGISTRY_FILE
from memory_core.host.chat_sync.deletions import DeletedChatStats
from memory_core.text.locales import tab_words
from memory_core.ui.tab.settings import names_actions
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
    assert names_actions.new_name(chats.hooks, MIRA) == "Mia"
    assert "Mia" in names_actions.rename_character(chats.hooks, MIRA, "Mia", WORDS)
    assert chats.stored("one", MIA) == [BEES]
    chats.hooks.synchronizer.scan_now()
    assert names_actions.new_name(chats.hooks, MIRA) == ""
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
    plain = moved_chats.read_rows
    monkeypatch.setattr(moved_chats, "read_rows", lambda path: read.append(path) or plain(path))
    for _ in range(3):
        assert moved_to(chats) == "Mia"
    assert len(read) == 1
    chats.now += 1000
    chats.settle()
    assert len(read) == 2
