"""Macros that a model writes for the user's name: stored once, as the page shows them."""

import json

import pytest

from memory_core.admin.importers.engine import import_chats
from memory_core.storage.contract import Page
from tests.admin.importers.chats import source
from tests.host.one_page import API_MIRA, CHAT, MIRA, Client, OnePage
from tests.host.plain_host import history_of, page_state

ASKED = "What is my nickname at the harbour?"
WROTE = "Hello {{user}}, they call you <USER> the Whale, says {{char}}."
SHOWN = "Hello Ana, they call you Ana the Whale, says {{char}}."


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def answers(page, namespace=MIRA):
    memories = page.memory.latest(namespace, Page(limit=9))
    return {memory.id: memory.exchange.assistant for memory in memories}


def named(page, name):
    """Sends the next message in the same chat under a new user name."""
    history = history_of(*page.rows)
    state = page_state(unique_id=CHAT, history=history, name1=name)
    page.hooks.custom_generate_chat_prompt("And now?", state, history=history)
    page.save()


def test_answer_is_remembered_and_replayed_with_the_name_that_the_page_shows(page):
    page.say(ASKED, WROTE)
    page.rows = []
    prompt = page.ask("What nickname do they call me at the harbour?", "20261122-10-00-00")
    assert list(answers(page).values()) == [SHOWN]
    assert "A: Hello Ana, they call you Ana the Whale" in prompt


def test_answer_with_a_macro_is_not_recalled_while_the_chat_shows_it(page):
    page.say(ASKED, WROTE)
    assert page.ask(ASKED).count("the Whale") == 1


def test_stored_macro_keeps_its_name_when_the_user_is_renamed(page):
    page.say(ASKED, WROTE)
    before, written = answers(page), page.on_disk()
    named(page, "Annie")
    page.restart()
    assert answers(page) == before
    assert page.on_disk().count(b"the Whale") == written.count(b"the Whale")


def test_forgotten_answer_with_a_macro_stays_forgotten_under_another_name(page):
    page.say(ASKED, WROTE)
    (memory_id,) = answers(page)
    page.hooks.runtime.forget(MIRA, [memory_id])
    named(page, "Annie")
    assert answers(page) == {}


def test_exchange_with_a_macro_replaced_by_the_name_is_not_stored_twice(page):
    page.say(ASKED, WROTE)
    before = answers(page)
    page.rows[0] = (ASKED, SHOWN)
    named(page, "Ana")
    assert answers(page) == before


def test_regenerated_answer_has_the_macro_replaced_too(page):
    page.say(ASKED, WROTE)
    (memory_id,) = answers(page)
    page.rows[0] = (ASKED, "Bye {{user}}")
    named(page, "Ana")
    assert answers(page) == {memory_id: "Bye Ana"}


def test_import_of_an_active_chat_with_macros_adds_nothing(page):
    page.say(ASKED, WROTE)
    file = page.folder / "user_data" / "logs" / "chat" / "Mira" / f"{CHAT}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(history_of(*page.rows)), encoding="utf-8")
    result = import_chats(page.memory, source(page.folder / "user_data"))
    assert (result.exchanges, result.added, result.changed) == (1, 0, 0)


def test_macro_in_instruct_mode_is_stored_as_shown(page):
    history = history_of((ASKED, WROTE))
    state = page_state(unique_id=CHAT, history=history, mode="instruct")
    page.hooks.custom_generate_chat_prompt("And now?", state, history=history)
    page.rows = [(ASKED, WROTE)]
    page.save()
    namespace = page.memory.namespaces()[0]
    assert list(answers(page, namespace).values()) == [WROTE]


def test_client_that_resends_the_macro_continues_its_chat(page):
    client = Client(page)
    client.say(ASKED, SHOWN)
    stored = answers(page, API_MIRA)
    client.rows[0] = (ASKED, WROTE)
    client.say("I keep bees", "Lovely")
    client.say("I keep sheep", "Many?")
    memories = page.memory.latest(API_MIRA, Page(limit=9))
    assert len(memories) == 3
    assert len({memory.conversation for memory in memories}) == 1
    assert stored.items() <= answers(page, API_MIRA).items()
