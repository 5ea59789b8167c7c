"""The guard before writing, as a page and its chat files meet it."""

import json
import logging

import pytest

from memory_core.host.chat_sync.deletions import forget_chat, remove_chat
from memory_core.memory.held_inbox import HeldDecision, HeldInbox
from memory_core.memory.journal import EntryKind
from memory_core.storage.pauses import PauseState
from tests.host.one_page import CHAT, MIRA, OnePage

CARD = "4111 1111 1111 1111"
SAID = f"My card is {CARD}, the blue one"
MARKED = "My card is [card number removed], the blue one"


def page_with(folder, **guard):
    return OnePage(folder, {"guard": guard, "console_texts": True})


@pytest.fixture(autouse=True)
def _logs(caplog):
    caplog.set_level(logging.DEBUG)


def entries(page, kind):
    return [entry.count for entry in page.runtime.journal.latest(MIRA) if entry.kind is kind]


def test_guard_is_off_by_default(tmp_path):
    page = page_with(tmp_path)
    page.say(SAID)
    assert page.kept() == [SAID]
    assert page.runtime.memory.guard.counts() == {}


def test_redacted_message_is_stored_once_with_a_mark_and_stays_so(tmp_path, caplog):
    page = page_with(tmp_path, cards="redact")
    page.say(SAID)
    page.say("And now?")
    page.restart()
    page.say("Later")
    assert page.kept() == ["And now?", "Later", MARKED]
    assert CARD.encode() not in page.on_disk()
    assert CARD not in caplog.text
    assert "1 stored with a mark by the guard (card)" in caplog.text


def test_skipped_message_is_never_stored_and_reported_once(tmp_path, caplog):
    page = page_with(tmp_path, cards="skip")
    page.say(SAID)
    page.say("And now?")
    assert entries(page, EntryKind.SKIPPED) == [1]
    page.restart()
    page.say("Later")
    assert page.kept() == ["And now?", "Later"]
    assert CARD.encode() not in page.on_disk()
    assert caplog.text.count("1 left out by the guard (card)") == 1
    assert entries(page, EntryKind.SKIPPED) == []


def test_regenerated_answer_to_a_skipped_message_is_not_stored(tmp_path):
    page = page_with(tmp_path, cards="skip")
    page.say(SAID, "first answer")
    page.rows[0] = (SAID, "second answer")
    page.save()
    assert page.kept() == []


def test_private_part_of_the_answer_is_found_too(tmp_path):
    page = page_with(tmp_path, emails="redact")
    page.say("Who knows?", "Ask ana@example.org")
    assert b"ana@example.org" not in page.on_disk()
    assert b"[e-mail address removed]" in page.on_disk()


def test_message_edited_to_lose_its_private_part_is_stored(tmp_path):
    page = page_with(tmp_path, cards="skip")
    page.say(SAID)
    page.rows[0] = ("My card is blue", "I see.")
    page.save()
    assert page.kept() == ["My card is blue"]


def test_message_edited_to_gain_a_private_part_is_guarded(tmp_path):
    page = page_with(tmp_path, cards="redact")
    page.say("My card is blue")
    page.rows[0] = (SAID, "I see.")
    page.save()
    assert page.kept() == [MARKED]
    assert CARD.encode() not in page.on_disk()


@pytest.mark.parametrize("action", ["redact", "skip"])
def test_memory_stored_before_the_guard_was_set_stays_as_it_is(tmp_path, action):
    page = page_with(tmp_path)
    page.say(SAID)
    page.settings["guard"] = {"cards": action}
    page.restart()
    page.say("Later")
    page.say("In a branch", chat="20261122-10-00-00")
    assert page.kept() == ["In a branch", "Later", SAID]


@pytest.mark.parametrize(("action", "left"), [("redact", [MARKED]), ("skip", [])])
def test_stored_form_stays_when_the_guard_is_set_to_keep(tmp_path, action, left):
    page = page_with(tmp_path, cards=action)
    page.say(SAID)
    page.settings["guard"] = {}
    page.restart()
    page.say("Later")
    assert page.kept() == sorted(["Later", *left])
    assert CARD.encode() not in page.on_disk()


def test_forgotten_redacted_memory_does_not_come_back(tmp_path):
    page = page_with(tmp_path, cards="redact")
    page.say(SAID)
    found = page.memory.conversation(MIRA, "20261121-10-00-00", 9)
    page.runtime.forget(MIRA, [memory.id for memory in found])
    page.say("Later")
    page.settings["guard"] = {}
    page.restart()
    page.say("Later still")
    assert page.kept() == ["Later", "Later still"]


def test_memory_forgotten_before_the_guard_was_set_does_not_come_back_redacted(tmp_path):
    page = page_with(tmp_path)
    page.say(SAID)
    found = page.memory.conversation(MIRA, "20261121-10-00-00", 9)
    page.runtime.forget(MIRA, [memory.id for memory in found])
    page.settings["guard"] = {"cards": "redact"}
    page.restart()
    page.say("Later")
    assert page.kept() == ["Later"]


def test_message_from_a_writing_pause_stays_out_when_redaction_is_set(tmp_path):
    page = page_with(tmp_path)
    page.say("/pause")
    page.say(SAID)
    page.settings["guard"] = {"cards": "redact"}
    page.restart()
    page.say("Hush")
    page.say("/resume")
    page.say("After")
    assert page.kept() == ["After"]


