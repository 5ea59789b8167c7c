"""

A name is removed as a whole word, with its possessive ending.
"""

from dataclasses import replace

from memory_core.domain.records import Exchange, Role, Turn
from memory_core.text.names import replace_macros, without_name
from tests.cases import for_each

SAID = Exchange(
    user="Who is {{user}}?",
    assistant="Hi {{user}}, <USER> or <user>, says {{char}} <BOT>.",
    user_name="Ana",
    assistant_name="Mira",
    channel="chat",
)


@for_each("channel", ["chat", "chat-instruct", "api-chat", "api-chat-instruct"])
def test_macros_in_an_answer_become_the_users_name_in_chat_modes(channel):
    shown = replace_macros(replace(SAID, channel=channel))
    assert shown.assistant == "Hi Ana, Ana or Ana, says {{char}} <BOT>."
    assert shown.user == SAID.user


@for_each("change", [{"channel": "instruct"}, {"channel": "plain"}, {"user_name": ""}])
def test_macros_stay_where_the_hosts_page_shows_them(change):
    said = replace(SAID, **change)
    assert replace_macros(said) is said


def test_an_exchange_without_macros_is_returned_as_the_same_object():
    said = replace(SAID, assistant="Hi Ana")
    assert replace_macros(said) is said


def test_macros_are_replaced_only_in_turns_of_the_assistant():
    turns = [Turn(role=role, text="{{user}}") for role in (Role.USER, Role.ASSISTANT, Role.TOOL)]
    shown = replace_macros(replace(SAID, assistant="Hi", turns=tuple(turns)))
    assert [turn.text for turn in shown.turns] == ["{{user}}", "Ana", "{{user}}"]


@for_each(
    ("text", "name", "rest"),
    [
        ("Ana moved to Lisbon.", "Ana", "moved to Lisbon."),
        ("The dog is ana's, not Anabel's.", "Ana", "The dog is , not Anabel's."),
        ("安娜搬到了里斯本", "安娜", "搬到了里斯本"),
        ("Ana", "Ana", "Ana"),
        ("Ana moved.", "", "Ana moved."),
    ],
)
def test_name_is_removed_as_a_whole_word_with_its_possessive(
    text: str, name: str, rest: str
) -> None:
    assert without_name(text, name) == rest
