"""The contract of every scoring reranker, run over each that needs no network."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.config.model_settings import RerankerSettings
from memory_core.providers.plugins import custom_reranker
from memory_core.providers.rerankers.base import ScoringReranker
from memory_core.providers.rerankers.fastembed import CrossEncoderReranker
from memory_core.providers.rerankers.http_endpoint import EndpointReranker
from memory_core.providers.resilient import ResilientReranker
from tests.loopback import serve
from tests.providers.rerankers.servers import counts_shared_words
from tests.providers.rerankers.shared_words import VOCABULARY, best_first, shared
from tests.providers.rerankers.tiny_cross_encoder import write_tiny_cross_encoder

OWN = RerankerSettings(kind="tests.providers.rerankers.own_rerankers:Counting")
QUERY = "the cat sleeps"
TEXTS = ["the dog barks", "a dog", "The cat sleeps", "我 喜欢 猫", "the cat wakes the dog the cat"]


@pytest.fixture(params=["endpoint", "custom", "cooling", "cross-encoder"])
def reranker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ScoringReranker]:
    if request.param == "endpoint":
        with serve(counts_shared_words) as server:
            yield EndpointReranker(base_url=server.url, model="shared words")
    elif request.param == "custom":
        yield custom_reranker(OWN)
    elif request.param == "cooling":
        yield ResilientReranker(custom_reranker(OWN))
    else:
        write_tiny_cross_encoder(tmp_path, words=VOCABULARY)
        reranker = CrossEncoderReranker(
            cache_dir=tmp_path, allow_download=False, model_dir=tmp_path
        )
        reranker.prepare()
        yield reranker


def _scores(reranker: ScoringReranker, query: str, texts: list[str]) -> dict[int, float]:
    return dict(reranker.scores(query, texts, timeout_s=5))


def test_scores_are_the_models_by_index_of_their_text(
    reranker: ScoringReranker,
) -> None:
    expected = {index: shared(QUERY, text) for index, text in enumerate(TEXTS)}
    assert _scores(reranker, QUERY, TEXTS) == expected


def test_a_text_has_the_same_score_at_any_index(reranker: ScoringReranker) -> None:
    forward, backward = _scores(reranker, QUERY, TEXTS), _scores(reranker, QUERY, TEXTS[::-1])
    assert [forward[index] for index in range(5)] == [backward[4 - index] for index in range(5)]


def test_another_query_has_another_order(reranker: ScoringReranker) -> None:
    scores = _scores(reranker, "猫 我", TEXTS)
    assert max(scores, key=lambda index: scores[index]) == best_first("猫 我", TEXTS)[0] == 3


def test_dozens_of_texts_are_scored_at_once(reranker: ScoringReranker) -> None:
    texts = [" ".join(["cat"] * (index % 7) + ["dog"]) for index in range(70)]
    assert _scores(reranker, "cat", texts) == {index: index % 7 for index in range(70)}


def test_no_texts_have_no_scores(reranker: ScoringReranker) -> None:
    assert _scores(reranker, QUERY, []) == {}


@pytest.mark.parametrize(
    "odd", ["", " ", "a lone surrogate \ud800", "\x00", "\u2028", "dog " * 5000],
    ids=["empty", "blank", "surrogate", "nul", "line separator", "very long"],
)  # fmt: skip
def test_odd_texts_and_queries_are_scored(reranker: ScoringReranker, odd: str) -> None:
    scores = _scores(reranker, "the cat", [odd, "the cat"])
    assert scores[1] > scores[0]
    assert _scores(reranker, odd, ["the cat"]).keys() == {0}


def test_preparing_again_is_free(reranker: ScoringReranker) -> None:
    reranker.prepare()
    reranker.prepare()
    assert _scores(reranker, "cat", ["cat"]) == {0: 1}


def test_a_reranker_has_a_name(reranker: ScoringReranker) -> None:
    assert reranker.name
