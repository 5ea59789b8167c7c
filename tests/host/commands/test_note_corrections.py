"""A note that the next message corrects is replaced, through the real hooks."""

import time

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.browse import about_user
from tests import builders
from tests.host.one_page import CHAT, MIRA, OnePage
from tests.host.plain_host import history_of, page_state

OTHER = "20261122-10-00-00"
ASKED = "remember that my locker is 14"


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def notes_in_prompts(page, chat=CHAT):
    return [note.text for note in page.memory.always_in_prompt(MIRA, chat)]


@pytest.mark.parametrize(
    ("asked", "said", "note"),
    [
        (ASKED, "sorry, 41", "my locker is 41"),
        ("/remember my locker is 14", "wait no 41", "my locker is 41"),
        ("记住我的柜子是14号", "不对，是41", "我的柜子是41号"),
    ],
)
def test_corrected_note_replaces_the_wrong_one_in_prompts(page, asked, said, note):
    page.say(asked)
    page.say(said)
    assert notes_in_prompts(page) == [note]
    page.restart()
    page.rows = []
    before_messages = page.ask("hello", OTHER).split("U: ")[0]
    assert note in before_messages
    assert "14" not in before_messages


OWED = ["i owe tom 50 euros", "i owe ana 50 euros"]


@pytest.mark.parametrize("asked", [OWED, OWED[::-1]])
def test_correction_changes_the_note_that_it_names(page, asked):
    for text in asked:
        page.say(f"remember that {text}")
    assert "It now says: i owe ana 60 euros" in page.say("Ana 60, not 50")
    assert set(notes_in_prompts(page)) == {"i owe tom 50 euros", "i owe ana 60 euros"}


def test_correction_that_names_no_earlier_note_changes_none(page):
    page.say("remember that i owe ana 50 euros")
    page.say("remember that i like tea")
    page.say("no, 60")
    assert set(notes_in_prompts(page)) == {"i owe ana 50 euros", "i like tea"}


def test_model_is_told_what_the_corrected_note_says_and_what_it_replaced(page):
    page.say(ASKED)
    prompt = page.say("sorry, 41")
    assert "It now says: my locker is 41" in prompt
    assert "marked as replaced: my locker is 14" in prompt
    assert "更正了一条笔记" in (page.say("记住我的柜子是14号"), page.say("不对，是41"))[1]


def test_wrong_note_and_both_messages_stay_stored(page):
    page.say(ASKED)
    page.say("sorry, 41")
    assert page.kept() == ["note: my locker is 14", "note: my locker is 41", ASKED, "sorry, 41"]


def test_wrong_note_holds_again_when_its_correction_is_forgotten(page):
    page.say(ASKED)
    page.say("sorry, 41")
    assert "my locker is 41 — they have been forgotten" in page.say("/forget last")
    assert notes_in_prompts(page) == ["my locker is 14"]
    assert page.kept() == ["note: my locker is 14", ASKED]


def test_note_can_be_corrected_twice(page):
    for said in (ASKED, "sorry, 41", "no wait, 44"):
        page.say(said)
    assert notes_in_prompts(page) == ["my locker is 44"]


def test_edited_correction_replaces_the_earlier_one(page):
    page.say(ASKED)
    page.say("sorry, 41")
    page.rows.pop()
    page.say("sorry, 44")
    assert notes_in_prompts(page) == ["my locker is 44"]


def test_regenerated_answer_corrects_the_note_once(page):
    page.say(ASKED)
    page.ask("sorry, 41")
    page.ask("sorry, 41")
    assert page.kept().count("note: my locker is 41") == 1


@pytest.mark.parametrize("said", ["41 is my number at work", "ok", "see you at 5", "sorry, 41?"])
def test_other_message_after_a_request_changes_no_note(page, said):
    page.say(ASKED)
    assert "note" not in page.say(said)
    assert notes_in_prompts(page) == ["my locker is 14"]


def test_correction_without_a_saved_note_is_an_ordinary_message(page):
    page.say("my locker is 14")
    assert page.say("sorry, 41").endswith("U: sorry, 41")
    page.rows = [(ASKED, "I see.")]  # said before the extension was installed
    assert page.say("sorry, 41", chat=OTHER).endswith("U: sorry, 41")
    assert notes_in_prompts(page) == []


def test_note_is_not_corrected_while_writing_is_paused(page):
    page.say(ASKED)
    page.hooks.command_executor.set_pause(
        MIRA, CHAT, page.runtime.pauses.get(MIRA, CHAT).__class__(is_writing_paused=True)
    )
    assert "my locker is 41 — it was not saved: writing is paused" in page.say("sorry, 41")
    assert notes_in_prompts(page) == ["my locker is 14"]


def test_correction_hours_later_changes_no_note(page):
    page.say(ASKED)
    history = history_of(*page.rows, stamp=page.stamp)
    history["metadata"]["user_1"] = {"timestamp": "Nov 20, 2026 12:00"}
    state = page_state(unique_id=CHAT, history=history)
    page.hooks.custom_generate_chat_prompt("no, 15", state, history=history)
    assert notes_in_prompts(page) == ["my locker is 14"]


