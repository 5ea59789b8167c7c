"""BM25, held against the formula written out."""

import math

import pytest

from memory_core.bm25 import Corpus, idf, score

CORPUS = Corpus(size=10, mean_length=4.0)


def test_the_idf_is_lucenes_over_ten_and_fifty_texts() -> None:
    assert idf(CORPUS, 3) == pytest.approx(math.log(1 + (60 - 3 + 0.5) / (3 + 0.5)))


def test_a_term_that_nothing_holds_counts_as_held_once() -> None:
    assert idf(CORPUS, 0) == idf(CORPUS, 1)


def test_the_score_is_the_formula_in_units_of_one_rare_word() -> None:
    weights = {"dog": 3.0, "beach": 2.0}
    text = ["dog", "likes", "dog", "food", "here", "now"]
    norm = 1.2 * (1 - 0.75 + 0.75 * 6 / 4.0)
    assert score(text, weights, CORPUS) == pytest.approx(3.0 * 2 / (2 + norm) / idf(CORPUS, 1))


def test_a_rare_word_said_again_and_again_comes_near_to_one() -> None:
    text = ["axolotl"] * 50
    same_length = Corpus(size=10, mean_length=50.0)
    assert 0.97 < score(text, {"axolotl": idf(same_length, 1)}, same_length) < 1.0


def test_words_that_a_question_adds_do_not_make_its_matches_worth_less() -> None:
    short, long = {"dog": 3.0}, {"dog": 3.0, "zeppelin": 4.0, "harbour": 4.0}
    assert score(["dog"], short, CORPUS) == score(["dog"], long, CORPUS)


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
