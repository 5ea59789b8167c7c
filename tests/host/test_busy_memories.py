"""A message waits no longer than promised for memories that are busy; what is said is kept."""

import pytest

from memory_core.domain.errors import StorageBusy
from memory_core.host.activity import SkipReason
from tests.host.one_page import API_MIRA, MIRA, Client, OnePage
from tests.meanwhile import taken

AT_ONCE_S = 0.001


@pytest.fixture
def page(tmp_path):
    page = OnePage(tmp_path, {"recall": {"time_limit_s": AT_ONCE_S}})
    page.memory.counts(MIRA)  # opened by who has the time
    page.say("My dog is called Bruno")
    page.rows.clear()
    return page


def busy(page, space=MIRA):
    """These memories are being merged or destroyed meanwhile."""
    return taken(page.memory.closed, space)


def test_the_message_goes_out_without_memories_and_that_is_told(page):
    with busy(page):
        assert "Bruno" not in page.ask("What is my dog called?", chat="other")
    (told,) = page.runtime.problems()
    assert "went out without memories: the memories of default / Mira are being moved" in told
    assert page.hooks.prompt_builder.activity.skip_counts(MIRA) == {SkipReason.BUSY: 1}
    trace = page.runtime.traces.latest()[0]
    assert trace.query == "What is my dog called?"
    assert "are being moved" in trace.skipped


def test_the_next_message_has_them_again(page):
    with busy(page):
        page.ask("What is my dog called?", chat="other")
    page.memory.counts(MIRA)
    assert "Bruno" in page.ask("What is my dog called?", chat="other")
    assert page.runtime.problems() == []


def test_what_was_said_meanwhile_is_kept(page):
    with busy(page):
        page.ask("My cat is Tom", chat="other")
    page.rows.append(("My cat is Tom", "Aw"))
    page.save("other")
    assert "My cat is Tom" in page.kept()


def test_so_is_what_a_client_without_chats_said(page):
    client = Client(page)
    client.say("My cat is Tom")
    with busy(page, API_MIRA):
        client.say("My cow is Rosa", run=False)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]


def test_a_message_whose_chat_cannot_be_told_goes_out_without_memories(page):
    with busy(page, API_MIRA):
        Client(page).say("My cow is Rosa", run=False)
    assert page.hooks.prompt_builder.activity.skip_counts(API_MIRA) == {SkipReason.BUSY: 1}
    page.runtime.run_pending()


def test_so_does_one_of_a_paused_chat_though_they_are_free_by_then(page, monkeypatch):
    def moved(*_):
        raise StorageBusy("they are being moved")

    page.memory.counts(API_MIRA)
    Client(page).say("My cow is Rosa")
    paused = Client(page)
    paused.say("Hello")
    paused.say("/pause recall")
    with monkeypatch.context() as patch:
        patch.setattr(page.hooks.synchronizer, "conversation_of", moved)
        assert "Rosa" not in paused.say("What is my cow called?", run=False)
    assert page.hooks.prompt_builder.activity.skip_counts(API_MIRA)[SkipReason.BUSY] == 1
    page.runtime.run_pending()
    assert "Rosa" in Client(page).say("What is my cow called?")


def test_a_list_that_cannot_be_had_is_told_so(page):
    with busy(page):
        assert "cannot be answered now" in page.ask("/memories", chat="other")


def test_the_mark_of_the_notebook_is_left_empty(page):
    with busy(page):
        state = {"name1": "Ana", "name2": "Mira", "mode": "chat", "character_menu": "Mira"}
        text = page.hooks.input_modifier("<|memory|>My dog", state | {"unique_id": "x"}, False)
    assert text == "My dog"
