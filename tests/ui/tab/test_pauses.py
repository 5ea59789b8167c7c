"""The tab's pauses act on the chat talked in last and show in the head."""

import json

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.storage.contract import Page
from memory_core.storage.pauses import Switch
from memory_core.text.locales import tab_words
from memory_core.ui.tab.panels.pauses import paused_words
from tests.host.plain_host import PlainHost, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
CHAT = "20261121-10-00-00"
WORDS = tab_words("en")


@pytest.fixture
def hooks(tmp_path):
    return hooks_in(tmp_path / "home", PlainHost(tmp_path))


def save(hooks, *rows):
    history = history_of(*rows)
    hooks.custom_generate_chat_prompt("and?", page_state(history=history), history=history)
    path = hooks.host.folder / f"{CHAT}.json"
    path.write_text(json.dumps(history), encoding="utf-8")


def kept(hooks):
    hooks.settler.finish()
    return [it.exchange.user for it in hooks.runtime.memory.latest(MIRA, Page(limit=9))]


def test_the_chat_talked_in_last_is_known(hooks):
    save(hooks)
    assert hooks.last_chats.get(MIRA).conversation == CHAT


def test_a_pause_settles_what_was_said_before_it_and_nothing_after(hooks):
    save(hooks, ("before", "yes"))
    assert hooks.orders.switch(MIRA, CHAT, Switch(writing=True))
    save(hooks, ("before", "yes"), ("meanwhile", "yes"))
    assert hooks.orders.switch(MIRA, CHAT, Switch())
    save(hooks, ("before", "yes"), ("meanwhile", "yes"), ("after", "yes"))
    assert sorted(kept(hooks)) == ["after", "before"]


def test_an_answer_that_ends_after_the_pause_stays_out(hooks):
    hooks.orders.switch(MIRA, CHAT, Switch(writing=True))
    save(hooks, ("meanwhile", "half an"))
    hooks.orders.switch(MIRA, CHAT, Switch())
    save(hooks, ("meanwhile", "half an answer"))
    assert kept(hooks) == []


def test_the_head_says_what_is_paused(hooks):
    assert paused_words(hooks, MIRA, WORDS) == ""
    assert paused_words(hooks, None, WORDS) == ""
    save(hooks)
    hooks.orders.switch(MIRA, CHAT, Switch(writing=True, recall=True))
    hooks.orders.switch(MIRA, "other", Switch(recall=True))
    told = paused_words(hooks, MIRA, WORDS)
    assert told == "writing in this chat, recall in this chat, 1 other chat"


def test_a_file_of_pauses_that_cannot_be_read_is_told(hooks):
    hooks.runtime.switches.turn(MIRA, CHAT, Switch(writing=True))
    (MIRA.folder(hooks.runtime.memory.root) / "switches.json").write_text("{")
    hooks.runtime.switches.drop(MIRA)
    assert "cannot be read" in paused_words(hooks, MIRA, WORDS)
