from dataclasses import replace

import pytest

from memory_core.domain.records import Exchange, Role, Turn
from memory_core.text.macros import replace_macros

SAID = Exchange(
    user="Who is {{user}}?",
    assistant="Hi {{user}}, <USER> or <user>, says {{char}} <BOT>.",
    user_name="Ana",
    assistant_name="Mira",
    channel="chat",
)


@pytest.mark.parametrize("channel", ["chat", "chat-instruct", "api-chat", "api-chat-instruct"])
def test_an_answer_has_the_users_name_where_the_page_shows_it(channel):
    shown = replace_macros(replace(SAID, channel=channel))
    assert shown.assistant == "Hi Ana, Ana or Ana, says {{char}} <BOT>."
    assert shown.user == SAID.user


@pytest.mark.parametrize(
    "change", [{"channel": "instruct"}, {"channel": "plain"}, {"user_name": ""}]
)
def test_where_the_page_shows_the_macro_it_stays(change):
    said = replace(SAID, **change)
    assert replace_macros(said) is said


def test_an_answer_without_a_macro_is_the_very_same():
    said = replace(SAID, assistant="Hi Ana")
    assert replace_macros(said) is said


def test_of_several_turns_only_the_answers_have_the_name():
    turns = [Turn(role=it, text="{{user}}") for it in (Role.USER, Role.ASSISTANT, Role.TOOL)]
    shown = replace_macros(replace(SAID, assistant="Hi", turns=tuple(turns)))
    assert [it.text for it in shown.turns] == ["{{user}}", "Ana", "{{user}}"]
