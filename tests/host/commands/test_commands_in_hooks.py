"""Memory commands through the real hooks: executed once, confirmed truly, stored nowhere else."""

import json
import logging
import re

import pytest

from memory_core.domain.records import Exchange, MemoryKind
from memory_core.storage.contract import Page
from tests.host.one_page import MIRA, SECRET, OnePage
from tests.host.plain_host import history_of, page_state


@pytest.fixture
def page(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    return OnePage(tmp_path)


def test_remember_makes_a_note_and_tells_the_model(page):
    prompt = page.say("/remember that I am allergic to nuts")
    assert "/remember" not in prompt
    assert prompt.endswith("\n\nI am allergic to nuts")
    assert "The user asked to remember: I am allergic to nuts — it has been saved." in prompt
    assert page.kept() == ["note: I am allergic to nuts"]


def test_request_in_plain_words_makes_a_note_and_stays_a_message(page):
    prompt = page.say("Please remember that I am allergic to nuts.")
    assert prompt.endswith("\n\nPlease remember that I am allergic to nuts.")
    assert "it has been saved" in prompt
    notes = [
        note for note in page.memory.always_in_prompt(MIRA) if note.kind is MemoryKind.KNOWLEDGE
    ]
    assert [note.text for note in notes] == ["I am allergic to nuts."]
    assert "Please remember that I am allergic to nuts." in page.kept()


def test_chinese_command_gets_a_chinese_reply(page):
    prompt = page.say("请记住，我对花生过敏")
    assert "用户要求记住：我对花生过敏——已经记住。" in prompt
    assert "note: 我对花生过敏" in page.kept()
    assert "已经忘记" in page.say("/忘记 上一条")


@pytest.mark.parametrize(("said", "shown"), [("/help", "/forget last"), ("/帮助", "/忘记 上一条")])
def test_help_lists_the_commands_and_is_not_remembered(page, said, shown):
    prompt = page.say(said)
    assert shown in prompt
    assert said not in prompt.splitlines()
    assert page.kept() == []


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        (
            "/undo",
            "/undo, which is no command of the memory. Nothing was done, and this message "
            "will not be remembered. The nearest command is /forget last;",
        ),
        ("/撤销", "最接近的命令是 /忘记 上一条"),
        ("/ 不记录 我骗了小李", "用户输入了 / 不记录，但没有这个命令"),
    ],
)
def test_near_miss_of_a_command_is_answered_with_a_hint_and_not_remembered(page, said, shown):
    page.say("My cat is Tom")
    kept = page.kept()
    assert shown in page.say(said)
    assert page.kept() == kept


def test_note_that_the_guard_refuses_is_explained_in_the_language_of_the_command(
    tmp_path,
):
    page = OnePage(tmp_path, {"guard": {"phones": "skip"}})
    shown = page.say("/记住 我的电话是 13812345678")
    assert "而这段话里有类似电话号码的数字（“新消息中的电话号码”）。" in shown
    assert "the guard" not in shown


def test_forgotten_note_and_message_are_named_in_one_chinese_list(page):
    page.say("记住我对花生过敏")
    page.say("你好")
    assert re.search("记住我对花生过敏；.* 我对花生过敏", page.say("/忘记 花生"))


def test_slash_word_of_another_program_is_ordinary_text(page):
    assert page.say("/imagine a cat").endswith("/imagine a cat")
    assert "/imagine a cat" in page.kept()


def test_help_with_something_is_ordinary_text(page):
    prompt = page.say("/help me with my essay on bees")
    assert prompt.endswith("/help me with my essay on bees")
    assert "/help me with my essay on bees" in page.kept()


def test_reply_to_forget_says_how_long_it_can_be_undone(page):
    page.say("My cat is Tom")
    assert "For 10 minutes, the tab Long-term memory can bring it back" in page.say("/forget cat")


@pytest.mark.parametrize(("said", "day"), [("/memories", "some time ago"), ("/记忆", "以前")])
def test_list_says_in_its_language_that_a_memory_has_no_date(page, said, day):
    page.memory.remember(MIRA, "c", Exchange(user="Tea is fine.", assistant="Noted.", ts=None))
    assert f"1. {day} Tea is fine." in page.ask(said)


def test_question_do_you_remember_makes_no_note(page):
    page.say("Do you remember that I like tea?")
    assert page.kept() == ["Do you remember that I like tea?"]


def test_note_reaches_the_prompt_of_the_next_chat(page):
    page.say("/remember I am allergic to nuts")
    page.rows = []
    assert "I am allergic to nuts" in page.ask("Hello", "20261122-10-00-00")


def test_remember_is_executed_once_across_regenerate_continue_and_tool_turns(page):
    page.ask("/remember I like tea")
    page.ask("/remember I like tea")
    history = history_of(("/remember I like tea", "Sure, I"))
    for extra in ({"_continue": True}, {}):
        rows = history if extra else history_of()
        state = page_state(history=rows, _tool_turn=not extra)
        prompt = page.hooks.custom_generate_chat_prompt(
            "/remember I like tea", state, history=rows, **extra
        )
        assert "I like tea — it has been saved." in prompt
        assert "/remember" not in prompt
    assert page.kept() == ["note: I like tea"]


