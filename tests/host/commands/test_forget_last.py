"""/forget counts the message just said, and no older one in its place."""

from pathlib import Path

import pytest

from tests.host.one_page import SECRET, WORD, OnePage

NOT_STORED = "was not stored: nothing was forgotten"
PHONE = "My number is +1 (415) 555-2671"


@pytest.mark.parametrize("action", ["ask", "skip"])
def test_forget_last_after_a_message_that_the_guard_kept_back_forgets_nothing(
    tmp_path: Path, action: str
) -> None:
    page = OnePage(tmp_path, {"guard": {"phones": action}})
    page.say("My dog is called Bruno")
    page.say(PHONE)
    assert NOT_STORED in page.say("/forget last")
    assert page.kept() == ["My dog is called Bruno"]


def test_forget_last_after_a_message_that_the_guard_redacted_forgets_that(tmp_path: Path) -> None:
    page = OnePage(tmp_path, {"guard": {"phones": "redact"}})
    page.say("My dog is called Bruno")
    page.say(PHONE)
    assert "it has been forgotten" in page.say("/forget last")
    assert page.kept() == ["My dog is called Bruno"]


def test_forget_last_after_a_message_of_a_pause_forgets_nothing(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    page.say("My dog is called Bruno")
    page.say("/pause")
    page.say("My cat is called Tom")
    assert NOT_STORED in page.say("/forget last")
    page.say("/resume")
    assert NOT_STORED in page.say("/forget last")
    page.say("I like tea")
    assert "I like tea — it has been forgotten" in page.say("/forget last")
    assert page.kept() == ["My dog is called Bruno"]


def test_forget_last_after_a_note_of_a_pause_forgets_the_note(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    page.say("/pause")
    page.say("My cat is called Tom")
    page.say("/resume")
    page.say("/remember I like tea")
    assert "I like tea — it has been forgotten" in page.say("/forget last")
    assert page.kept() == []


def test_forget_last_while_writing_is_disabled_forgets_nothing(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    page.say("My dog is called Bruno")
    page.runtime.save_settings({"ltm_writes.enabled": False})
    page.say("My cat is called Tom")
    assert NOT_STORED in page.say("/forget last")
    assert page.kept() == ["My dog is called Bruno"]


def test_forget_last_twice_forgets_two_messages(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    for text in ("I like tea", "My dog is called Bruno", "My cat is called Tom"):
        page.say(text)
    page.say("/forget last")
    assert "My dog is called Bruno — it has been forgotten" in page.say("/forget last")
    assert page.kept() == ["I like tea"]


def test_words_of_the_message_just_said_forget_it_before_its_chat_is_saved(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    page.say("I like tea")
    page.rows.append((SECRET, "I see."))
    assert f"{SECRET} — it has been forgotten" in page.ask(f"/forget {WORD}")
    page.save()
    assert page.kept() == ["I like tea"]


def test_forget_last_after_wishes_in_plain_words_forgets_the_exchange_before(
    tmp_path: Path,
) -> None:
    page = OnePage(tmp_path)
    page.say("My dog is called Bruno")
    page.say("My PIN is one two three")
    page.say("forget that")
    page.say("please don't save this")
    shown = page.say("/forget last")
    assert "My PIN is one two three" in shown
    assert page.kept() == ["My dog is called Bruno"]


def test_forget_last_after_a_lone_wish_forgets_nothing(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    page.say("forget that")
    assert "nothing from this chat is stored" in page.say("/forget last")


def test_second_forget_last_forgets_the_note_of_the_message_before(tmp_path: Path) -> None:
    page = OnePage(tmp_path)
    for said in ("remember that my locker is 14", "sorry, 41", "thanks", "/forget last"):
        page.say(said)
    assert "my locker is 41 — they have been forgotten" in page.say("/forget last")
    assert page.kept() == ["note: my locker is 14", "remember that my locker is 14"]
