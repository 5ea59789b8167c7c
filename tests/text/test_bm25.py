"""BM25 agrees with its formula."""

import math

import pytest

from memory_core.text.bm25 import Corpus, idf
from tests.cases import for_each


def test_the_idf_is_lucenes_over_ten_and_fifty_texts() -> None:
    assert idf(10, 3) == pytest.approx(math.log(1 + (60 - 3 + 0.5) / (3 + 0.5)))


def test_idf_of_an_unknown_word_is_that_of_a_word_in_one_text() -> None:
    assert idf(10, 0) == idf(10, 1)


def test_the_rarer_word_weighs_more() -> None:
    weights = [idf(10, held) for held in range(1, 11)]
    assert weights == sorted(set(weights), reverse=True)


@for_each("size", [1, 10, 100_000])
def test_a_word_of_one_text_weighs_one_in_any_corpus(size: int) -> None:
    corpus = Corpus(size=size, mean_length=4.0, document_frequency={"axolotl": 1})
    assert corpus.weight("axolotl") == corpus.weight("unheard of") == 1.0


def test_the_only_memory_so_far_does_not_make_its_words_common() -> None:
    corpus = Corpus(size=1, mean_length=4.0, document_frequency={"dog": 1})
    assert corpus.weight("dog") == 1.0
    assert Corpus(size=4, mean_length=4.0, document_frequency={"dog": 4}).weight("dog") > 0.5


def test_a_common_word_weighs_little() -> None:
    crowd = Corpus(size=100_000, mean_length=4.0, document_frequency={"day": 30_000})
    assert crowd.weight("day") < 0.11


def test_weight_of_a_word_in_all_texts_is_above_zero() -> None:
    assert idf(1000, 1000) > 0.0


def test_weight_in_an_empty_corpus_is_finite() -> None:
    assert Corpus(size=0, mean_length=0.0).weight("dog") == 1.0
