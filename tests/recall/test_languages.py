"""Tests of measuring an embedder's languages with the shipped probes.

Tests of the language mix of a message, with and without a history.
"""

from collections.abc import Sequence

import numpy as np
import pytest

from memory_core.domain.errors import EmbedderUnavailable
from memory_core.providers.embedders.base import Vectors, unit
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.languages import (
    UNKNOWN,
    _parts,
    all_probes,
    certain_languages,
    language_mix,
    language_shares,
    measure_language,
    trust_from,
)
from memory_core.text.language import languages_of
from memory_core.text.search_terms import terms
from tests.cases import for_each
from tests.recall.languages import Constant, Linguist

LANGUAGES = sorted(all_probes())
WITHOUT_BLANKS = {"zh", "ja", "th"}


class Tied(FakeEmbedder):
    """Distinguishes only half of the subjects: each two probes have equal vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dim))
        rows[np.arange(len(texts)), np.arange(len(texts)) // 2] = 1.0
        return unit(rows)


def trust(embedder: FakeEmbedder, language: str) -> float:
    return trust_from(measure_language(embedder, language))


def test_probes_cover_all_languages_with_at_least_twenty_pairs_each() -> None:
    assert {"en", "zh", "de", "es", "fr", "ja", "ru", "pt", "it", "ko"} < set(LANGUAGES)
    assert {"pl", "nl", "tr", "ar", "hi", "uk", "el", "th", "vi"} < set(LANGUAGES)
    assert all(len(probes.pairs) >= 20 for probes in all_probes().values())


@for_each("language", LANGUAGES)
def test_probes_of_a_language_are_all_different_and_mostly_recognised(language: str) -> None:
    texts = [text for pair in all_probes()[language].pairs for text in pair]
    assert len(set(texts)) == len(texts)
    assert sum(language in languages_of(text) for text in texts) >= 0.7 * len(texts)


@for_each("language", sorted(set(LANGUAGES) - WITHOUT_BLANKS))
def test_probe_and_its_paraphrase_share_hardly_any_word(language: str) -> None:
    shared = [
        set(terms(first)) & set(terms(other)) for first, other in all_probes()[language].pairs
    ]
    assert sum(map(bool, shared)) <= 5
    assert max(map(len, shared)) <= 1


@for_each("language", LANGUAGES)
def test_embedder_that_knows_a_language_is_trusted_in_it(language: str) -> None:
    assert trust(Linguist(language), language) == 1.0


@for_each("language", LANGUAGES)
def test_embedder_that_only_compares_words_is_not_trusted(language: str) -> None:
    assert trust(FakeEmbedder(dim=1024), language) == 0.0


def test_embedder_of_one_language_is_trusted_in_no_other() -> None:
    english = Linguist("en")
    assert [code for code in LANGUAGES if trust(english, code) > 0.0] == ["en"]


def test_embedder_of_several_languages_is_trusted_in_each() -> None:
    several = Linguist("de", "ja", "zh")
    assert [code for code in LANGUAGES if trust(several, code) > 0.0] == ["de", "ja", "zh"]


def test_measure_of_identical_vectors_equals_chance() -> None:
    assert measure_language(Constant(dim=8), "en") == 0.5
    assert trust(Constant(dim=8), "en") == 0.0


def test_tie_between_paraphrases_counts_half() -> None:
    count = len(all_probes()["en"].pairs)
    assert count % 2 == 0
    expected = 1 - 0.5 / (count - 1)
    assert measure_language(Tied(dim=64), "en") == pytest.approx(expected)


def test_measure_of_zero_vectors_equals_chance() -> None:
    class Silent(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            return np.zeros((len(texts), self.dim), dtype=np.float32)

    assert measure_language(Silent(dim=8), "zh") == 0.5


def test_measure_language_raises_when_the_embedder_is_unavailable() -> None:
    away = Linguist("en")
    away.is_down = True
    with pytest.raises(EmbedderUnavailable):
        measure_language(away, "en")


def test_trust_grows_with_the_measured_share() -> None:
    shares = [0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]
    found = [trust_from(share) for share in shares]
    assert found == sorted(found)
    assert found[:2] == [0.0, 0.0]
    assert found[-1] == 1.0
    assert 0.0 < trust_from(0.8) < 1.0


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
