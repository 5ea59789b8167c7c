"""Answers with names before their lines are stored without them; stored chats stay."""

import json

import pytest

from memory_core.admin.importers.engine import import_chats
from memory_core.storage.contract import Page
from tests.admin.importers.chats import source
from tests.host.one_page import API_MIRA, CHAT, MIRA, Client, OnePage
from tests.host.plain_host import history_of, page_state

ASKED = "What do they call me at the harbour?"
WROTE = "Mira: They call you the Whale.\nMira: A kind name.\nAna: I hate it."
REMEMBERED = "They call you the Whale.\nA kind name."


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def answers(page, namespace=MIRA):
    memories = page.memory.latest(namespace, Page(limit=9))
    return {memory.id: memory.exchange.assistant for memory in memories}


def looked_at_again(page, **state):
    """Synchronizes the chat once more: a message, a saved file, a restart."""
    history = history_of(*page.rows)
    state = page_state(unique_id=CHAT, history=history, **state)
    page.hooks.custom_generate_chat_prompt("And now?", state, history=history)
    page.save()
    page.restart()
    page.save()


def written(page):
    (log,) = (MIRA.folder(page.memory.root) / "conversations").glob("*.jsonl")
    return log.read_bytes()


def test_answer_is_remembered_and_replayed_without_the_names(page):
    page.say(ASKED, WROTE)
    page.rows = []
    prompt = page.ask("Do they call me something at the harbour?", "20261122-10-00-00")
    assert list(answers(page).values()) == [REMEMBERED]
    assert "They call you the Whale." in prompt
    assert "Mira: They call" not in prompt
    assert "I hate it" not in prompt


@pytest.mark.parametrize("state", [{}, {"name1": "Annie"}, {"name2": "Miranda"}])
def test_stored_chat_is_not_rewritten_at_the_next_sync(page, state):
    page.say(ASKED, WROTE)
    before, on_disk = answers(page), written(page)
    looked_at_again(page, **state)
    assert answers(page) == before
    assert written(page) == on_disk


def test_answer_shown_with_names_is_not_recalled_again(page):
    page.say(ASKED, WROTE)
    assert page.ask(ASKED).count("the Whale") == 1


def test_forgotten_answer_is_not_stored_again_at_the_next_sync(page):
    page.say(ASKED, WROTE)
    (memory_id,) = answers(page)
    page.hooks.runtime.forget(MIRA, [memory_id])
    looked_at_again(page)
    assert answers(page) == {}


def test_import_of_an_active_chat_with_names_adds_nothing(page):
    page.say(ASKED, WROTE)
    file = page.folder / "user_data" / "logs" / "chat" / "Mira" / f"{CHAT}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(history_of(*page.rows)), encoding="utf-8")
    result = import_chats(page.memory, source(page.folder / "user_data"))
    assert (result.exchanges, result.added, result.changed) == (1, 0, 0)


def test_api_chat_is_remembered_once_without_the_names(page):
    client = Client(page)
    client.say(ASKED, WROTE)
    client.say("And now?", "Mira: Nothing more.")
    assert sorted(answers(page, API_MIRA).values()) == ["Nothing more.", REMEMBERED]


def test_answer_in_instruct_mode_keeps_text_that_looks_like_names(page):
    history = history_of((ASKED, WROTE))
    state = page_state(unique_id=CHAT, history=history, mode="instruct")
    page.hooks.custom_generate_chat_prompt("And now?", state, history=history)
    page.rows = [(ASKED, WROTE)]
    page.save()
    assert list(answers(page, page.memory.namespaces()[0]).values()) == [WROTE]
