"""Tests of the scoring reranker: order, no lost candidates, harmless faults."""

from collections.abc import Sequence

import pytest

from memory_core.domain.errors import RerankerUnavailable
from memory_core.domain.records import Memory, MemoryKind
from memory_core.providers.rerankers.base import Scores
from memory_core.providers.rerankers.http_endpoint import EndpointReranker
from memory_core.recall.query import Query
from memory_core.recall.rerank import RerankByModel, RerankResult
from memory_core.recall.results import Candidate
from tests.cases import for_each
from tests.loopback import Answer, hangs, says, says_json, serve
from tests.providers.rerankers.servers import counts_shared_words

QUERY = Query(text="my cat", names=("my",))


def candidate(text: str, score: float = 0.5) -> Candidate:
    memory = Memory(id=text[:20], kind=MemoryKind.KNOWLEDGE, text=text)
    return Candidate(memory=memory, score=score)


CANDIDATES = [candidate(text) for text in ("good", "fair cat", "poor", "cat cat")]


class Fixed:
    """Returns fixed scores and records the questions."""

    name = "fixed"

    def __init__(self, scores: Scores | RerankerUnavailable) -> None:
        self._scores = scores
        self.asked: list[tuple[str, list[str]]] = []

    def prepare(self) -> None:
        pass

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        self.asked.append((query, list(texts)))
        if isinstance(self._scores, RerankerUnavailable):
            raise self._scores
        return self._scores


def ordered(reranker: Fixed, *, max_candidates: int = 9) -> RerankResult:
    return RerankByModel(reranker, max_candidates=max_candidates, timeout_s=1).order(
        QUERY, CANDIDATES
    )


def texts(order: RerankResult) -> list[str]:
    return [candidate.memory.text for candidate in order.candidates]


def test_reranker_orders_all_by_its_scores() -> None:
    order = ordered(Fixed({0: -9.0, 1: 2.0, 2: -1.0, 3: 8.5}))
    assert texts(order) == ["cat cat", "fair cat", "poor", "good"]
    assert not order.fault


def test_candidates_without_a_new_score_follow_in_their_old_order() -> None:
    assert texts(ordered(Fixed({2: -5.0}))) == ["poor", "good", "fair cat", "cat cat"]


def test_equal_reranker_scores_keep_the_old_order() -> None:
    assert texts(ordered(Fixed(dict.fromkeys(range(4), 1.0)))) == [
        candidate.memory.text for candidate in CANDIDATES
    ]


def test_reranker_sees_only_the_first_candidates() -> None:
    reranker = Fixed({0: 0.1, 1: 0.2})
    assert texts(ordered(reranker, max_candidates=2)) == ["fair cat", "good", "poor", "cat cat"]
    assert reranker.asked == [("my cat", ["good", "fair cat"])]


def test_reranker_gets_long_texts_cut() -> None:
    reranker = Fixed({0: 1.0})
    many = [candidate("x" * 9999), candidate("y" * 9999)]
    RerankByModel(reranker, max_candidates=9, timeout_s=1).order(Query(text="q" * 9999), many)
    query, sent = reranker.asked[0]
    assert {len(query), *map(len, sent)} == {1000}


@for_each("few", [[], CANDIDATES[:1]], ids=["nobody", "one"])
def test_reranker_is_not_called_with_fewer_than_two_candidates(few: list[Candidate]) -> None:
    reranker = Fixed({})
    order = RerankByModel(reranker, max_candidates=9, timeout_s=1).order(QUERY, few)
    assert order.candidates == tuple(few)
    assert not reranker.asked


def test_unavailable_reranker_keeps_the_old_order_with_a_fault() -> None:
    order = ordered(Fixed(RerankerUnavailable("asleep")))
    assert order == RerankResult(candidates=tuple(CANDIDATES), fault="ordered by score: asleep")


def test_reranker_endpoint_brings_the_best_to_the_front() -> None:
    with serve(counts_shared_words) as server:
        reranker = EndpointReranker(base_url=server.url)
        order = RerankByModel(reranker, max_candidates=9, timeout_s=5).order(QUERY, CANDIDATES)
    assert texts(order) == ["cat cat", "fair cat", "good", "poor"]


@pytest.mark.parametrize(
    "broken",
    [says_json({}, status=500), hangs(), says("<html></html>"), says_json({"result": 1})],
    ids=["fails", "hangs", "a web page", "another API"],
)
def test_broken_reranker_endpoint_keeps_the_old_order_with_a_fault(broken: Answer) -> None:
    with serve(broken) as server:
        reranker = EndpointReranker(base_url=server.url)
        order = RerankByModel(reranker, max_candidates=9, timeout_s=0.5).order(QUERY, CANDIDATES)
    assert order.candidates == tuple(CANDIDATES)
    assert order.fault.startswith(f"ordered by score: {server.url}")
