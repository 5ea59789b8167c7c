"""What is said while Remember is off stays out of memory for good."""

import json
import logging

import pytest

from memory_core.admin.administration import destroy
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.textgen import host_chats_source
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from tests.host.one_page import API_MIRA, CHAT, MIRA, SECRET, WORD, Client, OnePage
from tests.host.plain_host import history_of, page_state
from tests.host.switched_page import (
    OFF,
    ON,
    crash,
    restart,
    say_at,
    stamp,
    switch,
    write_chat,
)

BRANCH = "20261122-10-00-00"


@pytest.fixture
def page(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    return OnePage(tmp_path)


def say_as_bob(page, text, chat):
    history = history_of(*page.rows)
    state = page_state(unique_id=chat, user_menu="Bob", history=history)
    page.hooks.custom_generate_chat_prompt(text, state, history=history)
    page.rows.append((text, "I see."))
    page.save(chat)


def test_message_said_while_off_is_not_stored_when_the_chat_goes_on(page):
    page.say("Before")
    switch(page, on=False)
    page.say(SECRET, "hush")
    assert page.kept() == ["Before"]
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After", "Before"]
    page.restart()
    page.say("Later")
    assert page.kept() == ["After", "Before", "Later"]
    assert WORD.encode() not in page.on_disk()


def test_message_said_just_before_the_switch_is_stored(page):
    page.ask("Before")
    page.rows.append(("Before", "I see."))
    write_chat(page, page.rows, [stamp(0)])
    switch(page, on=False)
    assert page.kept() == ["Before"]
    page.say(SECRET, "hush")
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After", "Before"]


def test_memories_from_before_are_recalled_while_off(page):
    page.say("Helena keeps bees", "Lovely")
    switch(page, on=False)
    page.rows = []
    assert "Helena keeps bees" in page.ask("What does Helena keep?", chat=BRANCH)


def test_off_period_survives_restarts_and_a_change_of_the_file_by_hand(page):
    restart(page, OFF)
    page.say(SECRET, "hush")
    page.restart()
    page.say(f"{SECRET}, really", "hush again")
    restart(page, ON)
    page.say("After")
    assert page.kept() == ["After"]
    assert WORD.encode() not in page.on_disk()


def test_memory_that_was_off_from_the_first_start_stores_only_what_follows(tmp_path):
    page = OnePage(tmp_path, OFF)
    page.say(SECRET, "hush")
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After"]


def test_message_whose_program_was_killed_before_the_answer_stays_out(page):
    restart(page, OFF)
    page.ask(SECRET)
    page.runtime.run_pending()
    crash(page, ON)
    page.rows = [(SECRET, "hush")]
    page.say("After")
    assert page.kept() == ["After"]


def test_answer_that_ends_after_the_switch_back_on_is_not_stored(page):
    switch(page, on=False)
    page.ask(SECRET)
    switch(page, on=True)
    page.rows.append((SECRET, "hush"))
    page.save()
    page.say("After")
    assert page.kept() == ["After"]


@pytest.mark.parametrize("said", [SECRET, "Another drawer"])
def test_changed_message_or_answer_stays_out(page, said):
    switch(page, on=False)
    page.say(SECRET, "first answer")
    page.rows[0] = (said, "second answer")
    write_chat(page, page.rows, [stamp(0)])
    page.hooks.synchronizer.sync_and_close()
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After"]


def test_answer_that_is_regenerated_after_the_switch_back_on_stays_out(page):
    switch(page, on=False)
    page.say(SECRET, "first answer")
    switch(page, on=True)
    page.rows[0] = (SECRET, "second answer")
    page.save()
    assert page.kept() == []


@pytest.mark.parametrize("moment", ["off", "on"])
def test_branch_of_the_chat_stays_out(page, moment):
    page.say("Before")
    switch(page, on=False)
    page.say(SECRET, "hush")
    if moment == "off":
        page.say("More", chat=BRANCH)
    switch(page, on=True)
    page.say("After", chat=BRANCH)
    assert page.kept() == ["After", "Before"]
    page.say("Later")
    assert page.kept() == ["After", "Before", "Later"]


def test_branch_that_is_made_while_off_leaves_stored_memories_alone(page):
    say_at(page, [stamp(0)], "Before", "I see.")
    switch(page, on=False)
    say_at(page, [stamp(0)] * 2, "More", "I see.", chat=BRANCH)
    switch(page, on=True)
    page.rows.pop()
    page.say("After")
    assert page.kept() == ["After", "Before"]
    before = Exchange(user="Before", assistant="I see.")
    assert page.runtime.pauses.without_excluded(MIRA, CHAT, [before]) == [before]


def test_stored_message_stays_when_its_answer_is_regenerated_while_off(page):
    page.say("Helena keeps bees", "Lovely")
    switch(page, on=False)
    page.rows[0] = ("Helena keeps bees", "How nice")
    write_chat(page, page.rows, [stamp(0)])
    page.hooks.synchronizer.sync_and_close()
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After", "Helena keeps bees"]
    assert b"How nice" not in page.on_disk()


def test_equal_messages_from_before_and_after_are_stored(page):
    times, answers = [stamp(minutes * 60) for minutes in (6, 5, 4, 3, 2, 1)], []
    for count, on in enumerate((True, True, False, True, True, True)):
        switch(page, on=on)
        said = "Meanwhile" if count == 3 else "Continue"
        answers += [f"answer {count}"] if on else []
        say_at(page, times[: count + 1], said, f"answer {count}")
    memories = page.memory.conversation(MIRA, CHAT, 99)
    assert [memory.exchange.assistant for memory in memories] == answers


def test_every_character_and_chat_is_covered(page):
    chats = [("Mira", CHAT), ("Mira", BRANCH), ("Nils", "20261123-10-00-00")]
    switch(page, on=False)
    for character, chat in chats:
        state = page_state(unique_id=chat, character_menu=character, history=history_of())
        page.hooks.custom_generate_chat_prompt(SECRET, state, history=history_of())
        page.rows = [(SECRET, "hush")]
        page.save(chat)
    switch(page, on=True)
    for character, chat in chats:
        history = history_of((SECRET, "hush"))
        state = page_state(unique_id=chat, character_menu=character, history=history)
        page.hooks.custom_generate_chat_prompt("After", state, history=history)
        page.rows = [(SECRET, "hush"), ("After", f"Hello, {chat}")]
        page.save(chat)
    assert page.kept() == ["After", "After"]
    assert page.kept(Namespace("default", "Nils")) == ["After"]


@pytest.mark.parametrize("command", ["", "/pause"])
def test_another_user_of_the_page_does_not_get_it_with_the_chat(page, command):
    switch(page, on=False)
    page.say(SECRET, "hush")
    switch(page, on=True)
    bob = Namespace("Bob", "Mira")
    for text in filter(None, (command, "After")):
        say_as_bob(page, text, CHAT)
    assert page.kept(bob) == ([] if command else ["After"])


def test_deleting_all_memories_does_not_let_it_in(page):
    page.say("Before")
    switch(page, on=False)
    page.say(SECRET, "hush")
    switch(page, on=True)
    destroy(page.hooks, MIRA)
    page.say("After")
    assert page.kept() == ["After", "Before"]
    assert WORD.encode() not in page.on_disk()


def test_chat_without_a_file_is_covered(page):
    client = Client(page)
    client.say("Before")
    switch(page, on=False)
    client.say(SECRET, "hush")
    switch(page, on=True)
    client.say("After")
    assert page.kept(API_MIRA) == ["After", "Before"]
    assert WORD.encode() not in page.on_disk()


def test_messages_of_a_chat_without_a_file_keep_the_switch_of_their_time(page):
    client = Client(page)
    client.say("Before", run=False)
    switch(page, on=False)
    client.say(SECRET, "hush", run=False)
    switch(page, on=True)
    client.say("After", run=False)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["After", "Before"]


def test_import_leaves_out_what_was_said_while_off(page):
    switch(page, on=False)
    page.say(SECRET, "hush")
    switch(page, on=True)
    folder = page.folder / "logs" / "chat" / "Mira"
    folder.mkdir(parents=True)
    rows = [(SECRET, "hush"), ("From long ago", "Yes")]
    (folder / f"{CHAT}.json").write_text(json.dumps(history_of(*rows)), encoding="utf-8")
    import_chats(page.memory, host_chats_source(page.host), pauses=page.runtime.pauses)
    assert page.kept() == ["From long ago"]


# What the host's times tell


def test_older_part_of_a_chat_is_stored_once_it_goes_on(tmp_path):
    page = OnePage(tmp_path, OFF)
    page.rows = [("From long ago", "Yes")]
    say_at(page, [stamp(90_000), stamp(0)], SECRET, "hush")
    assert page.kept() == []
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After", "From long ago"]


def test_message_that_the_program_never_saw_stays_out_after_a_crash(page):
    page.say("Before")
    restart(page, OFF)
    page.ask("/memories")
    page.hooks.synchronizer.poll()
    rows = [("Before", "I see."), (SECRET, "hush")]
    write_chat(page, rows, [page.stamp, stamp(0)])
    crash(page, OFF)
    page.rows = rows
    page.ask("/memories")
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After", "Before"]


# A change of the switch that takes a while


def test_message_said_after_the_switch_back_on_is_stored_while_another_file_is_written(page):
    page.ask("Elsewhere", chat=BRANCH)
    switch(page, on=False)
    (page.folder / f"{BRANCH}.json").write_text("{", encoding="utf-8")
    switch(page, on=True)
    say_at(page, [stamp(0)], "After", "I see.")
    assert page.kept() == ["After"]


def test_message_said_before_the_switch_is_stored_though_its_answer_comes_after(page):
    page.ask("Before")
    switch(page, on=False)
    page.rows = [("Before", "I see.")]
    write_chat(page, page.rows, [stamp(0)])
    page.hooks.synchronizer.sync_and_close()
    assert page.kept() == []
    switch(page, on=True)
    assert page.kept() == ["Before"]
    page.say("After")
    assert page.kept() == ["After", "Before"]


def test_answer_that_is_written_during_the_switch_is_stored_whole(page):
    page.ask("Before")
    page.host.generating = True
    write_chat(page, [("Before", "I")], [stamp(0)])
    page.hooks.synchronizer.sync_and_close()
    switch(page, on=False)
    page.host.generating = False
    write_chat(page, [("Before", "I see.")], [stamp(0)])
    page.hooks.synchronizer.sync_and_close()
    switch(page, on=True)
    memories = page.memory.conversation(MIRA, CHAT, 9)
    assert [memory.exchange.assistant for memory in memories] == ["I see."]


def test_message_said_after_the_switch_off_stays_out_while_another_file_is_written(page):
    page.ask("Elsewhere", chat=BRANCH)
    (page.folder / f"{BRANCH}.json").write_text("{", encoding="utf-8")
    switch(page, on=False)
    page.ask(SECRET)
    page.rows.append((SECRET, "hush"))
    write_chat(page, page.rows, [stamp(0)])
    page.hooks.off_periods.poll()
    assert page.kept() == []
    page.runtime.run_pending()
    switch(page, on=True)
    page.say("After")
    assert page.kept() == ["After"]
    assert WORD.encode() not in page.on_disk()


def test_switch_that_a_damaged_file_delays_is_completed_once_it_is_repaired(page):
    switch(page, on=False)
    page.say(SECRET, "hush")
    saved = MIRA.folder(page.memory.root) / "switches.json"
    content = saved.read_bytes()
    saved.write_bytes(b"{")
    page.rows.append((f"{SECRET}, too", "hush"))
    write_chat(page, page.rows, [stamp(0)] * 2)
    switch(page, on=True)
    page.runtime.run_pending()
    page.hooks.off_periods.poll()  # does not try again so soon: each attempt looks at all chats
    assert page.runtime.remember_switch.is_changing
    saved.write_bytes(content)
    page.runtime.reload_settings()
    page.runtime.run_pending()
    assert not page.runtime.remember_switch.is_changing
    page.say("After")
    assert page.kept() == ["After"]


def test_damaged_file_of_one_user_does_not_stop_another_user_of_the_page(page):
    switch(page, on=False)
    page.say(SECRET, "hush")
    switch(page, on=True)
    saved = MIRA.folder(page.memory.root) / "switches.json"
    content = saved.read_bytes()
    saved.write_bytes(b"{")
    page.restart()
    bob = Namespace("Bob", "Mira")
    secret_chat, page.rows = page.rows, []
    say_as_bob(page, "Hello", BRANCH)
    assert page.kept(bob) == ["Hello"]
    assert any(str(saved) in problem for problem in page.runtime.problems())
    saved.write_bytes(content)
    page.rows = secret_chat
    say_as_bob(page, "After", CHAT)
    assert page.kept(bob) == ["After", "Hello"]
