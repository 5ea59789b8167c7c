"""A command is executed once per message, wherever the message is found later."""

import pytest

from tests.host.one_page import CHAT, MIRA, OnePage
from tests.host.plain_host import history_of, page_state

SAID = ("My cat is Tom", "Bees like lavender", "I drive a Volvo")


class Page(OnePage):
    """A page that gives each message a time, as the host does."""

    def asked(self, text, clock_time, chat=CHAT, *, first=""):
        """Returns the prompt for a message of this time; `first` begins the answer."""
        rows = [*self.rows, (text, first)] if first else self.rows
        history = history_of(*rows, stamp=self.stamp)
        stamped = {"timestamp": f"Nov 21, 2026 {clock_time}"}
        history["metadata"][f"user_{len(self.rows)}"] = stamped
        state = page_state(unique_id=chat, history=history)
        return self.hooks.custom_generate_chat_prompt(
            text, state, history=history, _continue=bool(first)
        )


@pytest.fixture
def page(tmp_path):
    folder = tmp_path / "user_data" / "logs" / "chat" / "Mira"
    folder.mkdir(parents=True)
    page = Page(folder)
    for text in SAID:
        page.say(text)
    return page


def test_command_in_place_of_a_removed_message_is_executed(page):
    assert "it has been saved" in page.asked("/remember I am vegan", "10:00")
    assert "it has been forgotten" in page.asked("/forget vegan", "10:01")
    assert "it has been saved" in page.asked("/remember I am vegan", "10:02")
    assert "note: I am vegan" in page.kept()


def test_second_pause_is_executed(page):
    page.asked("/pause", "10:00")
    page.asked("/resume", "10:01")
    page.asked("/pause", "10:02")
    page.say("My secret is safe")
    assert page.kept() == sorted(SAID)


def test_command_is_not_repeated_in_a_renamed_chat(page):
    page.asked("/forget last", "10:00")
    (page.folder / f"{CHAT}.json").rename(page.folder / "Cats.json")
    page.hooks.synchronizer.scan_now()
    assert "I drive a Volvo — it has been forgotten" in page.asked("/forget last", "10:00", "Cats")
    page.restart()
    assert "was carried out when it was first sent" in page.asked("/forget last", "10:00", "Cats")
    assert page.kept() == ["Bees like lavender", "My cat is Tom"]


def test_command_is_not_repeated_in_a_branch(page):
    page.asked("/forget last", "10:00")
    page.save("Branch")
    page.asked("/forget last", "10:00", "Branch")
    assert page.kept() == ["Bees like lavender", "My cat is Tom"]


def test_regenerated_pause_is_executed_in_a_branch(page):
    page.asked("/pause", "10:00")
    page.save("Branch")
    page.asked("/pause", "10:00", "Branch")
    assert page.runtime.pauses.get(MIRA, "Branch").is_writing_paused


def test_command_is_not_repeated_when_the_host_starts_its_answer_anew(page):
    page.asked("/forget last", "10:00", first="Sure")
    page.asked("/forget last", "10:05", first="Sure")
    assert page.kept() == ["Bees like lavender", "My cat is Tom"]


def test_equal_commands_of_one_minute_in_two_chats_are_both_executed(page):
    page.rows = []
    page.asked("/remember I like tea", "10:00", "a")
    page.asked("/forget I like tea", "10:01", "a")
    page.asked("/remember I like tea", "10:00", "b")
    assert "note: I like tea" in page.kept()


@pytest.mark.parametrize("said", ["/forget 9", "/forget 1-9"])
def test_number_beyond_the_list_is_not_searched_for_by_meaning(page, monkeypatch, said):
    page.asked("/memories", "10:00")
    searched = []
    monkeypatch.setattr(page.memory, "recall", lambda _, query: searched.append(query.text))
    assert "nothing matched" in page.asked(said, "10:01")
    assert searched == []
