"""Characters marked as never remembered, in all chats and across restarts."""

import json

import pytest

from memory_core.admin.administration import destroy
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.textgen import host_chats_source
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.text.locales import tab_words
from memory_core.ui.tab.header_panel import paused_elsewhere
from memory_core.ui.tab.memories.notes import NoteRefused, NoteScope, add_note
from tests.host.one_page import API_MIRA, MIRA, SECRET, WORD, Client, OnePage
from tests.host.plain_host import history_of

OTHER_CHAT = "20261122-10-00-00"
WORDS = tab_words("en")


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def saved_chat(page, chat, *rows, character="Mira"):
    path = page.folder / "logs" / "chat" / character / f"{chat}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(history_of(*rows)), encoding="utf-8")


def imported(page):
    return import_chats(page.memory, host_chats_source(page.host), pauses=page.runtime.pauses)


@pytest.mark.parametrize(
    ("never", "again"),
    [("/remember never", "/remember again"), ("/记住 永不", "/记住 恢复")],
)
def test_no_chat_is_stored_until_the_character_is_remembered_again(page, never, again):
    page.say("Before")
    page.say(never)
    page.say(SECRET, "hush")
    page.rows = []
    page.say(f"{SECRET}, elsewhere", chat=OTHER_CHAT)
    page.restart()
    page.say(f"{SECRET}, really", chat=OTHER_CHAT)
    page.say(again, chat=OTHER_CHAT)
    page.say("After", chat=OTHER_CHAT)
    assert page.kept() == ["After", "Before"]
    page.restart()
    page.say("Later", chat=OTHER_CHAT)
    assert page.kept() == ["After", "Before", "Later"]
    assert WORD.encode() not in page.on_disk()


def test_never_remember_command_tells_the_model_its_meaning(page):
    prompt = page.say("/remember never")
    assert "from now on, nothing said in any chat with it is remembered" in prompt
    assert "remembered again" in page.say("/remember again")


def test_message_sent_just_before_never_remember_is_stored(page):
    page.rows = [("Before", "I see.")]
    page.ask("/remember never")
    assert page.kept() == ["Before"]


def test_recall_continues_while_a_character_is_never_remembered(page):
    page.memory.remember(MIRA, "old", Exchange(user="Helena keeps bees", assistant="Lovely"))
    page.say("/remember never")
    assert "Helena keeps bees" in page.ask("What does Helena keep?")


def test_never_remember_leaves_other_characters_alone(page):
    page.say("/remember never")
    assert not page.runtime.pauses.is_never_remembered(Namespace("default", "Ben"))


def test_sentence_that_begins_with_never_becomes_a_note(page):
    page.say("/remember never put onions into my soup")
    assert page.kept() == ["note: never put onions into my soup"]


def test_note_for_a_never_remembered_character_is_refused_everywhere(page):
    page.say("/remember never")
    assert "it was not saved: nothing of this character" in page.say("/remember I like tea")
    with pytest.raises(NoteRefused, match="is never to be remembered"):
        add_note(page.hooks, MIRA, "I like tea", NoteScope.THIS, WORDS)
    assert page.kept() == []


def test_resume_says_that_the_character_is_still_never_remembered(page):
    page.say("Hello")
    page.say("/remember never")
    page.say("/pause")
    assert "until /remember again" in page.say("/resume")
    page.say(SECRET)
    assert page.kept() == ["Hello"]


def test_never_remember_applies_to_api_chats(page):
    client = Client(page)
    client.say("/remember never")
    client.say(SECRET)
    client.say("/remember again")
    client.say("After")
    assert page.kept(API_MIRA) == ["After"]


def test_never_remember_in_an_incognito_chat_marks_no_character(page):
    assert "incognito" in page.ask("/remember never", "incognito-1")
    assert not page.runtime.pauses.is_never_remembered(MIRA)


def test_past_chats_are_not_imported_while_never_remembered(page):
    page.runtime.pauses.set_never_remembered(MIRA, wanted=True)
    saved_chat(page, "20250101-10-00-00", (SECRET, "hush"))
    saved_chat(page, "20250102-10-00-00", (SECRET, "hush hush"))
    saved_chat(page, "20250103-10-00-00", ("Hello Ben", "Hi"), character="Ben")
    result = imported(page)
    assert [failure.reason for failure in result.failures] == [
        "default / Mira is never to be remembered: its chats are left out. Say /remember again to "
        "the character, or take the mark away under “Pause a chat” in the tab, and import once more"
    ]
    assert page.kept(Namespace("default", "Ben")) == ["Hello Ben"]
    assert WORD.encode() not in page.on_disk()


def test_past_chats_are_imported_once_the_character_is_remembered_again(page):
    page.runtime.pauses.set_never_remembered(MIRA, wanted=True)
    saved_chat(page, "20250101-10-00-00", ("From last year", "Yes"))
    imported(page)
    page.runtime.pauses.set_never_remembered(MIRA, wanted=False)
    imported(page)
    assert page.kept() == ["From last year"]


def test_never_remember_survives_the_destruction_of_the_memories(page):
    page.say("Hello")
    page.say("/remember never")
    destroy(page.hooks, MIRA)
    page.restart()
    page.say(SECRET)
    assert page.kept() == []


def test_tab_marks_a_character_as_never_remembered_in_its_header(page):
    page.rows = [("Before", "I see.")]
    page.ask("Hi")
    page.save()
    assert page.hooks.command_executor.set_never_remembered(MIRA, never=True)
    assert (
        paused_elsewhere(page.hooks, MIRA, "", WORDS) == "writing in all chats with this character"
    )
    page.say(SECRET)
    assert page.hooks.command_executor.set_never_remembered(MIRA, never=False)
    assert paused_elsewhere(page.hooks, MIRA, "", WORDS) == ""
    page.say("After")
    assert page.kept() == ["After", "Before"]


def said_elsewhere(page, *rows):
    """Saves the file of another active chat without synchronizing it."""
    page.rows = list(rows)
    page.ask("And?", OTHER_CHAT)
    path = page.folder / f"{OTHER_CHAT}.json"
    path.write_text(json.dumps(history_of(*rows)), encoding="utf-8")
    page.rows = []


def test_message_in_another_chat_just_before_never_remember_is_stored(page):
    said_elsewhere(page, ("Elsewhere", "Yes"))
    page.ask("/remember never")
    page.hooks.synchronizer.sync_and_close()
    assert page.kept() == ["Elsewhere"]


def test_message_in_another_chat_before_remembering_again_is_not_stored(page):
    page.ask("/remember never")
    said_elsewhere(page, (SECRET, "hush"))
    page.ask("/remember again")
    page.hooks.synchronizer.sync_and_close()
    assert page.kept() == []
    assert WORD.encode() not in page.on_disk()
