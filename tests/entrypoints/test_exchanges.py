from datetime import datetime

import pytest

from memory_core.entrypoints.exchanges import Cast, dated, exchanges
from memory_core.injection.window import GREETING, Row
from memory_core.records import Exchange, Role

CAST = Cast(user_name="Ana", assistant_name="Mira", channel="chat")


def test_a_greeting_is_no_exchange():
    rows = (Row(user=GREETING, assistant="Hello!"), Row(user="Hi", assistant="How are you?"))
    assert [(it.user, it.assistant) for it in exchanges(rows, CAST)] == [("Hi", "How are you?")]


def test_names_and_channel_come_from_the_chat():
    (found,) = exchanges((Row(user="Hi", assistant="Hello"),), CAST)
    assert (found.user_name, found.assistant_name, found.channel) == ("Ana", "Mira", "chat")


def test_the_hosts_local_stamp_becomes_seconds():
    row = Row(user="Hi", assistant="Hello", user_meta={"timestamp": "Nov 21, 2026 07:24"})
    assert exchanges((row,), CAST)[0].ts == datetime(2026, 11, 21, 7, 24).timestamp()


@pytest.mark.parametrize(
    "stamp", ["", "yesterday", "Nov 41, 2026 07:24", "Foo 1, 2026 07:24", None]
)
def test_an_unreadable_stamp_is_an_unknown_time(stamp):
    row = Row(user="Hi", assistant="Hello", user_meta={"timestamp": stamp})
    assert exchanges((row,), CAST)[0].ts is None


def test_only_the_last_exchange_without_a_time_is_dated_now():
    found = [Exchange(user="a", assistant="b"), Exchange(user="c", assistant="d")]
    assert [it.ts for it in dated(found, 5.0)] == [None, 5.0]


def test_reasoning_is_not_kept():
    row = Row(user="Hi", assistant="<think>what does she want?</think>\n\nHello!")
    assert exchanges((row,), CAST)[0].assistant == "Hello!"


def test_rows_without_a_user_belong_to_the_exchange_before():
    call = {"tool_calls": [{"id": "1"}]}
    rows = (
        Row(user="What is the weather?", assistant="", extra=("", call)),
        Row(user="", assistant="It rains.", extra=("{rain: true}", {"tool_call_id": "1"})),
        Row(user="Thanks", assistant="Welcome"),
    )
    first, second = exchanges(rows, CAST)
    assert (first.user, first.assistant) == ("What is the weather?", "It rains.")
    assert [turn.role for turn in first.turns] == [Role.USER, Role.ASSISTANT, Role.TOOL]
    assert second.turns == ()


def test_a_system_row_in_the_middle_is_nobodys_words():
    rows = (Row(user="Be brief.", assistant="", extra=("", {"role": "system"})),)
    assert exchanges(rows, CAST) == []
