"""Tests of measuring an embedder's languages with the shipped probes."""

from collections.abc import Sequence

import numpy as np
import pytest

from memory_core.domain.errors import EmbedderUnavailable
from memory_core.providers.embedders.base import Vectors, unit
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.language_probes import all_probes, measure_language, trust_from
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
