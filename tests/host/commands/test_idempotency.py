"""A command is carried out once for each message in which it stands, wherever that is by now."""

import pytest

from tests.host.one_page import CHAT, MIRA, OnePage
from tests.host.plain_host import history_of, page_state

SAID = ("My cat is Tom", "Bees like lavender", "I drive a Volvo")


class Page(OnePage):
    """One on which each message has a time, as the host gives it."""

    def asked(self, text, at, chat=CHAT, *, first=""):
        """What the model gets for a message of this time; `first` is how its answer begins."""
        rows = [*self.rows, (text, first)] if first else self.rows
        history = history_of(*rows, stamp=self.stamp)
        stamped = {"timestamp": f"Nov 21, 2026 {at}"}
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


def test_a_message_in_the_place_of_a_removed_one_is_another(page):
    assert "it has been saved" in page.asked("/remember I am vegan", "10:00")
    assert "it has been forgotten" in page.asked("/forget vegan", "10:01")
    assert "it has been saved" in page.asked("/remember I am vegan", "10:02")
    assert "note: I am vegan" in page.kept()


def test_so_is_a_second_pause(page):
    page.asked("/pause", "10:00")
    page.asked("/resume", "10:01")
    page.asked("/pause", "10:02")
    page.say("My secret is safe")
    assert page.kept() == sorted(SAID)


def test_in_a_renamed_chat_it_is_not_done_again(page):
    page.asked("/forget last", "10:00")
    (page.folder / f"{CHAT}.json").rename(page.folder / "Cats.json")
    page.hooks.synchronizer.scan_now()
    assert "I drive a Volvo — it has been forgotten" in page.asked("/forget last", "10:00", "Cats")
    page.restart()
    assert "was carried out when it was first sent" in page.asked("/forget last", "10:00", "Cats")
    assert page.kept() == ["Bees like lavender", "My cat is Tom"]


def test_nor_in_a_branch(page):
    page.asked("/forget last", "10:00")
    page.save("Branch")
    page.asked("/forget last", "10:00", "Branch")
    assert page.kept() == ["Bees like lavender", "My cat is Tom"]


def test_a_pause_is_of_the_branch_in_which_it_is_answered_anew(page):
    page.asked("/pause", "10:00")
    page.save("Branch")
    page.asked("/pause", "10:00", "Branch")
    assert page.runtime.pauses.get(MIRA, "Branch").is_writing_paused


def test_nor_where_the_host_sets_it_anew_to_begin_its_answer(page):
    page.asked("/forget last", "10:00", first="Sure")
    page.asked("/forget last", "10:05", first="Sure")
    assert page.kept() == ["Bees like lavender", "My cat is Tom"]


def test_other_chats_of_the_same_minute_are_others(page):
    page.rows = []
    page.asked("/remember I like tea", "10:00", "a")
    page.asked("/forget I like tea", "10:01", "a")
    page.asked("/remember I like tea", "10:00", "b")
    assert "note: I like tea" in page.kept()