def test_note_for_one_chat_is_corrected_in_that_chat(page):
    page.say("hello")
    page.say(f"{ASKED}, in this chat only")
    assert "It now says: my locker is 41" in page.say("sorry, 41")
    assert notes_in_prompts(page) == ["my locker is 41"]
    assert notes_in_prompts(page, OTHER) == []


@pytest.mark.parametrize("namespace", [MIRA, Namespace.shared("default")])
def test_correction_to_what_another_note_says_replaces_the_wrong_note(page, namespace):
    page.memory.add_note(namespace, "my locker is 41", kind=MemoryKind.KNOWLEDGE, pinned=False)
    page.say(ASKED)
    page.say("sorry, 41")
    assert set(notes_in_prompts(page)) == {"my locker is 41"}


def test_wrong_note_is_not_told_about_the_user(page):
    page.say(ASKED)
    page.say("sorry, 41")
    assert [note.text for note in about_user(page.memory, MIRA).notes] == ["my locker is 41"]


def test_message_that_asked_for_a_wrong_note_is_not_quoted_about_the_user(page):
    page.say("my brother tims birthday is on 14 march")
    assert about_user(page.memory, MIRA).said
    page.say("remember that my brother tims birthday is on 14 march")
    page.say("no its sam not tim")
    about = about_user(page.memory, MIRA)
    assert [note.text for note in about.notes] == ["my brother sams birthday is on 14 march"]
    assert not about.said


def test_what_a_wrong_note_said_is_quoted_if_it_is_said_again_later(page):
    page.say("remember that my brother lives in ulm")
    page.say("no, in bonn, not in ulm")
    assert not about_user(page.memory, MIRA).said
    moved = "my brother lives in ulm"
    page.memory.remember(MIRA, OTHER, builders.said(moved, ts=time.time() + 9e6))
    about = about_user(page.memory, MIRA)
    assert [quote.text for quotes in about.said.values() for quote in quotes] == [moved]


def test_branch_takes_along_the_corrected_note_alone(page):
    page.say("hello")
    page.say(f"{ASKED}, in this chat only")
    page.say("sorry, 41")
    page.say("thanks")
    page.say("go on", chat=OTHER)
    assert notes_in_prompts(page, OTHER) == ["my locker is 41"]


def test_wrong_note_is_not_recalled_even_for_a_question_in_the_past_tense(page):
    page.say(ASKED)
    page.say("sorry, 41")
    page.restart()
    page.rows = []
    prompt = page.ask("what was my locker number again", OTHER)
    assert prompt.count("locker is 14") == 1  # in the message itself, before its correction
    assert prompt.index("remember that my locker is 14") < prompt.index("sorry, 41")
    assert "until" not in prompt


def test_summary_of_a_session_quotes_no_bare_correction_of_a_note(tmp_path):
    page = OnePage(tmp_path, {"ltm_context": {}})
    for said in ("I walked to the lighthouse today.", ASKED, "sorry, its 41", "no wait, 44"):
        page.say(said)
    page.rows = []
    summary = page.ask("hello", OTHER)
    assert "lighthouse" in summary
    assert "sorry" not in summary
    assert "wait" not in summary


@pytest.mark.parametrize("asked", [ASKED, "/remember my locker is 14"])
def test_edited_request_replaces_its_note(page, asked):
    page.say("hello")
    page.say(asked)
    page.rows.pop()
    assert "It now says: my locker is 41" in page.say(asked.replace("14", "41"))
    assert notes_in_prompts(page) == ["my locker is 41"]


def test_edited_request_without_spaces_replaces_its_note(page):
    page.say("你好")
    page.say("记住我的柜子是14号")
    page.rows.pop()
    page.say("记住我的柜子是41号")
    assert notes_in_prompts(page) == ["我的柜子是41号"]


def test_edited_request_replaces_the_correction_that_was_removed_with_it(page):
    page.say(ASKED)
    page.say("sorry, 41")
    page.rows.clear()
    assert "marked as replaced: my locker is 41" in page.say("remember that my locker is 43")
    assert notes_in_prompts(page) == ["my locker is 43"]


def test_other_request_in_place_of_a_removed_one_leaves_its_note(page):
    page.say("hello")
    page.say(ASKED)
    page.rows.pop()
    assert "corrected" not in page.say("remember that my cat is called Tom")
    page.rows.pop()
    assert "corrected" not in page.say("remember that my dog is called Rex")
    known = ["my cat is called Tom", "my dog is called Rex", "my locker is 14"]
    assert sorted(notes_in_prompts(page)) == known


def test_request_in_the_place_of_one_that_moved_up_leaves_its_note(page):
    page.say("hello")
    page.say("remember that my cat is called Tom")
    page.rows.pop(0)
    page.say("remember that my dog is called Tom")
    assert sorted(notes_in_prompts(page)) == ["my cat is called Tom", "my dog is called Tom"]


def test_second_request_with_similar_words_leaves_the_first_note(page):
    page.say(ASKED)
    page.say("remember that my locker is 41")
    assert len(notes_in_prompts(page)) == 2


def test_list_of_memories_marks_the_wrong_note(page):
    page.say(ASKED)
    page.say("sorry, 41")
    listed = page.say("/memories locker").splitlines()
    assert any("my locker is 14 (replaced by a newer one) [" in line for line in listed)
    assert any("my locker is 41 [" in line for line in listed)
