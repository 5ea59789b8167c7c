"""Tests of sessions and their summaries, which only quote their sources."""

import re
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.records import Memory, MemoryKind
from memory_core.prompt.quoted_sentences import NO_QUOTES
from memory_core.prompt.session_extract import summarise_session, tells_something
from memory_core.recall.session_groups import Session, group_into_sessions
from memory_core.text.sentences import sentences
from tests.builders import HOUR, NOW, said, user_sides
from tests.cases import for_each

PAUSE = 4 * HOUR


def memory(text: str, *, ts: float | None = NOW, talk: str = "talk", turn: int = 1) -> Memory:
    exchange = said(text, ts=ts)
    return Memory(
        id=f"{talk}-{text}", kind=MemoryKind.EXCHANGE, text=text, ts=ts,
        conversation=talk, turn_id=turn, exchange=exchange,
    )  # fmt: skip


def session(*texts: str) -> Session:
    return Session(memories=tuple(memory(text) for text in texts))


def grouped(memories: Sequence[Memory]) -> list[list[str]]:
    return [user_sides(found.memories) for found in group_into_sessions(memories, pause_s=PAUSE)]


def test_long_pause_ends_a_session() -> None:
    times = [NOW, NOW + PAUSE, NOW + 2 * PAUSE + 1]
    talk = [memory(text, ts=ts) for text, ts in zip("abc", times, strict=True)]
    assert grouped(talk[::-1]) == [["c"], ["a", "b"]]


def test_each_conversation_has_its_own_sessions_latest_first() -> None:
    talk = [memory("a"), memory("b", ts=NOW + 1, talk="other"), memory("c", ts=NOW + 2)]
    assert grouped(talk) == [["b"], ["a", "c"]]


def test_exchanges_of_one_second_keep_their_order_in_a_session() -> None:
    talk = [memory("b", turn=2), memory("a", turn=1)]
    assert grouped(talk) == [["a", "b"]]


def test_inserted_exchange_keeps_its_position_within_a_minute() -> None:
    places = {"a": 1.0, "c": 2.0, "b": 1.5}
    talk = [replace(memory(text), position=place) for text, place in places.items()]
    assert grouped(talk) == [["a", "b", "c"]]


def test_undated_memories_and_notes_belong_to_no_session() -> None:
    note = Memory(id="n", kind=MemoryKind.KNOWLEDGE, text="note", ts=NOW)
    assert grouped([note, memory("undated", ts=None)]) == []


def test_summary_says_what_the_session_was_about() -> None:
    talk = session(
        "Hello there my friend.",
        "My dog Bruno is ill. The weather is nice today.",
        "Bruno has eaten chocolate, the poor dog.",
        "Shall we talk about the vet and Bruno?",
    )
    assert summarise_session(talk, limit=60) == (
        "(2026-09-21) Ana: Bruno has eaten chocolate, the poor dog."
    )


@for_each(
    "text",
    ["Good night, my friend!", "Buenas noches", "спокойной ночи", "晚上好呀！", "gute Nacht"],
)
def test_session_of_pleasantries_tells_nothing(text: str) -> None:
    assert not tells_something(session(text, "How was your day, Mira?"))
    assert tells_something(session(text, "下个月一号入职"))


def test_summary_keeps_sentences_in_their_order() -> None:
    talk = session("We drive to the vet.", "My dog Bruno and my dog Fido are ill.")
    assert summarise_session(talk, limit=300) == (
        "(2026-09-21) Ana: We drive to the vet. … My dog Bruno and my dog Fido are ill."
    )


def test_sentences_of_one_message_have_no_gap_between_them() -> None:
    talk = session("i met Tom. he bakes bread. Really? he has a dog", "we fly vom 5. bis 9. Mai")
    assert summarise_session(talk, limit=300) == (
        "(2026-09-21) Ana: i met Tom. he bakes bread. … he has a dog … we fly vom 5. bis 9. Mai"
    )


@for_each(
    "asked",
    [
        "whats milo into these days",
        "can u tell me a joke",
        "wo is da Schlüssel vom Haus",
        "where am i flying tomorrow",
        "what running shoes did i buy",
        "what food should i not eat",
        "小敏不能吃啥",
    ],
)
def test_questions_without_a_mark_are_no_statements_of_a_session(asked: str) -> None:
    talk = session(asked, "Guess who passed her exam")
    assert summarise_session(talk, limit=300) == ("(2026-09-21) Ana: Guess who passed her exam")


@for_each(
    "wish",
    [
        "Forget what I said about my neighbour Darren, please.",
        "Vergiss, was ich über Darren gesagt habe.",
        "忘掉我说的关于小李的事。",
    ],
)
def test_wish_to_forget_is_not_quoted(wish: str) -> None:
    told = "I moved to Porto in spring with my two dogs."
    made = summarise_session(session(f"{wish} {told}", wish), limit=300)
    assert told in made
    assert wish not in made
    assert not tells_something(session(wish))


