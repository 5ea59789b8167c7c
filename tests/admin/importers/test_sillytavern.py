"""SillyTavern's chats: a header and a message per line, in several ages of the format."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.admin.importers.foreign import OWNER, read, said, write_lines

HEADER = {"user_name": "Anon", "character_name": "Seraphina", "create_date": "2024-7-1@10h00m00s"}


def by_user(text: Any, **more: Any) -> dict[str, Any]:
    return {"name": "Anon", "is_user": True, "is_system": False, "mes": text} | more


def by_char(text: Any, **more: Any) -> dict[str, Any]:
    return {"name": "Seraphina", "is_user": False, "is_system": False, "mes": text} | more


def chat_at(path: Path, *rows: dict[str, Any], header: dict[str, Any] | None = HEADER) -> Path:
    return write_lines(path, [header, *rows] if header is not None else rows)


def test_a_chat_is_read_with_its_names(tmp_path: Path) -> None:
    path = chat_at(tmp_path / "Sera - 1.jsonl", by_user("hello"), by_char("welcome"))
    (chat,) = read(path)
    (exchange,) = chat.exchanges
    assert (exchange.user, exchange.assistant) == ("hello", "welcome")
    assert (exchange.user_name, exchange.assistant_name) == ("Anon", "Seraphina")
    assert (chat.namespace.user, chat.namespace.character) == (OWNER.user, "Seraphina")
    assert chat.conversation == "sillytavern-Sera - 1"


def test_reasoning_marks_are_looked_for_in_answers_alone(tmp_path: Path) -> None:
    path = chat_at(tmp_path / "a.jsonl", by_user("Why </think>?"), by_char("So </think>be it"))
    assert said(read(path)) == [("Why </think>?", "be it")]


def test_the_greeting_is_left_out_as_in_live_chats(tmp_path: Path) -> None:
    rows = [by_char("You wake up in a glade."), by_user("where am I?"), by_char("safe")]
    assert said(read(chat_at(tmp_path / "a.jsonl", *rows))) == [("where am I?", "safe")]


@pytest.mark.parametrize(
    ("date", "moment"),
    [
        (1_720_000_000_123, 1_720_000_000.123),
        ("1720000000123", 1_720_000_000.123),
        ("2024-07-03T09:46:40.123Z", 1_720_000_000.123),
        ("2024-07-03@11h46m40s123ms", datetime(2024, 7, 3, 11, 46, 40, 123_000).timestamp()),
        ("2024-7-3 @11h 46m 40s 123ms", datetime(2024, 7, 3, 11, 46, 40, 123_000).timestamp()),
        ("July 3, 2024 11:46am", datetime(2024, 7, 3, 11, 46).timestamp()),
    ],
)
def test_dates_of_every_age_are_read(tmp_path: Path, date: Any, moment: float) -> None:
    (chat,) = read(chat_at(tmp_path / "a.jsonl", by_user("hi", send_date=date), by_char("ho")))
    assert chat.exchanges[0].ts == pytest.approx(moment)
    assert chat.exchanges[0].metadata == {}


def test_without_dates_the_chats_begin_stands_in_and_is_marked(tmp_path: Path) -> None:
    (chat,) = read(chat_at(tmp_path / "a.jsonl", by_user("hi", send_date="soon"), by_char("ho")))
    assert chat.exchanges[0].ts == datetime(2024, 7, 1, 10).timestamp()
    assert chat.exchanges[0].metadata == {"date": "approximate"}


def test_shown_swipe_is_read(tmp_path: Path) -> None:
    shown = by_char("second", swipes=["first", "second"], swipe_id=1)
    unsaid = by_char(None, swipes=["third", "fourth"], swipe_id=1)
    wrong = by_char("", swipes=["x"], swipe_id=7)
    rows = [by_user("a"), shown, by_user("b"), unsaid, by_user("c"), wrong]
    pairs = [("a", "second"), ("b", "fourth"), ("c", "")]
    assert said(read(chat_at(tmp_path / "a.jsonl", *rows))) == pairs


def test_a_hidden_message_was_said_but_the_programs_own_were_not(tmp_path: Path) -> None:
    hidden = by_user("my name is Ana", is_system=True)
    comment = by_user("note to self", is_system=True, extra={"type": "comment"})
    rows = [hidden, comment, by_char("hello Ana", extra={"reasoning": "secret"})]
    assert said(read(chat_at(tmp_path / "a.jsonl", *rows))) == [("my name is Ana", "hello Ana")]


def test_texts_are_clean(tmp_path: Path) -> None:
    path = chat_at(tmp_path / "a.jsonl", by_user(" hi "), by_char("<think>hm</think>\nyes"))
    assert said(read(path)) == [("hi", "yes")]


@pytest.mark.parametrize("header", [None, {"user_name": "unused", "character_name": "unused"}])
def test_without_a_name_in_the_header_the_one_who_answers_is_the_character(
    tmp_path: Path, header: dict[str, Any] | None
) -> None:
    (chat,) = read(chat_at(tmp_path / "a.jsonl", by_user("hi"), by_char("ho"), header=header))
    assert chat.namespace.character == "Seraphina"


def test_group_chat_keeps_the_speakers_of_joined_answers(tmp_path: Path) -> None:
    header = {"chat_metadata": {}}
    rows = [by_user("who is there?"), by_char("me"), by_char("me too", name="Mira")]
    (chat,) = read(chat_at(tmp_path / "group.jsonl", *rows, header=header))
    assert said([chat]) == [("who is there?", "Seraphina: me\n\nMira: me too")]
    assert chat.namespace.character == OWNER.character
    assert [turn.name for turn in chat.exchanges[0].turns] == ["Anon", "Seraphina", "Mira"]


def test_a_folder_of_characters_is_read_without_its_backups(tmp_path: Path) -> None:
    for name in ("chats/Sera/one.jsonl", "chats/Sera/two.jsonl", "backups/chat_sera_1.jsonl"):
        chat_at(tmp_path / name, by_user(name), by_char("ok"))
    write_lines(tmp_path / "chats/Sera/log.jsonl", [{"level": "info"}])
    assert [chat.conversation for chat in read(tmp_path)] == ["sillytavern-one", "sillytavern-two"]


def test_a_chat_with_nothing_but_a_greeting_is_none(tmp_path: Path) -> None:
    assert read(chat_at(tmp_path / "a.jsonl", by_char("Welcome."))) == []


@pytest.mark.parametrize(
    ("mes", "pairs"),
    [
        (3.5, [("hi", ""), ("3.5", "ok")]),
        ({"message": "there"}, [("hi", ""), ("there", "ok")]),
        ([1], [("hi", "ok")]),
        (None, [("hi", "ok")]),
    ],
)
def test_a_message_of_another_shape_breaks_nothing(
    tmp_path: Path, mes: Any, pairs: list[tuple[str, str]]
) -> None:
    answer = by_char("ok", name=7, send_date=float("nan"), extra=[], swipes={}, swipe_id="1")
    path = chat_at(tmp_path / "a.jsonl", by_user("hi"), by_user(mes), answer)
    assert said(read(path)) == pairs
