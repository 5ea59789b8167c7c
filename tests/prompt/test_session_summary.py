"""Sittings and their summaries: nothing in a summary that nobody said."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.records import Memory, MemoryKind
from memory_core.prompt.session_summary import Session, group_into_sessions, summarise_session
from memory_core.text.sentences import sentences
from tests.builders import HOUR, NOW, said, user_sides

PAUSE = 4 * HOUR


def memory(text: str, *, at: float | None = NOW, talk: str = "talk", turn: int = 1) -> Memory:
    exchange = said(text, ts=at)
    return Memory(
        id=f"{talk}-{text}", kind=MemoryKind.EXCHANGE, text=text, ts=at,
        conversation=talk, turn_id=turn, exchange=exchange,
    )  # fmt: skip


def session(*texts: str) -> Session:
    return Session(memories=tuple(memory(text) for text in texts))


def grouped(memories: Sequence[Memory]) -> list[list[str]]:
    return [user_sides(it.memories) for it in group_into_sessions(memories, pause_s=PAUSE)]


def test_a_long_pause_ends_a_sitting() -> None:
    at = [NOW, NOW + PAUSE, NOW + 2 * PAUSE + 1]
    talk = [memory(text, at=it) for text, it in zip("abc", at, strict=True)]
    assert grouped(talk[::-1]) == [["c"], ["a", "b"]]


def test_conversations_are_sittings_of_their_own_the_latest_first() -> None:
    talk = [memory("a"), memory("b", at=NOW + 1, talk="other"), memory("c", at=NOW + 2)]
    assert grouped(talk) == [["b"], ["a", "c"]]


def test_exchanges_of_one_second_stand_in_their_order() -> None:
    talk = [memory("b", turn=2), memory("a", turn=1)]
    assert grouped(talk) == [["a", "b"]]


def test_an_exchange_put_between_two_of_one_minute_stands_between_them() -> None:
    places = {"a": 1.0, "c": 2.0, "b": 1.5}
    talk = [replace(memory(text), position=place) for text, place in places.items()]
    assert grouped(talk) == [["a", "b", "c"]]


def test_undated_memories_and_notes_belong_to_no_sitting() -> None:
    note = Memory(id="n", kind=MemoryKind.KNOWLEDGE, text="note", ts=NOW)
    assert grouped([note, memory("undated", at=None)]) == []


def test_a_summary_says_what_the_sitting_turned_on() -> None:
    talk = session(
        "Hello there my friend.",
        "My dog Bruno is ill. The weather is nice today.",
        "Bruno has eaten chocolate, the poor dog.",
        "Shall we talk about the vet and Bruno?",
    )
    assert summarise_session(talk, limit=60, tz=UTC) == (
        "(2026-09-21) Ana: Bruno has eaten chocolate, the poor dog."
    )


def test_chosen_sentences_stay_in_the_order_in_which_they_were_said() -> None:
    talk = session("We drive to the vet.", "My dog Bruno and my dog Fido are ill.")
    assert summarise_session(talk, limit=300, tz=UTC) == (
        "(2026-09-21) Ana: We drive to the vet. … My dog Bruno and my dog Fido are ill."
    )


TEXTS = st.lists(
    st.lists(
        st.sampled_from(["dog", "Bruno", "beach", "we", "drive", "vet", "蜜蜂很多", "ok"]),
        max_size=9,
    ).map(lambda words: " ".join(words) + "."),
    min_size=1,
    max_size=6,
)


@given(texts=TEXTS, limit=st.integers(0, 300))
def test_a_summary_holds_only_whole_sentences_of_its_sources_once_and_fits(
    texts: list[str], limit: int
) -> None:
    made = summarise_session(session(*texts), limit=limit, tz=UTC)
    assert len(made) <= limit
    spoken = list(dict.fromkeys(it for text in texts for it in sentences(text)))
    chosen = made.partition("Ana: ")[2].split(" … ") if made else []
    assert [it for it in spoken if it in chosen] == chosen


def test_the_same_sources_give_the_same_summary() -> None:
    talk = ["My dog Bruno is ill.", "We drive to the vet.", "The dog is well again."]
    assert summarise_session(session(*talk), limit=70) == summarise_session(
        session(*talk), limit=70
    )


@pytest.mark.parametrize("texts", [["ok"], ["", "yes."], ["what is it about?"]])
def test_where_nothing_was_said_there_is_no_summary(texts: list[str]) -> None:
    assert summarise_session(session(*texts), limit=300) == ""


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("Where does Bruno sleep?", "Ana asked: “Where does Bruno sleep?”"),
        ("where did I put Bruno", "Ana asked: “where did I put Bruno”"),
        ("我昨天把布鲁诺的玩具放在哪里了？", "Ana问：“我昨天把布鲁诺的玩具放在哪里了？”"),
        ("你还记得布鲁诺喜欢吃什么东西吗", "Ana问：“你还记得布鲁诺喜欢吃什么东西吗”"),
    ],
)
def test_who_only_asked_is_said_to_have_asked(asked: str, told: str) -> None:
    assert summarise_session(session(asked), limit=300, tz=UTC) == f"(2026-09-21) {told}"


def test_statements_are_preferred_to_questions_about_the_same() -> None:
    talk = session("Is Bruno the dog ill, my poor dog Bruno?", "The weather is nice today.")
    assert (
        summarise_session(talk, limit=300, tz=UTC) == "(2026-09-21) Ana: The weather is nice today."
    )


@pytest.mark.parametrize("text", ["When I was young we had bees.", "What a day it was for Bruno."])
def test_a_statement_that_begins_like_a_question_is_none(text: str) -> None:
    assert summarise_session(session(text), limit=300, tz=UTC) == f"(2026-09-21) Ana: {text}"


def test_of_a_sitting_without_a_word_of_the_user_the_answers_are_told() -> None:
    silent = said("", "Shall we go? She waits at the old mill.", ts=NOW)
    talk = Session(memories=(replace(memory("x"), exchange=silent),))
    assert (
        summarise_session(talk, limit=300, tz=UTC)
        == "(2026-09-21) Mira: She waits at the old mill."
    )


@pytest.mark.parametrize("texts", [("", ""), ("What about Bruno?",), ("Bruno {} is here {0}.",)])
@pytest.mark.parametrize("limit", range(0, 70, 7))
def test_a_summary_never_exceeds_its_limit_in_whatever_form(
    texts: tuple[str, ...], limit: int
) -> None:
    assert len(summarise_session(session(*texts), limit=limit, tz=UTC)) <= limit