@for_each(
    "message",
    [
        "what do you think of this text: my name is Roderick and I live in a castle. I am ill.",
        "pls read my friends poem\nI wandered lonely as a cloud. My heart is broken",
        "translate this to german: my name is Bob. I live in Ohio",
        "wie findest du diesen text: ich heiße Bob. ich wohne seit drei Jahren in Ulm",
        "qué te parece este correo: me llamo Bob. Vivo en Sevilla con mi perro Toby",
        "你觉得这首诗怎么样：我住在江边。我的心碎了",
    ],
)
def test_text_to_correct_or_to_judge_is_not_quoted(message: str) -> None:
    talk = session(message, "We drive to the vet.")
    assert summarise_session(talk, limit=300) == "(2026-09-21) Ana: We drive to the vet."


@for_each(
    "asked",
    [
        "switch to english pls",
        "hi luna can we speak english today",
        "sag mal auf deutsch",
        "en español porfa",
        "parle français",
        "说中文吧",
        "(ooc: brb phone)",
        "OOC: one sec, door bell",
        "summarize this file",
        "can you translate the attached pdf please",
        "fass die Datei kurz zusammen",
        "总结一下这个文件",
    ],
)
def test_request_for_a_language_or_aside_is_not_quoted(asked: str) -> None:
    assert not tells_something(session(asked))


@for_each(
    "told",
    [
        "I speak English and German.",
        "my teacher is english",
        "we talk english at home",
        "(ooc: i'm diabetic, btw)",
        "correct, I was born in Oban",
    ],
)
def test_statement_about_a_language_or_in_an_aside_is_quoted(told: str) -> None:
    assert tells_something(session(told))


@for_each(
    ("said", "told"),
    [
        (("my bday is june 11", "no 12"), "my bday is june 12"),
        (("my bday is june 11", "no 12", "no wait 13"), "my bday is june 13"),
        (("my cat is called milo", "*Mylo"), "my cat is called Mylo"),
        (("i work there on tuesdays", "thursdays i mean"), "i work there on thursdays"),
        (("我妈妈的生日是3月14日", "说错了，3月15日"), "我妈妈的生日是3月15日"),
    ],
)
def test_corrected_statement_is_quoted_as_corrected(said: tuple[str, ...], told: str) -> None:
    summary = summarise_session(session(*said, "we drive to the vet"), limit=300)
    assert told in summary
    assert said[0] not in summary


def test_greeting_of_the_character_is_no_statement() -> None:
    assert not tells_something(session("good evening mira"))
    assert tells_something(session("good evening mira, we drive to the vet"))


