"""Tests of the language mix of a message, with and without a history."""

import pytest

from memory_core.recall.language_mix import (
    UNKNOWN,
    _parts,
    certain_languages,
    language_mix,
    language_shares,
)
from tests.cases import for_each

GERMAN = "Gestern habe ich mit meiner Schwester über unseren Urlaub gesprochen."
ENGLISH = "Yesterday I talked with my sister about where we would go on holiday."
CHINESE = "昨天我和姐姐聊了我们今年夏天到底要去哪里度假的事情。"


@for_each(("text", "language"), [(GERMAN, "de"), (ENGLISH, "en"), (CHINESE, "zh")])
def test_long_message_keeps_its_language_whatever_the_history(text: str, language: str) -> None:
    for history in ({}, {"en": 1.0}, {"zh": 0.5, "de": 0.5}, {"ja": 1.0}):
        assert language_mix(text, history) == {language: 1.0}


def test_message_without_known_words_gets_the_historys_language() -> None:
    assert language_mix("Pizza Margherita", {"it": 1.0}) == {"it": 1.0}


def test_an_ambiguous_message_without_a_history_is_in_all_of_its_languages() -> None:
    mix = language_mix("Pizza Margherita", {})
    assert len(mix) > 2
    assert sum(mix.values()) == pytest.approx(1.0)


def test_short_message_is_half_in_the_historys_language() -> None:
    assert language_mix("in the end", {"de": 1.0}) == {"en": 0.5, "de": 0.5}


def test_a_short_message_without_kana_may_be_japanese_in_a_japanese_history() -> None:
    assert language_mix("東京", {"ja": 1.0}) == {"zh": 0.5, "ja": 0.5}


def test_a_short_message_in_a_script_that_the_history_lacks_is_in_its_own_language() -> None:
    assert language_mix("你好", {"en": 1.0}) == {"zh": 1.0}
    assert language_mix("안녕", {"en": 1.0}) == {"ko": 1.0}


def test_a_russian_looking_message_is_half_ukrainian_in_a_ukrainian_history() -> None:
    assert language_mix("Добре", {"uk": 1.0}) == {"ru": 0.5, "uk": 0.5}


def test_foreign_name_counts_by_the_size_of_its_letters() -> None:
    mix = language_mix(f"{ENGLISH} 小明", {})
    assert mix["en"] > 0.8
    assert mix["zh"] == pytest.approx(1 - mix["en"])


@for_each("text", ["", "123 !!", "🙂"])
def test_message_without_letters_gets_the_historys_languages(text: str) -> None:
    assert language_mix(text, {"de": 0.7, "en": 0.3}) == {"de": 0.7, "en": 0.3}
    assert language_mix(text, {}) == {}


def test_letters_of_no_known_language_are_unknown() -> None:
    assert language_mix("שלום", {"en": 1.0}) == {UNKNOWN: 1.0}


def test_language_mix_accepts_a_lone_surrogate() -> None:
    assert sum(language_mix("a \ud800 b", {}).values()) == pytest.approx(1.0)


def test_history_shares_count_only_long_texts() -> None:
    assert language_shares([GERMAN, "the end", "ok", "the", "what"]) == {"de": 1.0}
    assert language_shares(["ok", ""]) == {}


def test_a_language_of_few_texts_does_not_count_in_a_history() -> None:
    assert language_shares([GERMAN] * 30 + [ENGLISH]) == {"de": 1.0}
    assert language_shares([GERMAN, ENGLISH]) == {"de": 0.5, "en": 0.5}


def test_a_text_of_two_scripts_is_certainly_in_both() -> None:
    assert certain_languages(f"{ENGLISH} {CHINESE}") == ["en", "zh"]
    assert certain_languages("ok 你好") == []


def test_plain_letters_count_like_those_of_any_latin_text() -> None:
    plain, accented = "We went home, 3 times!", "Wé went home, 3 times!"
    sizes = [size for text in (plain, accented) for _, size in _parts(text)]
    assert sizes == [15, 16], "an accented letter has two bytes"