def test_remember_sent_twice_makes_one_note(page):
    page.say("/remember I like tea")
    assert "had been saved already" in page.say("/remember I like tea")
    assert page.kept() == ["note: I like tea"]


def test_earlier_commands_are_sentences_in_the_prompt(page):
    page.say("/remember I like tea")
    page.say("/off It is late")
    prompt = page.ask("Hello")
    assert "U: I like tea" in prompt
    assert "U: It is late" in prompt
    assert "/off" not in prompt


def test_commands_leave_the_hosts_history_unchanged(page):
    rows = history_of(("/off a secret", "hush"))
    state = page_state(history=rows)
    before = json.dumps([rows, state])
    page.hooks.custom_generate_chat_prompt("/remember tea is good", state, history=rows)
    assert json.dumps([rows, state]) == before


def test_unknown_slash_words_are_ordinary_text(page):
    assert page.say("/dance with me").endswith("U: /dance with me")
    assert page.kept() == ["/dance with me"]


def test_disabled_commands_stay_in_the_prompt_and_out_of_memory(tmp_path):
    page = OnePage(tmp_path, {"commands": {"enabled": False}})
    assert page.say(f"/off {SECRET}").endswith(f"U: /off {SECRET}")
    page.say("Please remember that I like tea")
    assert page.kept() == ["Please remember that I like tea"]


# Forgetting


@pytest.fixture
def stocked(page):
    for text in ("Helena keeps bees in Porto", "My cat is Tom", "Bees like lavender"):
        page.say(text)
    return page


def test_forget_by_words_forgets_the_single_match(stocked):
    prompt = stocked.say("/forget cat Tom")
    assert "My cat is Tom — it has been forgotten." in prompt
    assert stocked.kept() == ["Bees like lavender", "Helena keeps bees in Porto"]


def test_forget_by_words_lists_several_matches_and_keeps_them(stocked):
    prompt = stocked.say("/forget bees")
    assert "nothing was forgotten" in prompt
    assert "1. " in prompt
    assert "2. " in prompt
    assert len(stocked.kept()) == 3


def test_forget_by_number_forgets_that_entry_of_the_list(stocked):
    listed = stocked.say("/forget bees")
    second = next(line for line in listed.splitlines() if line.startswith("2. "))
    stocked.say("/forget 2")
    (forgotten,) = {"Bees like lavender", "Helena keeps bees in Porto"} - set(stocked.kept())
    assert forgotten in second
    assert len(stocked.kept()) == 2


@pytest.mark.parametrize("said", ["/forget #1", "/forget 1.", "/忘记 第1条"])
def test_forget_accepts_numbers_as_people_write_them(stocked, said):
    stocked.say("/memories cat")
    stocked.say(said)
    assert stocked.kept() == ["Bees like lavender", "Helena keeps bees in Porto"]


@pytest.mark.parametrize(("said", "left"), [("1 and 3", 1), ("#1 - #3", 0), ("1  to  3", 0)])
def test_forget_by_several_numbers_forgets_all_of_them(stocked, said, left):
    stocked.say("/memories")
    stocked.say(f"/forget {said}")
    assert stocked.kept() == ["My cat is Tom"][:left]


def test_forget_by_short_id_forgets_that_memory(stocked):
    (cat,) = stocked.memory.latest(MIRA, Page(limit=1, words=("cat",)))
    stocked.restart()
    assert "My cat is Tom — it has been forgotten" in stocked.say(f"/forget {cat.id[:8]}")
    assert len(stocked.kept()) == 2


def test_forget_by_number_without_a_list_forgets_nothing(stocked):
    assert "nothing matched" in stocked.say("/forget 2")
    assert len(stocked.kept()) == 3


def test_forget_without_a_match_says_that_nothing_was_forgotten(stocked):
    assert "nothing was forgotten" in stocked.say("/forget unicorns")
    assert "nothing was forgotten" in stocked.say("/forget")
    assert len(stocked.kept()) == 3


def test_forget_last_forgets_the_latest_message(stocked):
    assert "Bees like lavender — it has been forgotten" in stocked.say("/forget last")
    assert len(stocked.kept()) == 2
    assert "My cat is Tom — it has been forgotten" in stocked.say("/forget last")


@pytest.mark.parametrize(
    "said", ["it", "that", "this!", "that one, please", "what i just said", "previous message"]
)
def test_forget_it_or_that_forgets_the_latest_message(stocked, said):
    assert "Bees like lavender — it has been forgotten" in stocked.say(f"/forget {said}")
    assert len(stocked.kept()) == 2


@pytest.mark.parametrize("said", ["what i said about Tom", "everything about Tom", "Tom please"])
def test_forget_takes_the_subject_out_of_a_sentence(stocked, said):
    assert "My cat is Tom — it has been forgotten" in stocked.say(f"/forget {said}")


