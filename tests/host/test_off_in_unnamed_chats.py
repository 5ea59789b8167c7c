"""Chats of API clients have no name until their first answer; Remember may be off by then."""

import pytest

from tests.host.one_page import API_MIRA, SECRET, WORD, Client, OnePage
from tests.host.plain_host import api_state, history_of
from tests.host.switched_page import OFF, ON, crash, restart, switch


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def ask(page, text):
    """Sends the first message of a chat, whose answer never comes."""
    history = history_of()
    state = api_state(history=history)
    page.hooks.custom_generate_chat_prompt(text, state, history=history)
    page.runtime.run_pending()


def client_with(page, *rows):
    client = Client(page)
    client.rows = list(rows)
    return client


def test_first_message_without_an_answer_is_not_stored_when_the_chat_goes_on(page):
    switch(page, on=False)
    ask(page, SECRET)
    switch(page, on=True)
    client_with(page, (SECRET, "hush")).say("After")
    assert page.kept(API_MIRA) == ["After"]
    assert WORD.encode() not in page.on_disk()


def test_first_message_stays_out_after_a_crash(page):
    restart(page, OFF)
    ask(page, SECRET)
    crash(page, ON)
    client_with(page, (SECRET, "hush")).say("After")
    assert page.kept(API_MIRA) == ["After"]


def test_first_message_stays_out_when_the_client_changes_its_answer(page):
    switch(page, on=False)
    Client(page).say(SECRET, "hush")
    switch(page, on=True)
    client_with(page, (SECRET, "Hush, then")).say("After")
    assert page.kept(API_MIRA) == ["After"]


def test_first_message_that_is_said_again_is_stored(page):
    switch(page, on=False)
    ask(page, "Hello")
    switch(page, on=True)
    Client(page).say("Hello", "Good day")
    assert page.kept(API_MIRA) == ["Hello"]


def test_stored_first_message_stays_when_another_chat_begins_with_it(page):
    client = Client(page)
    client.say("Hello", "Good day")
    switch(page, on=False)
    ask(page, "Hello")
    switch(page, on=True)
    client.say("After")
    assert page.kept(API_MIRA) == ["After", "Hello"]