def test_two_messages_with_one_redacted_form_are_both_left_out_by_a_pause(tmp_path):
    page = page_with(tmp_path, cards="redact")
    page.say("/pause")
    page.say("It is 4111 1111 1111 1111")
    page.say("It is 5500 0000 0000 0004")
    page.say("/resume")
    page.say("After")
    assert page.kept() == ["After"]


def test_shown_message_is_not_recalled_in_its_redacted_form(tmp_path):
    page = page_with(tmp_path, cards="redact")
    page.say(SAID)
    prompt = page.ask("Which card is the blue one?")
    assert "removed" not in json.dumps(prompt)
    assert SAID in json.dumps(prompt)


def test_redacted_message_is_recalled_in_another_chat(tmp_path):
    page = page_with(tmp_path, cards="redact")
    page.say(SAID)
    page.rows = []
    prompt = page.ask("Which card is the blue one?", chat="20261122-10-00-00")
    assert MARKED in json.dumps(prompt)


def test_command_to_remember_says_that_the_guard_skips_it(tmp_path):
    page = page_with(tmp_path, cards="skip")
    prompt = page.say(f"/remember {SAID}")
    assert "was not saved" in prompt
    assert "a card number (“Card numbers in new messages”)" in prompt
    assert page.kept() == []
    assert CARD.encode() not in page.on_disk()


def test_command_to_remember_keeps_the_redacted_note_once(tmp_path, caplog):
    page = page_with(tmp_path, cards="redact")
    page.say(f"/remember {SAID}")
    page.say(f"/remember {SAID} ")
    assert page.kept() == [f"note: {MARKED}"]
    assert CARD not in caplog.text


def waiting(page):
    return HeldInbox(page.memory, page.runtime.pauses).waiting(MIRA)


def decide(page, decision):
    HeldInbox(page.memory, page.runtime.pauses).decide(MIRA, waiting(page)[0].id, decision)


def held_files(page):
    paths = page.memory.root.rglob("*")
    return [file.name for file in paths if file.is_file() and CARD.encode() in file.read_bytes()]


def test_asked_message_waits_through_restarts_and_is_reported_once(tmp_path, caplog):
    page = page_with(tmp_path, cards="ask")
    page.say(SAID)
    page.say("And now?")
    assert entries(page, EntryKind.HELD) == [1]
    page.restart()
    page.say("Later")
    assert page.kept() == ["And now?", "Later"]
    assert held_files(page) == ["held.json"]
    assert caplog.text.count("1 held back for a review by the guard (card)") == 1
    assert CARD not in caplog.text
    assert entries(page, EntryKind.HELD) == []


def test_asked_message_is_recalled_only_once_it_is_approved(tmp_path):
    page = page_with(tmp_path, cards="ask")
    page.say(SAID)
    page.rows = []
    assert CARD not in str(page.ask("Which card do I have, the blue one?", chat="another"))
    decide(page, HeldDecision.APPROVE)
    page.runtime.run_pending()
    assert page.kept() == [SAID]
    assert CARD in str(page.ask("Which card do I have, the blue one?", chat="another"))


@pytest.mark.parametrize(
    ("decision", "left"), [("redact", [MARKED]), ("discard", []), ("approve", [SAID])]
)
def test_decision_of_the_review_holds_for_the_chat_from_then_on(tmp_path, decision, left):
    page = page_with(tmp_path, cards="ask")
    page.say(SAID)
    page.say("And now?")
    decide(page, HeldDecision(decision))
    page.say("Later")
    page.restart()
    page.say("At last")
    page.say("In a branch", chat="20261122-10-00-00")
    assert page.kept() == sorted(["And now?", "At last", "In a branch", "Later", *left])
    assert waiting(page) == []


def test_regenerated_answer_takes_the_place_of_the_one_that_waited(tmp_path):
    page = page_with(tmp_path, cards="ask")
    page.say(SAID, "first answer")
    page.rows[0] = (SAID, "second answer")
    page.save()
    (one,) = waiting(page)
    assert one.exchange.assistant == "second answer"
    assert page.kept() == []


def test_pause_keeps_messages_that_already_wait(tmp_path):
    page = page_with(tmp_path, cards="ask")
    page.say(SAID)
    page.runtime.pauses.set_pause(MIRA, CHAT, PauseState(is_writing_paused=True))
    page.say(f"Another card: {CARD}")
    page.runtime.pauses.set_pause(MIRA, CHAT, PauseState())
    page.say("Later")
    assert [one.exchange.user for one in waiting(page)] == [SAID]
    decide(page, HeldDecision.APPROVE)
    page.say("At last")
    assert page.kept() == ["At last", "Later", SAID]


def test_messages_of_a_deleted_chat_still_wait_for_a_decision(tmp_path):
    page = page_with(tmp_path, cards="ask")
    page.say(SAID)
    remove_chat(page.memory, MIRA, CHAT)
    assert [one.exchange.user for one in waiting(page)] == [SAID]
    forget_chat(page.memory, MIRA, CHAT)
    assert held_files(page) == []


def test_incognito_chat_holds_nothing(tmp_path):
    page = page_with(tmp_path, cards="ask")
    page.rows.append((SAID, "I see."))
    page.ask("And now?", chat="incognito")
    page.runtime.run_pending()
    assert held_files(page) == []