def test_forget_takes_a_range_of_the_list(stocked):
    stocked.say("/memories")
    assert "they have been forgotten" in stocked.say("/forget 1-2")
    assert len(stocked.kept()) == 1


@pytest.mark.parametrize(
    "said", ["everything", "everything about me", "all of it.", "last week", "May 4th"]
)
def test_forget_all_or_by_time_refers_to_the_tab(stocked, said):
    stocked.say("That is everything for now")
    prompt = stocked.say(f"/forget {said}")
    assert "nothing was forgotten" in prompt
    assert "in the tab Long-term memory" in prompt
    assert len(stocked.kept()) == 4


def test_forget_last_forgets_a_note_if_that_is_latest(stocked):
    stocked.say("/remember I like tea")
    stocked.say("/memories")
    assert "I like tea — it has been forgotten" in stocked.say("/forget last")
    assert len(stocked.kept()) == 3


def test_note_in_plain_words_is_forgotten_with_its_message(stocked):
    stocked.say("Remember that I drink green tea")
    stocked.say("/forget last")
    assert len(stocked.kept()) == 3
    stocked.say("Remember that I drink black tea")
    stocked.say("/forget black tea")
    assert len(stocked.kept()) == 3


def test_regenerated_forget_last_forgets_no_other_memory(stocked):
    stocked.ask("/forget last")
    assert "Bees like lavender — it has been forgotten" in stocked.ask("/forget last")
    stocked.restart()
    assert "was carried out when it was first sent" in stocked.ask("/forget last")
    assert len(stocked.kept()) == 2


def test_forget_last_in_an_empty_chat_forgets_nothing(stocked):
    stocked.rows = []
    prompt = stocked.ask("/forget last", "20261122-10-00-00")
    assert "nothing was forgotten" in prompt
    assert len(stocked.kept()) == 3


def test_traces_do_not_show_forgotten_memories(stocked):
    stocked.say("/forget cat Tom")
    stocked.memory.erase_all_forgotten(MIRA)
    assert "Tom" not in repr(stocked.runtime.traces.latest())
    assert b"My cat is Tom" not in stocked.on_disk()


def test_commands_and_their_answers_are_not_stored(stocked):
    for text in ("/memories", "/memories bees", "/forget unicorns", "/pause recall", "/resume"):
        stocked.say(text, "Here you are")
    assert len(stocked.kept()) == 3


# Looking


def test_memories_command_counts_all_and_lists_the_newest(stocked):
    prompt = stocked.say("/memories")
    assert "3 memories in all" in prompt
    assert "My cat is Tom" in prompt
    assert prompt.endswith("What do you remember?")


def test_memories_command_with_words_searches(stocked):
    prompt = stocked.ask("/memories bees")
    assert "2 of 3 memories contain these words" in prompt
    assert "none of 3 memories" in stocked.ask("/memories unicorns")


def test_memories_command_numbers_its_list_for_forget(stocked):
    listed = stocked.say("/memories cat")
    assert "1. " in listed
    stocked.say("/forget 1")
    assert "My cat is Tom" not in stocked.kept()


def test_memories_command_without_memories_says_so(page):
    assert "nothing yet" in page.ask("/memories")


# Recall for messages with commands


def test_request_to_remember_recalls_for_its_statement_alone(page):
    keys = Exchange(user="I never remember that my keys hang by the door", assistant="I will.")
    herbs = Exchange(user="My sister grows coriander on her balcony", assistant="Lovely.")
    for number, old in enumerate((keys, herbs)):
        page.memory.remember(MIRA, f"old-{number}", old)
    prompt = page.ask("Remember that coriander tastes of soap to me")
    assert "keys hang" not in prompt
    assert "on her balcony" in page.ask("Remember that. Where does my sister grow coriander?")


@pytest.mark.parametrize(
    ("said", "shown", "not_shown"),
    [
        ("/remember 誕生日六月", "asked to remember: 誕生日六月", "用户要求"),
        ("/forget 最後", "Please forget: 最後", "请忘掉"),
        ("/記憶 六月", "What do you remember about this: 六月", "关于这个"),
        ("/undo 最後", "The nearest command is /forget last", "最接近"),
    ],
)
def test_command_with_han_alone_is_answered_in_the_language_of_the_chat(
    page, said, shown, not_shown
):
    page.say("うちの猫はタマっていうんだ")
    prompt = page.say(said)
    assert shown in prompt
    assert not_shown not in prompt


def test_command_with_han_alone_is_answered_in_the_language_of_the_greeting(page):
    page.rows.append(("<|BEGIN-VISIBLE-CHAT|>", "こんにちは、今日はどうだった？"))
    assert "asked to remember: 誕生日六月" in page.say("/remember 誕生日六月")


def test_command_with_han_alone_is_answered_in_chinese_in_a_chinese_chat(page):
    page.say("我家的猫叫小黑")
    assert "用户要求记住：生日六月" in page.say("/remember 生日六月")
