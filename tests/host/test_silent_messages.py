"""Messages without text and tool calls over the API, from the hooks to recall."""

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.host.chat_sync import synchronizer
from memory_core.storage.contract import Page
from memory_core.text.cleaning import GREETING_MARK
from tests.host.chat_sync.test_synchronizer import Chats
from tests.host.plain_host import PlainHost, api_state, history_of, hooks_in, page_state

API_MIRA = Namespace("api:ana", "Mira")
MIRA = Namespace("default", "Mira")
CALL = {"tool_calls": [{"id": "1", "function": {"name": "weather", "arguments": "{}"}}]}


@pytest.fixture
def hooks(tmp_path):
    settings = {"ltm_context": {"summary_sessions": 0}}
    return hooks_in(tmp_path / "home", PlainHost(tmp_path), settings)


def answered(hooks, message, answer, *rows, **state):
    """Makes one API call that sends these rows."""
    called = api_state(**state)
    history = {"internal": [list(row) for row in rows], "visible": []}
    hooks.custom_generate_chat_prompt(message, called, history=history)
    hooks.output_modifier(answer, called, is_chat=True)
    hooks.runtime.run_pending()
    return kept(hooks, API_MIRA)


def kept(hooks, namespace):
    memories = hooks.runtime.memory.latest(namespace, Page(limit=20))
    return [(memory.exchange.user, memory.exchange.assistant) for memory in reversed(memories)]


def test_final_answer_after_a_tool_is_stored_without_another_call(hooks):
    asked = ("Will it rain?", "", "", CALL)
    result = ("", "", '{"rain": true}', {"tool_call_id": "1"})
    assert answered(hooks, "Will it rain?", "") == [("Will it rain?", "")]
    assert answered(hooks, "", "Yes, it will.", asked, result) == [
        ("Will it rain?", "Yes, it will.")
    ]
    closing = ("", "Yes, it will.", "", {})
    assert answered(hooks, "Thanks", "Welcome", asked, result, closing) == [
        ("Will it rain?", "Yes, it will."), ("Thanks", "Welcome"),
    ]  # fmt: skip


def test_empty_api_message_is_stored_once_for_its_answer(hooks):
    first, second = ("Hi", "Hello", "", {}), ("", "She waits.", "", {})
    answered(hooks, "Hi", "Hello")
    assert answered(hooks, "", "She waits.", first) == [("Hi", "Hello"), ("", "She waits.")]
    assert answered(hooks, "And?", "She goes.", first, second) == [
        ("Hi", "Hello"), ("", "She waits."), ("And?", "She goes."),
    ]  # fmt: skip


def test_api_picture_without_text_is_stored_for_its_answer(hooks):
    assert answered(hooks, "<__media__>", "A red cat.") == [("", "A red cat.")]


def test_empty_message_without_an_answer_is_not_stored(hooks):
    assert answered(hooks, "<__media__>", "") == []


def test_continued_greeting_on_a_shared_page_is_not_stored(tmp_path):
    host = PlainHost(tmp_path, multi_user=True, user="ana")
    hooks = hooks_in(tmp_path / "home", host)
    state = page_state(unique_id=None)
    history = history_of((GREETING_MARK, "I am"))
    hooks.custom_generate_chat_prompt("", state, history=history, _continue=True)
    hooks.output_modifier("I am Mira.", state, is_chat=True)
    hooks.runtime.run_pending()
    assert kept(hooks, Namespace("ana", "Mira")) == []


def test_empty_message_of_a_saved_chat_is_stored_for_its_answer(tmp_path):
    chats = Chats(tmp_path)
    chats.save((GREETING_MARK, "Hello!"), ("", "She waits."), ("Hi", "Hello"), ("", "She nods."))
    assert chats.after(synchronizer.QUIET_S) == [
        ("", "She waits."), ("Hi", "Hello"), ("", "She nods."),
    ]  # fmt: skip


def test_continued_answer_to_an_empty_message_stays_one_memory(tmp_path):
    chats = Chats(tmp_path)
    chats.save(("Hi", "Hello"), ("", "She waits"))
    chats.after(synchronizer.QUIET_S)
    before = [memory.id for memory in chats.runtime.memory.conversation(MIRA, "talk", 9)]
    chats.now += 1
    chats.save(("Hi", "Hello"), ("", "She waits at the old mill."))
    assert chats.after(synchronizer.QUIET_S) == [
        ("Hi", "Hello"),
        ("", "She waits at the old mill."),
    ]
    assert [memory.id for memory in chats.runtime.memory.conversation(MIRA, "talk", 9)] == before


def test_answer_to_an_empty_message_is_recalled_as_a_line_not_as_a_turn(hooks):
    said = Exchange(user="", assistant="Helena keeps bees in Porto.", assistant_name="Mira", ts=1.0)
    hooks.runtime.memory.remember(MIRA, "old", said)
    hooks.runtime.memory.derive_pending(MIRA)
    prompt = hooks.custom_generate_chat_prompt(
        "What does Helena keep in Porto?", page_state(), history=history_of()
    )
    assert 'Mira: "Helena keeps bees in Porto."' in prompt
    (trace,) = hooks.runtime.traces.latest()
    assert {injected.form for injected in trace.injected} <= {"line", "system"}