def test_request_to_remember_is_left_to_its_note() -> None:
    talk = session("记住：我妈的生日是农历八月十五", "今天我们去公园喂了很多鸭子和鸽子")
    assert summarise_session(talk, limit=300) == (
        "(2026-09-21) Ana：今天我们去公园喂了很多鸭子和鸽子"
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
def test_summary_has_distinct_source_sentences_within_its_limit(
    texts: list[str], limit: int
) -> None:
    summary = summarise_session(session(*texts), limit=limit)
    assert len(summary) <= limit
    spoken = list(dict.fromkeys(sentence for text in texts for sentence in sentences(text)))
    chosen = re.split("Ana(?:: |：)", summary)[1].split(" … ") if summary else []
    assert [sentence for sentence in spoken if sentence in chosen] == chosen


def test_summary_of_equal_sources_is_equal() -> None:
    talk = ["My dog Bruno is ill.", "We drive to the vet.", "The dog is well again."]
    assert summarise_session(session(*talk), limit=70) == summarise_session(
        session(*talk), limit=70
    )


@for_each("texts", [["ok"], ["", "yes."], ["what is it about?"]])
def test_summary_of_an_empty_session_is_empty(texts: list[str]) -> None:
    assert summarise_session(session(*texts), limit=300) == ""


@for_each(
    ("asked", "told"),
    [
        ("Where does Bruno sleep?", "Ana asked: “Where does Bruno sleep?”"),
        ("where did I put Bruno", "Ana asked: “where did I put Bruno”"),
        ("我昨天把布鲁诺的玩具放在哪里了？", "Ana问：“我昨天把布鲁诺的玩具放在哪里了？”"),
        ("你还记得布鲁诺喜欢吃什么东西吗", "Ana问：“你还记得布鲁诺喜欢吃什么东西吗”"),
    ],
)
def test_summary_of_questions_alone_says_that_the_user_asked(asked: str, told: str) -> None:
    assert summarise_session(session(asked), limit=300) == f"(2026-09-21) {told}"


def test_summary_prefers_statements_to_questions() -> None:
    talk = session("Is Bruno the dog ill, my poor dog Bruno?", "The weather is nice today.")
    assert summarise_session(talk, limit=300) == "(2026-09-21) Ana: The weather is nice today."


@for_each("text", ["When I was young we had bees.", "What a day it was for Bruno."])
def test_summary_keeps_a_statement_that_begins_like_a_question(text: str) -> None:
    assert summarise_session(session(text), limit=300) == f"(2026-09-21) Ana: {text}"


def test_summary_uses_answers_when_the_user_said_nothing() -> None:
    silent = said("", "Shall we go? She waits at the old mill.", ts=NOW)
    talk = Session(memories=(replace(memory("x"), exchange=silent),))
    assert summarise_session(talk, limit=300) == "(2026-09-21) Mira: She waits at the old mill."


@for_each(
    ("user", "assistant", "told"),
    [
        ("Where does Bruno sleep?", "", "the user asked: “Where does Bruno sleep?”"),
        ("我昨天把布鲁诺的玩具放在哪里了？", "", "用户问：“我昨天把布鲁诺的玩具放在哪里了？”"),
        (
            "Wo schläft denn der Hund Bruno?",
            "",
            "der Nutzer fragte: „Wo schläft denn der Hund Bruno?“",
        ),
        ("", "She waits at the old mill.", "the assistant: She waits at the old mill."),
    ],
)
def test_speakers_without_names_are_called_by_their_roles(
    user: str, assistant: str, told: str
) -> None:
    nameless = replace(said(user, assistant, ts=NOW), user_name="", assistant_name="")
    talk = Session(memories=(replace(memory("x"), exchange=nameless),))
    assert summarise_session(talk, limit=300) == f"(2026-09-21) {told}"


@for_each(
    ("stated", "told"),
    [
        ("My dog Bruno sleeps on my bed.", "the user: My dog Bruno sleeps on my bed."),
        ("我养了一只橘猫，叫馒头。", "用户：我养了一只橘猫，叫馒头。"),
        (
            "Ich habe einen Hund, der heißt Bruno.",
            "der Nutzer: Ich habe einen Hund, der heißt Bruno.",
        ),
        (
            "犬を飼っています。名前はブルーノです。",
            "ユーザー：犬を飼っています。 名前はブルーノです。",
        ),
    ],
)
def test_placeholder_name_gives_the_role_in_the_language_of_the_session(
    stated: str, told: str
) -> None:
    by_default = replace(said(stated, "", ts=NOW), user_name="You", assistant_name="AI")
    talk = Session(memories=(replace(memory("x"), exchange=by_default),))
    assert summarise_session(talk, limit=300) == f"(2026-09-21) {told}"


@for_each("texts", [("", ""), ("What about Bruno?",), ("Bruno {} is here {0}.",)])
@for_each("limit", range(0, 70, 7))
def test_summary_stays_within_its_limit_in_every_form(texts: tuple[str, ...], limit: int) -> None:
    assert len(summarise_session(session(*texts), limit=limit)) <= limit


def test_end_of_a_pasted_book_is_not_read() -> None:
    """Its sentences would be split and weighed again at each prompt."""
    filler = "x" * 20_000  # one sentence, too long to be quoted
    book = session(f"I keep bees near Graz.\n{filler}.\nRex is my dog.")
    assert "Rex" in summarise_session(session("I keep bees near Graz. Rex is my dog."), limit=240)
    summary = summarise_session(book, limit=240)
    assert "bees" in summary
    assert "Rex" not in summary
    assert not tells_something(session(f"Really?\n{filler}.\nRex is my dog."))


def test_summary_of_a_session_leaves_out_pasted_code() -> None:
    trace = 'File "/srv/app/views.py", line 12, in show\n    return render(page)\n'
    talk = session(
        f"My app crashes since the update.\n```\n{trace * 9}```",
        f"and with 3.12 as well\n{trace * 9}",
    )
    summary = summarise_session(talk, limit=240)
    assert summary == ("(2026-09-21) Ana: My app crashes since the update. … and with 3.12 as well")


@for_each("text", ["when am i going to lisbon", "why did i quit", "who did we meet in rome"])
def test_session_of_a_question_without_its_mark_tells_nothing(text: str) -> None:
    assert not tells_something(session(text))


def test_session_that_only_repeats_another_is_not_told_by_its_reactions() -> None:
    told = memory("I watched the telly all evening long.")
    assert told.exchange
    answer = "That sounds restful indeed."
    talk = Session(memories=(replace(told, exchange=replace(told.exchange, assistant=answer)),))
    quoted = NO_QUOTES.with_texts([told.text])
    assert summarise_session(talk, limit=240, quoted=quoted) == ""


@for_each(
    ("text", "told"),
    [
        ("maths went well! got a B", "maths went well! got a B"),
        ("Maths went well! haha. Bye!", "Maths went well!"),
        ("How was yours? got a B in maths", "got a B in maths"),
        ("To buy:\n- milk\n- rye\n- birthday candles", "To buy: - milk - rye … - birthday candles"),
        ("1. call plumber\n2. pay gas bill", "call plumber … pay gas bill"),
        ("우리 결국 헤어졌어. 결혼 취소됐어", "우리 결국 헤어졌어. 결혼 취소됐어"),
    ],
)
def test_very_short_sentence_stays_with_the_one_before(text: str, told: str) -> None:
    assert summarise_session(session(text), limit=240) == f"(2026-09-21) Ana: {told}"
