"""Memories leave out the names that a model writes before the lines of its answer."""

from dataclasses import replace

from memory_core.domain.records import Exchange, Role, Turn
from memory_core.text.utterances import without_speaker_labels, without_speaker_names
from tests.cases import for_each

SAID = Exchange(
    user="Mira: who are you?",
    assistant="Mira: a\nMira: b",
    user_name="Ana",
    assistant_name="Mira",
    channel="chat",
)


@for_each(
    ("answer", "remembered"),
    [
        ("Mira: a\nMira: b", "a\nb"),
        ("Mira: Hi! Mira: How are you?", "Hi! How are you?"),
        ("Mira: a **Mira:** b\nMira: c", "a b\nc"),
        ("Mira: a Ana: b Mira: c", "a Ana: b Mira: c"),
        ("Hello.\nMira: And good evening.", "Hello.\nAnd good evening."),
        ("**Mira:** a\n**Mira**: b\n*Mira:* c\n__Mira__ : d", "a\nb\nc\nd"),
        ("Mira：你好", "你好"),
        ("Mira:\nHello.", "Hello."),
        ("Hello.\nAna: And what do you do?", "Hello."),
        ("Mira: Hello.\n\nAna: Hi!\nHow are you?", "Hello."),
        ("Hello.\nAna:", "Hello."),
    ],
)
def test_speaker_names_before_the_lines_of_an_answer_are_removed(answer, remembered):
    assert without_speaker_names(answer, "Mira", "Ana") == remembered


@for_each(
    "answer",
    [
        "My name is Mira: I told you so.",
        "One thing: Ana: no.",
        "Miranda: that is another name",
        "Ben: hello\nClara: hello",
        "Who brings what:\nAna: apples",
        "Ben: pears\nAna: apples",
        "See Mira://host and Mira:80",
        "Time: 10:30\nPlace: the harbour",
        "```yaml\nMira: 1\nAna: 2\n```",
        "Ana: only words of the other",
        "",
    ],
)
def test_ordinary_text_with_colons_stays_unchanged(answer):
    assert without_speaker_names(answer, "Mira", "Ana") == answer


def test_a_dialogue_keeps_the_names_that_tell_the_speakers_apart():
    dialogue = "Mira: a\nAna: b\nMira: c"
    assert without_speaker_names(dialogue, "Mira", "Ana") == "a\nAna: b\nMira: c"


def test_removing_names_again_changes_nothing():
    once = without_speaker_names("Mira: a\nMira: b\nAna: c", "Mira", "Ana")
    assert without_speaker_names(once, "Mira", "Ana") == once


def test_a_name_with_special_characters_is_matched_literally():
    assert without_speaker_names("M.r+a: x\nMira: y", "M.r+a", "") == "x\nMira: y"


@for_each("channel", ["chat", "chat-instruct", "api-chat", "api-chat-instruct"])
def test_an_exchange_of_a_chat_is_remembered_without_names(channel):
    found = without_speaker_labels(replace(SAID, channel=channel))
    assert found.assistant == "a\nb"
    assert found.user == SAID.user


@for_each("change", [{"channel": "instruct"}, {"channel": "plain"}, {"assistant_name": ""}])
def test_an_exchange_without_names_is_returned_as_the_same_object(change):
    said = replace(SAID, **change)
    assert without_speaker_labels(said) is said


def test_speaker_names_are_removed_from_the_turns_of_an_answer():
    turns = (Turn(role=Role.USER, text="Mira: no"), Turn(role=Role.ASSISTANT, text="Mira: yes"))
    found = without_speaker_labels(replace(SAID, turns=turns))
    assert [turn.text for turn in found.turns] == ["Mira: no", "yes"]
