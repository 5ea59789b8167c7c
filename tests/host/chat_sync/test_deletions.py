"""Messages removed from their chats: not recalled, listed, and erased on request."""

import json

import pytest

from memory_core.host.chat_sync.deletions import count_removed, forget_removed, removed_memories
from memory_core.host.conversation_state import ConversationState
from memory_core.ui.cli import common
from memory_core.ui.cli.main import main
from tests.host.one_page import MIRA, SECRET, WORD, OnePage
from tests.host.saved_chats import BEES, CAT, SavedChats


@pytest.fixture
def page(tmp_path):
    page = OnePage(tmp_path)
    page.say("hello")
    page.say(SECRET)
    page.say("My cat is Tom")
    return page


def take_out(page, text):
    """Removes this message from the chat, as the user does."""
    page.rows = [row for row in page.rows if row[0] != text]
    page.save()


def said(page):
    return [memory.exchange.user for memory in removed_memories(page.memory, MIRA)]


def test_message_in_its_chat_is_not_listed_as_removed(page):
    assert said(page) == []
    assert forget_removed(page.hooks.runtime, MIRA) == 0


def test_removed_messages_are_listed_newest_first_and_not_recalled(page):
    question = "What do you know that has a hidden drawer?"
    assert WORD in page.ask(question, chat="other")
    take_out(page, SECRET)
    take_out(page, "My cat is Tom")
    assert said(page) == ["My cat is Tom", SECRET]
    assert count_removed(page.memory, MIRA) == 2
    assert WORD not in page.ask(question, chat="other")
    assert page.kept() == ["hello"]


def test_removed_message_is_not_listed_while_another_chat_shows_it(page):
    page.ask("hello", "branch")
    page.save("branch")
    take_out(page, SECRET)
    assert said(page) == []


def test_forgotten_removed_message_can_be_restored_until_it_is_erased(page):
    take_out(page, SECRET)
    assert WORD.encode() in page.on_disk()
    assert forget_removed(page.hooks.runtime, MIRA) == 1
    assert said(page) == []
    (entry,) = page.memory.forgotten(MIRA)
    page.memory.unforget(MIRA, entry.memory.id)
    assert said(page) == [SECRET]
    forget_removed(page.hooks.runtime, MIRA)
    page.memory.erase_all_forgotten(MIRA)
    assert page.memory.counts(MIRA)["live"] == 2
    page.runtime.close()
    assert WORD.encode() not in page.on_disk()


def test_forgetting_a_removed_message_erases_its_earlier_text_too(page):
    page.rows[1] = ("My xylophone is gone", "I see.")
    page.save()
    take_out(page, "My xylophone is gone")
    forget_removed(page.hooks.runtime, MIRA)
    page.memory.erase_all_forgotten(MIRA)
    page.runtime.close()
    assert b"hidden drawer" not in page.on_disk()


@pytest.fixture
def command(page, monkeypatch, capsys):
    """Runs `removed default Mira …`; returns its exit code and output."""
    take_out(page, SECRET)
    page.runtime.close()
    monkeypatch.setattr(common, "EXTENSION_FOLDER", page.folder / "home")

    def run(*more):
        code = main(["removed", "default", "Mira", *more])
        return code, capsys.readouterr().out

    return run


def test_command_line_lists_removed_messages(command):
    code, output = command()
    assert code == 0
    assert SECRET in output
    assert output.endswith("in no chat any more: 1\n")
    (found,) = json.loads(command("--json")[1])["removed"]
    assert SECRET in found["text"]


def test_command_line_forgets_all_removed_messages_or_the_named_ones(command):
    (found,) = json.loads(command("--json")[1])["removed"]
    assert command("--json", "--forget", "nobody")[0] == 1
    assert json.loads(command("--json", "--forget", found["id"])[1])["forgotten"] == 1
    assert command("--forget")[1].startswith("forgotten: 0; their words are erased after")
    assert json.loads(command("--json", "--forget")[1])["forgotten"] == 0


def test_command_line_refuses_a_character_without_memories(command, capsys):
    assert main(["removed", "default", "Nobody"]) == 2
    assert "default / Mira" in capsys.readouterr().err


def test_deleted_chat_is_forgotten_in_conversation_state_too(forgetting: SavedChats) -> None:
    forgetting.talk("one", BEES)
    forgetting.talk("two", CAT)
    threads, state = forgetting.hooks.prompt_builder.conversation_states, ConversationState()
    threads.put((MIRA, "two"), state)
    forgetting.settle()
    assert threads.get((MIRA, "two")) is state
    forgetting.path("one").unlink()
    forgetting.settle()
    assert forgetting.live() == 1
    assert threads.get((MIRA, "two")) is None
