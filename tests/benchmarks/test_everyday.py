"""Tests of everyday messages through the hooks: what they want comes, small talk gets nothing."""

from datetime import datetime

import pytest

from benchmarks.everyday import measured
from benchmarks.everyday_data import History, Probe
from memory_core.domain.records import Exchange

NOW = datetime(2026, 11, 27, 20).timestamp()
DAY_S = 86_400.0
TOLD = (
    "I will fly to Rome next Friday.",
    "My exam is on December 24th 2026.",
    "My favourite tea is jasmine.",
    "My daughter Lena is six years old.",
    "The wifi password of the cabin is bluebird.",
    "My boss Karen moved the team meeting to Thursdays.",
    "We adopted a grey cat, Pixel, from the shelter.",
    "My brother Tom lives in Leeds and drives a bus.",
    "The garden fence blew down in the storm.",
)
WANTS = {
    "when do I fly": 0,
    "What happens on December 24th 2026?": 1,
    "which tea should you make me": 2,
    "I need the password": 4,
    "Lena turns seven tomorrow!": 3,
    "Karen cancelled again": 5,
    "Pixel threw up on the rug again": 6,
    "Tom is visiting this weekend": 7,
    "the fence is up again": 8,
}
WANTS_NOTHING = ("ok thanks", "lol", "good night", "it's raining cats and dogs", "you're funny")


@pytest.mark.parametrize("in_one_chat", [False, True], ids=["alone", "in one chat"])
def test_everyday_messages_get_the_memory_that_they_want(in_one_chat: bool) -> None:
    asked = [_probe(text, "direct", place) for text, place in WANTS.items()]
    found = measured([_history(asked)], None, in_one_chat=in_one_chat)
    assert [one.probe.text for one in found if not one.is_delivered] == []


@pytest.mark.parametrize("in_one_chat", [False, True], ids=["alone", "in one chat"])
def test_small_talk_between_questions_gets_nothing(in_one_chat: bool) -> None:
    questions = [_probe(text, "direct", place) for text, place in WANTS.items()]
    small_talk = [_probe(text, "none_smalltalk") for text in WANTS_NOTHING]
    asked = [probe for pair in zip(questions, small_talk, strict=False) for probe in pair]
    found = measured([_history(asked)], None, in_one_chat=in_one_chat)
    assert [one.probe.text for one in found if not one.probe.wants and one.given] == []


def test_question_about_a_day_gets_only_memories_that_tell_of_it() -> None:
    asked = [
        _probe("have i anything on the 24th of december", "date", 1),
        _probe("have i anything on the 3rd of june", "none_date"),
    ]
    known, unknown = measured([_history(asked)], None, in_one_chat=False)
    assert known.is_delivered
    assert not unknown.given


def _probe(text: str, kind: str, *want: int) -> Probe:
    return Probe(text=text, kind=kind, want=frozenset(want), ok=frozenset())


def _history(asked: list[Probe]) -> History:
    return History(
        name="Sol",
        language="en",
        user="Ana",
        character="Sol",
        now=NOW,
        exchanges=[_said(text, days_ago=30 - 3 * place) for place, text in enumerate(TOLD)],
        chats=[f"chat{place // 3}" for place in range(len(TOLD))],
        probes=asked,
    )


def _said(text: str, *, days_ago: int) -> Exchange:
    return Exchange(
        user=text,
        assistant="I see.",
        user_name="Ana",
        assistant_name="Sol",
        ts=NOW - DAY_S * days_ago,
    )
