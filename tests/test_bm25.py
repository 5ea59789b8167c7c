"""BM25, held against the formula written out."""

import math

import pytest

from memory_core.bm25 import Corpus, idf, score

CORPUS = Corpus(size=10, mean_length=4.0)


def test_the_idf_is_lucenes_over_ten_and_fifty_texts() -> None:
    assert idf(CORPUS, 3) == pytest.approx(math.log(1 + (60 - 3 + 0.5) / (3 + 0.5)))


def test_a_term_that_nothing_holds_counts_as_held_once() -> None:
    assert idf(CORPUS, 0) == idf(CORPUS, 1)


def test_the_score_is_the_formula_divided_by_the_mass_of_the_query() -> None:
    weights = {"dog": 3.0, "beach": 2.0}
    text = ["dog", "likes", "dog", "food", "here", "now"]
    norm = 1.2 * (1 - 0.75 + 0.75 * 6 / 4.0)
    mass = max(5.0, 1.5 * idf(CORPUS, 1))
    assert score(text, weights, CORPUS) == pytest.approx(3.0 * 2 / (2 + norm) / mass)


@pytest.mark.parametrize("text", [["dog"] * 50, ["dog", "beach"], ["x"]])
def test_scores_lie_between_0_and_1(text: list[str]) -> None:
    assert 0.0 <= score(text, {"dog": 3.0, "beach": 3.0}, CORPUS) < 1.0


def test_the_rarer_word_counts_more() -> None:
    weights = {"dog": idf(CORPUS, 9), "axolotl": idf(CORPUS, 1)}
    assert score(["axolotl"], weights, CORPUS) > score(["dog"], weights, CORPUS)


def test_a_query_of_common_words_alone_scores_low() -> None:
    crowd = Corpus(size=100_000, mean_length=4.0)
    assert score(["day"], {"day": idf(crowd, 30_000)}, crowd) < 0.1


def test_nothing_asked_or_nothing_said_scores_nothing() -> None:
    assert score([], {"dog": 1.0}, CORPUS) == score(["dog"], {}, CORPUS) == 0.0


def test_an_empty_corpus_divides_by_nothing() -> None:
    assert score(["dog"], {"dog": 1.0}, Corpus(size=0, mean_length=0.0)) > 0.0
