"""A forgotten message that is removed from its chat and said again is a new one."""

import time
from pathlib import Path

import pytest

from tests.host.saved_chats import BEES, CAT, MIRA, SHEEP, SavedChats

TALK = "20261120-09-00-00"
AGAIN = (CAT[0], "What a nice name")


def stamp(seconds_ago: float) -> str:
    """Returns the host's stamp of this time, which has no seconds."""
    return time.strftime("%b %d, %Y %H:%M", time.localtime(time.time() - seconds_ago))


class Chat(SavedChats):
    """A chat whose messages all have the stamp `said_at`: that of its making, unless changed."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.said_at = stamp(0.0)

    def show(self, *rows: tuple[str, str]) -> list[tuple[str, str]]:
        """Saves the chat with these rows; returns what is remembered of it."""
        self.save(TALK, *rows, stamp=self.said_at)
        self.look_after(TALK)
        self.settle()
        return self.stored(TALK)

    def forget_last(self) -> None:
        (memory,) = self.runtime.memory.conversation(MIRA, TALK, 1)
        self.hooks.runtime.forget(MIRA, [memory.id])


@pytest.fixture
def chat(tmp_path: Path) -> Chat:
    chat = Chat(tmp_path)
    chat.show(BEES, CAT)
    chat.forget_last()
    return chat


@pytest.fixture
def old_chat(tmp_path: Path) -> Chat:
    chat = Chat(tmp_path)
    chat.said_at = stamp(3600.0)
    chat.show(BEES, CAT)
    chat.forget_last()
    return chat


def test_message_said_again_in_the_minute_in_which_it_was_forgotten_is_remembered(
    chat: Chat,
) -> None:
    assert chat.show(BEES) == [BEES]
    assert chat.show(BEES, AGAIN) == [BEES, AGAIN]
    assert chat.show(BEES, AGAIN, SHEEP) == [BEES, AGAIN, SHEEP]


def test_erased_message_said_again_in_the_same_minute_is_remembered(chat: Chat) -> None:
    chat.runtime.memory.erase_all_forgotten(MIRA)
    assert chat.show(BEES) == [BEES]
    assert chat.show(BEES, AGAIN) == [BEES, AGAIN]


def test_message_said_again_later_with_the_same_answer_is_remembered(old_chat: Chat) -> None:
    assert old_chat.show(BEES) == [BEES]
    old_chat.said_at = stamp(0.0)
    assert old_chat.show(BEES, CAT) == [BEES, CAT]


def test_forgotten_message_with_a_regenerated_answer_stays_forgotten(chat: Chat) -> None:
    assert chat.show(BEES, AGAIN) == [BEES]
    assert chat.show(BEES, AGAIN, SHEEP) == [BEES, SHEEP]


@pytest.mark.parametrize("older", [CAT, AGAIN], ids=["same", "regenerated"])
def test_older_history_that_is_saved_again_brings_back_nothing_forgotten(
    old_chat: Chat, older: tuple[str, str]
) -> None:
    assert old_chat.show(BEES) == [BEES]
    assert old_chat.show(BEES, older) == [BEES]
    assert old_chat.show(BEES, older, SHEEP) == [BEES, SHEEP]
    old_chat.restart()
    old_chat.runtime.memory.rebuild(MIRA)
    assert old_chat.show(BEES, AGAIN, SHEEP) == [BEES, SHEEP]


def test_older_history_saved_again_in_the_same_minute_brings_back_nothing_forgotten(
    chat: Chat,
) -> None:
    assert chat.show(BEES) == [BEES]
    assert chat.show(BEES, CAT) == [BEES]


@pytest.mark.parametrize("is_erased", [False, True], ids=["hidden", "erased"])
@pytest.mark.parametrize("moved", [CAT, AGAIN], ids=["same", "regenerated"])
def test_forgotten_message_that_moves_within_its_chat_stays_forgotten(
    old_chat: Chat, moved: tuple[str, str], is_erased: bool
) -> None:
    old_chat.show(BEES, SHEEP, CAT)
    if is_erased:
        old_chat.runtime.memory.erase_all_forgotten(MIRA)
    assert old_chat.show(BEES, moved, SHEEP) == [BEES, SHEEP]
    assert old_chat.show(moved, BEES, SHEEP) == [BEES, SHEEP]
    assert old_chat.show(BEES, SHEEP, moved) == [BEES, SHEEP]


def test_message_forgotten_and_removed_can_be_restored_with_its_chat(chat: Chat) -> None:
    (forgotten,) = chat.runtime.memory.forgotten(MIRA)
    assert chat.show(BEES) == [BEES]
    chat.runtime.memory.unforget(MIRA, forgotten.memory.id)
    assert chat.show(BEES) == [BEES]
    assert chat.show(BEES, CAT) == [BEES, CAT]
