"""Messages off the record, by command or in plain words, leave no trace."""

import logging
from datetime import datetime

import pytest

from memory_core.domain.records import Exchange
from tests.host.one_page import API_MIRA, MIRA, SECRET, WORD, Client, OnePage


@pytest.fixture
def page(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    return OnePage(tmp_path)


PLAINLY_OFF = f"Don't remember this: {SECRET}"


@pytest.mark.parametrize(
    "text",
    [
        f"/off {SECRET}",
        f"/off\n{SECRET}",
        f"/不记录 {SECRET}",
        PLAINLY_OFF,
        f"不要记住这个：{SECRET}",
        f"merk dir das nicht: {SECRET}",
        f"((ooc: please don't save this: {SECRET}))",
        f"mira dont remember this i got fired. {SECRET}",
        f"estoy embarazada, no lo guardes. {SECRET}",
        f"我怀孕了，别记。{SECRET}",
    ],
)
def test_message_off_the_record_is_stored_nowhere(page, caplog, text):
    page.say("Hello there", "Good morning")
    prompt = page.say(text, f"A {WORD}? I see")
    assert prompt.rstrip(")").endswith(SECRET)
    assert "neither will be remembered" in prompt or "都不会被记住" in prompt
    page.say("And now?", "Now what?")
    assert page.kept() == ["And now?", "Hello there"]
    assert WORD.encode() not in page.on_disk()
    assert WORD not in caplog.text
    assert WORD not in " ".join(page.runtime.problems())
    assert WORD not in repr(page.runtime.traces.latest())


def test_off_alone_tells_that_the_next_message_is_remembered(page):
    prompt = page.say("/off")
    assert "the next message will be remembered" in prompt
    assert "下一条消息会被记住" in page.say("/不记录")
    page.say("Hello")
    assert page.kept() == ["Hello"]


@pytest.mark.parametrize("text", [f"/off {SECRET}", PLAINLY_OFF])
def test_off_the_record_holds_after_a_restart(page, text):
    page.say(text)
    page.restart()
    page.say("Hello again")
    assert page.kept() == ["Hello again"]
    assert WORD.encode() not in page.on_disk()


def test_messages_after_off_the_record_are_not_stored_again(page):
    for text in ("one", "/off two", "three", "/off four", "five"):
        page.say(text)
    before = page.memory.counts(MIRA)["last_seq"]
    page.restart()
    page.ask("six")
    page.save()
    assert page.memory.counts(MIRA)["last_seq"] == before
    assert page.kept() == ["five", "one", "three"]


def test_new_answer_to_a_plain_wish_is_not_stored_either(page):
    page.say(PLAINLY_OFF)
    page.rows[-1] = (PLAINLY_OFF, f"Your {WORD} is safe")
    page.save()
    page.say("Hello")
    assert page.kept() == ["Hello"]


def test_plain_wish_over_the_api_keeps_its_message_off_the_record(page):
    client = Client(page)
    client.say("Hello")
    assert "neither will be remembered" in client.say(PLAINLY_OFF)
    client.say("Go on")
    assert page.kept(API_MIRA) == ["Go on", "Hello"]
    assert WORD.encode() not in page.on_disk()


def test_plain_wish_alone_forgets_nothing_and_says_so(page):
    page.say("My neighbour Darren lost his job.")
    prompt = page.say("Please don't remember that.")
    assert "Nothing was forgotten" in prompt
    assert "My neighbour Darren lost his job." in page.kept()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("can u stop remembering stuff", "/pause pauses this chat"),
        ("dont save what i say next", "Nothing was paused"),
        ("下一条别记", "/暂停 会暂停这个对话"),
    ],
)
def test_plain_wish_about_later_messages_pauses_nothing_and_says_so(page, text, told):
    page.say("My neighbour Darren lost his job.")
    prompt = page.say(text)
    assert told in prompt
    assert "Darren" not in prompt.split("U: My neighbour")[0]
    page.say("And now?")
    assert "And now?" in page.kept()


def test_forget_last_means_the_exchange_before_a_plain_wish(page):
    page.say("My dog is Rex")
    page.say("My cat is Tom")
    page.say(PLAINLY_OFF)
    assert "My cat is Tom — it has been forgotten" in page.say("/forget last")
    assert page.kept() == ["My dog is Rex"]


@pytest.mark.parametrize("text", [f"/off {SECRET}", PLAINLY_OFF])
def test_unanswered_off_record_message_is_not_stored(page, text):
    page.ask(text)
    page.rows.append((text, ""))
    page.save()
    assert page.kept() == []
    assert WORD.encode() not in page.on_disk()


def test_memories_are_recalled_for_a_message_off_the_record(page):
    page.memory.remember(MIRA, "old", Exchange(user="Helena keeps bees", assistant="Lovely"))
    assert "Helena keeps bees" in page.ask("/off What does Helena keep?")
    assert page.runtime.traces.latest() == []


class Listening:
    """An embedder that records the texts it receives."""

    name = fingerprint = "listening"
    dim = 2

    def __init__(self):
        self.heard = []

    def embed(self, texts):
        import numpy as np

        self.heard += texts
        return np.full((len(texts), 2), 0.5**0.5, dtype=np.float32)

    def embed_query(self, text, *, timeout_s):
        return self.embed([text])[0]


@pytest.mark.parametrize("text", [f"/off {SECRET}", PLAINLY_OFF])
@pytest.mark.parametrize("kind", ["openai", "package.module:Class"])
def test_text_off_the_record_is_sent_to_no_outside_embedder(page, kind, text):
    listening = Listening()
    page.stamp = f"{datetime.now():%b %d, %Y %H:%M}"  # so that what was said just before counts
    page.say("Helena keeps bees")
    page.memory.embedder = listening
    page.memory.derive_pending(MIRA)
    changed = page.runtime.settings.embedder.model_copy(update={"kind": kind})
    page.runtime.settings = page.runtime.settings.model_copy(update={"embedder": changed})
    page.say(text, f"A {WORD}!")
    page.say("What does Helena keep?")
    while page.memory.derive_pending(MIRA):
        pass
    assert any("keep" in text for text in listening.heard)
    assert WORD not in " ".join(listening.heard)
