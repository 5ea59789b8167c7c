"""The guard finds keys, cards, addresses and numbers, and leaves what only looks like them."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.domain.private_parts import PrivatePart
from memory_core.domain.records import Exchange
from memory_core.text.private_parts import find_parts, parts_of, redact_parts
from tests.cases import for_each
from tests.in_time import within

ALL = frozenset(PrivatePart)

PRIVATE = [
    ("sk-proj-abcDEF1234567890abcdef", PrivatePart.KEY),
    ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", PrivatePart.KEY),
    ("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", PrivatePart.KEY),
    ("4111 1111 1111 1111", PrivatePart.CARD),
    ("5500-0000-0000-0004", PrivatePart.CARD),
    ("378282246310005", PrivatePart.CARD),
    ("ana.maria+mail@mail.example.org", PrivatePart.EMAIL),
    ("jürgen.groß@example.de", PrivatePart.EMAIL),
    ("+351 912 345 678", PrivatePart.PHONE),
    ("(030) 123 456 78", PrivatePart.PHONE),
    ("0171/1234567", PrivatePart.PHONE),
    ("13812345678", PrivatePart.PHONE),
    ("555-867-5309", PrivatePart.PHONE),
]


@for_each(("written", "part"), PRIVATE)
@for_each(
    ("frame", "language"),
    [("Note this: {}, please.", "en"), ("Notiere dir {} bitte", "en"), ("请记住{}谢谢", "zh")],
)
def test_private_part_is_found_and_replaced_by_a_mark_in_the_language_of_the_text(
    written: str, part: PrivatePart, frame: str, language: str
) -> None:
    text = frame.format(written)
    assert find_parts(text) == {part}
    mark = {
        ("en", PrivatePart.KEY): "[key removed]",
        ("en", PrivatePart.CARD): "[card number removed]",
        ("en", PrivatePart.EMAIL): "[e-mail address removed]",
        ("en", PrivatePart.PHONE): "[phone number removed]",
        ("zh", PrivatePart.KEY): "[密钥已删除]",
        ("zh", PrivatePart.CARD): "[卡号已删除]",
        ("zh", PrivatePart.EMAIL): "[电子邮箱已删除]",
        ("zh", PrivatePart.PHONE): "[电话号码已删除]",
    }[language, part]
    assert redact_parts(text, ALL) == frame.format(mark)


@for_each(
    "plain",
    [
        "She was a ghostwriter, then took up skateboarding",
        "the Bearer documents of the skyscrapers",
        "from 1990-1995, and again 2001/2004",
        "On 2026-11-23 10 I paid 12.345.678 or 1 250 000",
        "pi is 3.14159265, the router 192.168.10.100",
        "born 23.11.1987, at 05:30, number 1234567890123",
        "3f2a9b7c-1d2e-4f60-8a1b-0c1d2e3f4a5b",
        "我在2023年换了手机之后每天都走很多路而且还在学习弹吉他和游泳还有用Python写程序",
        "me @ home",
    ],
)
def test_ordinary_words_and_numbers_are_no_private_parts(plain: str) -> None:
    assert find_parts(plain) == frozenset()
    assert redact_parts(plain, ALL) == plain


def test_only_the_chosen_parts_are_replaced() -> None:
    text = "Mail me at ana@example.org or call +351 912 345 678"
    expected = "Mail me at ana@example.org or call [phone number removed]"
    assert redact_parts(text, {PrivatePart.PHONE}) == expected


@given(
    st.lists(
        st.sampled_from([written for written, _ in PRIVATE] + ["a", "我", " ", "@", "12", "-"])
    )
)
def test_redacted_text_holds_nothing_to_redact_and_stays_as_it_is(pieces: list[str]) -> None:
    once = redact_parts("".join(pieces), ALL)
    assert find_parts(once) == frozenset()
    assert redact_parts(once, ALL) == once


@pytest.mark.parametrize("piece", ["a", "1", "a1-", "1 ", "a@", "+", "a.b"])
def test_search_of_a_long_hostile_text_ends_soon(piece: str) -> None:
    with within(15, time.process_time):
        find_parts(piece * (200_000 // len(piece)))


def test_redaction_of_a_long_table_of_numbers_ends_soon() -> None:
    table = "".join(f"{row}: +49 170 {1_000_000 + row}\n" for row in range(20_000))
    with within(15, time.process_time):
        assert redact_parts(table, ALL).count("[phone number removed]") == 20_000


def test_long_chat_is_searched_again_in_a_fraction_of_the_first_time() -> None:
    answer = "We walked 12 km along the river and had tea in the garden. " * 16
    chat = [Exchange(user=f"It is day {day}", assistant=f"{answer}{day}") for day in range(4_000)]
    started = time.process_time()
    assert not any(map(parts_of, chat))
    first_s = time.process_time() - started
    with within(first_s, time.process_time):
        assert not any(parts_of(exchange) for _ in range(8) for exchange in chat)
