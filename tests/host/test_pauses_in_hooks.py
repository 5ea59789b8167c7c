"""Pauses of a chat, and commands without a chat file or without permission to write."""

import json
import logging
import threading

import pytest

from memory_core.admin.administration import destroy
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.host.chat_sync import synchronizer
from memory_core.host.commands import executor
from memory_core.storage.log.event_log import EventLog
from tests.host.one_page import API_MIRA, CHAT, MIRA, SECRET, WORD, Client, OnePage
from tests.host.plain_host import history_of


@pytest.fixture
def page(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    return OnePage(tmp_path)


# Pauses


def test_message_during_a_writing_pause_is_never_stored(page):
    page.say("Before")
    assert "Writing is now paused in this chat" in page.say("/pause")
    page.say(SECRET, "hush")
    page.restart()
    page.say(f"{SECRET}, really", "hush again")
    assert "Writing has resumed" in page.say("/resume writing")
    page.say("After")
    assert page.kept() == ["After", "Before"]
    page.restart()
    page.say("Later")
    assert page.kept() == ["After", "Before", "Later"]
    assert WORD.encode() not in page.on_disk()


def test_message_sent_just_before_a_pause_is_stored(page):
    page.rows = [("Before", "I see.")]
    page.ask("/pause")
    assert page.kept() == ["Before"]


def test_regenerated_answer_from_a_pause_is_not_stored(page):
    page.say("/pause")
    page.say(SECRET, "first answer")
    page.say("/resume")
    page.rows[1] = (SECRET, "second answer")
    page.save()
    assert page.kept() == []


def test_branch_of_a_paused_chat_is_not_stored(page):
    page.say("/pause")
    page.say(SECRET)
    page.say("/resume")
    page.say("After", chat="20261122-10-00-00")
    assert page.kept() == ["After"]


def test_regenerated_answer_in_a_branch_of_a_paused_chat_is_not_stored(page):
    page.say("Before")
    page.say("/pause")
    page.say(SECRET, "first answer")
    page.say("/resume")
    page.rows = [*page.rows[:2], (SECRET, "second answer")]
    page.say("After", chat="20261122-10-00-00")
    assert page.kept() == ["After", "Before"]


def test_stored_message_stays_when_its_answer_is_regenerated_in_a_pause(page):
    page.say("Before", "first answer")
    page.say("/pause")
    page.rows[0] = ("Before", "second answer")
    page.save()
    page.say("/resume")
    page.say("After")
    assert page.kept() == ["After", "Before"]
    assert b"second answer" not in page.on_disk()


def test_pause_does_not_affect_other_chats(page):
    page.say("/pause")
    page.rows = []
    page.say("Elsewhere", chat="20261122-10-00-00")
    assert page.kept() == ["Elsewhere"]


def test_message_removed_in_the_pause_leaves_the_memory(page):
    page.say("Before")
    page.say("Oops")
    page.say("/pause")
    del page.rows[1]
    page.save()
    assert page.kept() == ["Before"]


def test_remember_command_stores_no_note_while_writing_is_paused(page):
    page.say("/pause")
    assert "it was not saved: writing is paused" in page.say("/remember I like tea")
    assert page.kept() == []


def test_recall_that_is_switched_off_is_named_in_the_trace(tmp_path):
    page = OnePage(tmp_path, {"recall": {"enabled": False}})
    page.say("What does Helena keep?")
    assert page.runtime.traces.latest()[0].skipped == "recall is switched off"


def test_paused_recall_adds_no_memories_until_it_is_resumed(page):
    page.memory.remember(MIRA, "old", Exchange(user="Helena keeps bees", assistant="Lovely"))
    page.memory.add_note(MIRA, "Ana likes tea", kind=MemoryKind.KNOWLEDGE, pinned=False)
    page.say("/pause recall")
    page.restart()
    prompt = page.say("What does Helena keep?")
    assert "bees" not in prompt
    assert "Ana likes tea" not in prompt
    assert page.runtime.traces.latest()[0].skipped == "recall is paused in this chat"
    assert "What does Helena keep?" in page.kept()
    page.say("/resume")
    assert "Helena keeps bees" in page.ask("What does Helena keep?")


@pytest.mark.parametrize("said", ["/pause both", "/暂停 全部"])
def test_recall_and_writing_can_be_paused_together(page, said):
    page.memory.remember(MIRA, "old", Exchange(user="Helena keeps bees", assistant="Lovely"))
    assert "/resume" in (told := page.say(said)) or "/恢复" in told
    assert "bees" not in page.say("What does Helena keep?")
    assert page.kept() == ["Helena keeps bees"]


# Where there is no file, and where nothing may be kept


def test_commands_work_over_the_api(page, caplog):
    client = Client(page)
    assert "it has been saved" in client.say("/remember I like tea")
    client.say("My cat is Tom")
    client.say(f"/off {SECRET}", f"A {WORD}!")
    client.say("Helena keeps bees")
    assert "2 memories" not in client.say("/memories")
    assert page.kept(API_MIRA) == ["Helena keeps bees", "My cat is Tom", "note: I like tea"]
    assert "Helena keeps bees — it has been forgotten" in client.say("/forget last")
    client.say("/pause")
    client.say("Not this")
    client.say("/resume")
    client.say("But this")
    assert page.kept(API_MIRA) == ["But this", "My cat is Tom", "note: I like tea"]
    assert WORD.encode() not in page.on_disk()
    assert WORD not in caplog.text


def test_new_api_chat_cannot_be_paused_and_says_so(page):
    client = Client(page)
    assert "cannot be paused" in client.say("/pause")
    client.say("Hello")
    assert page.kept(API_MIRA) == ["Hello"]


def test_incognito_chat_keeps_nothing_and_says_so(page):
    prompt = page.ask("/remember I like tea", "incognito-1")
    assert "nothing is stored" in prompt
    assert prompt.endswith("\n\nI like tea")
    assert page.memory.namespaces() == []


def test_remember_command_with_writing_disabled_is_refused(tmp_path):
    page = OnePage(tmp_path, {"ltm_writes": {"enabled": False}})
    assert "it was not saved: remembering is switched off" in page.ask("/remember I like tea")
    assert page.kept() == []


def test_command_on_a_locked_folder_is_reported_and_retried(page):
    held = EventLog(MIRA.folder(page.memory.root)).lock_for_writing()
    assert "could not be carried out at once" in page.ask("/remember I like tea")
    held.close()
    page.runtime.run_pending()
    assert page.kept() == ["note: I like tea"]
    page.ask("/remember I like tea")
    assert page.kept() == ["note: I like tea"]


def test_command_reply_is_true_with_background_threads(page):
    page.runtime.start()
    assert "it has been saved" in page.ask("/remember I like tea")
    assert page.kept() == ["note: I like tea"]


def test_busy_writer_does_not_delay_the_chat(page, monkeypatch):
    monkeypatch.setattr(executor, "MAX_WAIT_S", 0.05)
    page.runtime.start()
    begun, free = threading.Event(), threading.Event()

    def busy():
        begun.set()
        free.wait(10.0)

    page.runtime.submit(busy)
    assert begun.wait(10.0)
    assert "tried again as soon as possible" in page.ask("/remember I like tea")
    free.set()
    page.runtime.close()
    page.open()
    assert page.kept() == ["note: I like tea"]


def test_destroying_memories_removes_their_pauses(page):
    page.say("Hello")
    page.say("/pause")
    destroy(page.hooks, MIRA)
    assert not page.runtime.pauses.get(MIRA, CHAT)


def test_off_the_record_applies_to_chat_files_too(page):
    page.ask(f"/off {SECRET}")
    page.rows = [(f"/off {SECRET}", "hush"), ("Hello", "Hi")]
    path = page.folder / f"{CHAT}.json"
    path.write_text(json.dumps(history_of(*page.rows)), encoding="utf-8")
    now = [0.0]
    page.hooks.synchronizer._clock = lambda: now[0]
    page.hooks.synchronizer.poll()
    now[0] = synchronizer.QUIET_S
    page.hooks.synchronizer.poll()
    assert page.kept() == ["Hello"]
