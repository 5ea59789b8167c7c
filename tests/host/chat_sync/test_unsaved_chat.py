"""Merged and queued states of chats that the host does not save."""

import errno
import os
from dataclasses import replace
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.admin.administration import destroy
from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.chat_sync.unsaved_chat import ShownChat, merge_exchanges
from tests.cases import for_each
from tests.fuzzing import examples
from tests.host.one_page import API_MIRA, SECRET, Client, OnePage

FAST = 40


@pytest.fixture
def page(tmp_path):
    return OnePage(tmp_path)


def exchange(text, answer="", ts=None):
    return Exchange(user=text, assistant=answer or f"About {text}", ts=ts)


def chat(*texts):
    return [exchange(text) for text in texts]


def test_merged_state_of_a_whole_history_is_the_newer_one():
    assert merge_exchanges(chat("a", "b"), chat("a", "b", "c")) == chat("a", "b", "c")
    assert merge_exchanges([], chat("a")) == chat("a")
    assert merge_exchanges(chat("a"), chat("a")) == chat("a")


def test_merged_state_keeps_the_time_that_only_the_older_one_knows():
    before, after = [exchange("a", ts=5.0)], [exchange("a"), exchange("b", ts=9.0)]
    assert [exchange.ts for exchange in merge_exchanges(before, after)] == [5.0, 9.0]


def test_merged_state_has_the_newer_answer_to_the_last_message():
    assert merge_exchanges(chat("a"), [exchange("a", "Another")]) == [exchange("a", "Another")]


def test_merged_state_of_a_client_that_sends_the_last_messages_has_the_earlier_ones_too():
    assert merge_exchanges(chat("a", "b", "c"), chat("b", "c", "d")) == chat("a", "b", "c", "d")


@for_each("newer", [chat("a", "c"), chat("x", "b"), chat("a"), []])
def test_states_are_not_merged_when_the_newer_one_lacks_something(newer):
    assert merge_exchanges(chat("a", "b"), newer) is None


def exchanges():
    sides = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))
    return st.lists(sides, max_size=5).map(lambda pairs: [exchange(*pair) for pair in pairs])


_numbers = count()


@settings(
    max_examples=examples(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(first=exchanges(), cut=st.integers(0, 4), start=st.integers(0, 4), rest=exchanges())
def test_merged_state_stores_the_same_as_both_states_in_turn(memory, first, cut, start, rest):
    second = [*first[start : len(first) - cut], *rest]
    both = merge_exchanges(first, second)
    if both is None:
        return
    left = []
    for states in ((first, second), (both,)):
        space = Namespace("ana", f"character {next(_numbers)}")
        for state in states:
            memory.reconcile(space, "monday", state, whole=False)
        found = memory.conversation(space, "monday", 99)
        left.append([(memory.exchange.user, memory.exchange.assistant) for memory in found])
    assert (
        set(left[0])
        <= set(left[1])
        <= {(exchange.user, exchange.assistant) for exchange in (*first, *second)}
    )
    if not start:  # else which of several equal exchanges a part of the chat begins with is open
        assert left[0] == left[1]


def test_messages_that_come_faster_than_they_are_written_wait_as_one_state(page):
    client = Client(page)
    client.say("message 0")
    for n in range(1, FAST):
        client.say(f"message {n}", run=False)
    assert page.runtime.count_waiting() == (1, 0)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == sorted(f"message {n}" for n in range(FAST))
    assert page.runtime.lost_count() == 0


def test_forget_last_means_the_previous_message_however_full_the_queue_is(page):
    client = Client(page)
    client.say("My cat is Tom")
    client.say("My cow is Rosa", run=False)
    client.say("/forget last", "Gone.", run=False)
    client.say("My dog is Rex", run=False)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My dog is Rex"]


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ESTALE])
def test_answered_message_with_an_unreadable_log_is_stored_later(page, monkeypatch, number):
    client = Client(page)
    client.say("My cat is Tom")
    client.say("My cow is Rosa", run=False)
    plain = os.stat

    def refused(path, *args, **kwargs):
        if str(path).endswith(".jsonl"):
            raise OSError(number, os.strerror(number), os.fspath(path))
        return plain(path, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", refused)
        page.runtime.run_pending()
        problems = " ".join(page.runtime.problems())
        assert "not remembered yet" in problems
        assert ".jsonl" in problems
        assert page.runtime.count_waiting() == (0, 1)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]
    assert (page.runtime.lost_count(), page.runtime.problems()) == (0, [])


def test_executed_command_is_not_repeated_when_it_cannot_be_recorded(page, monkeypatch):
    client = Client(page)
    for text in ("My cat is Tom", "My cow is Rosa", "My dog is Rex"):
        client.say(text)
    switches = page.runtime.pauses
    plain = switches.mark_executed

    def refused(*_):
        raise OSError(errno.EIO, "Input/output error", "switches.json")

    with monkeypatch.context() as patch:
        patch.setattr(switches, "mark_executed", refused)
        client.say("/forget last")
    assert switches.mark_executed == plain
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]


def test_state_lost_by_a_bug_is_reported_with_its_chat(page, monkeypatch):
    client = Client(page)
    client.say("My cat is Tom")

    def faulty(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(page.memory, "reconcile", faulty)
    client.say("My cow is Rosa", run=False)
    for _ in range(3):
        page.runtime.run_pending()
    assert page.runtime.lost_count() == 1
    problems = [
        problem
        for problem in page.runtime.problems()
        if "not kept so far: 1 in the chat" in problem
    ]
    assert problems
    assert API_MIRA.label in problems[0]


def test_answer_that_cannot_be_queued_still_reaches_the_chat(page, monkeypatch):
    def faulty(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr(page.runtime, "submit_state", faulty)
    Client(page).say("My cat is Tom")
    assert any("the output hook failed" in problem for problem in page.runtime.problems())


def test_message_sent_while_pauses_are_unreadable_is_stored_later(page):
    client = Client(page)
    client.say("My cat is Tom")
    path = API_MIRA.folder(page.memory.root) / "switches.json"
    path.write_text("damaged", encoding="utf-8")
    client.say("My cow is Rosa")
    problems = " ".join(page.runtime.problems())
    assert "went out without memories" in problems
    assert "not remembered yet" in problems
    assert page.kept(API_MIRA) == ["My cat is Tom"]
    path.unlink()
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]


def test_message_of_an_unnamed_chat_that_cannot_be_looked_up_is_stored_later(page, monkeypatch):
    client = Client(page)
    client.say("My cat is Tom")

    def refused(*_):
        raise StorageFailed("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(page.hooks.synchronizer, "conversation_of", refused)
        client.say("My cow is Rosa")
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]


def test_queued_message_of_a_destroyed_character_is_dropped(page):
    client = Client(page)
    client.say("My cat is Tom")
    client.say(SECRET, run=False)
    destroy(page.hooks, API_MIRA)
    page.runtime.run_pending()
    assert page.kept(API_MIRA) == []


def test_chat_is_stored_again_when_it_continues_after_a_destruction(page):
    client = Client(page)
    client.say("My cat is Tom", run=False)
    destroy(page.hooks, API_MIRA)
    client.say("My cow is Rosa")
    assert page.kept(API_MIRA) == ["My cat is Tom", "My cow is Rosa"]


def test_states_from_before_and_after_a_switch_of_remember_are_never_merged():
    state = ShownChat(namespace=API_MIRA, conversation="one", exchanges=chat("a"), sync=list)
    assert state.chat == replace(state, exchanges=chat("a", "b")).chat
    assert state.chat != replace(state, exchanges=chat("a", "b"), is_off=True).chat
