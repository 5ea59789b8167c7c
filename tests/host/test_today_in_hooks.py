"""The current session's date is in every prompt that may contain memories."""

import time

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.prompt.templates import weekday_and_date
from tests.host.plain_host import PlainHost, history_of, hooks_in, page_state

MIRA = Namespace("default", "Mira")
OLD = Exchange(user="I keep bees in Porto", assistant="Lovely!", ts=1_790_000_000.0)
DAY = 86_400.0


def hooks_with(tmp_path, *exchanges, **context):
    wanted = {"ltm_context": {"summary_sessions": 0, **context}}
    hooks = hooks_in(tmp_path / "home", PlainHost(tmp_path), wanted)
    for exchange in exchanges:
        hooks.runtime.memory.remember(MIRA, "old", exchange)
    return hooks


def ask(hooks, text, *pairs):
    history = history_of(*pairs)
    return hooks.custom_generate_chat_prompt(text, page_state(), history=history)


def day_of(ts):
    weekday, date = weekday_and_date(ts)
    return f"Today is {weekday}, {date}."


def tells_now(ask_it):
    """Allows a change of the date, since the test may run at midnight."""
    days = {day_of(time.time())}
    prompt = ask_it()
    days.add(day_of(time.time()))
    return any(day in prompt for day in days)


def test_today_is_shown_when_there_are_memories(tmp_path):
    hooks = hooks_with(tmp_path, OLD)
    assert tells_now(lambda: ask(hooks, "Good morning!"))


def test_today_is_not_shown_when_nothing_could_be_recalled(tmp_path):
    assert "Today is" not in ask(hooks_with(tmp_path), "Good morning!")


def test_today_is_not_shown_when_the_chat_shows_all_memories(tmp_path):
    hooks = hooks_with(tmp_path, OLD)
    assert "Today is" not in ask(hooks, "Good morning!", (OLD.user, OLD.assistant))


@pytest.mark.parametrize("setting", [{"tell_today": False}, {"system_block_max_tokens": 0}])
def test_today_is_not_shown_when_disabled(tmp_path, setting):
    assert "Today is" not in ask(hooks_with(tmp_path, OLD, **setting), "Good morning!")


def test_today_stays_the_day_on_which_the_session_began(tmp_path):
    hooks = hooks_with(tmp_path, OLD)
    ask(hooks, "Good morning!")
    thread = hooks.prompt_builder.conversation_states.get((MIRA, "20261121-10-00-00"))
    thread.session.started_at -= DAY
    assert day_of(thread.session.started_at) in ask(hooks, "And now?")
    thread.session.last_message_at -= DAY  # a pause
    assert tells_now(lambda: ask(hooks, "And today?"))
