"""Tests of the scoring reranker: order, no lost candidates, harmless faults."""

from collections.abc import Sequence

import pytest

from memory_core.domain.errors import RerankerUnavailable
from memory_core.domain.records import Memory, MemoryKind
from memory_core.providers.rerankers.base import Scores
from memory_core.providers.rerankers.http_endpoint import EndpointReranker
from memory_core.recall.query import Query, local_time
from memory_core.recall.rerank import RerankByModel, RerankResult, newest_first
from memory_core.recall.results import Candidate
from tests.builders import DAY, NOW, said
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


def ordered(reranker: Fixed, *, most: int = 9) -> RerankResult:
    return RerankByModel(reranker, most=most, timeout_s=1).order(QUERY, CANDIDATES)


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
    assert texts(ordered(reranker, most=2)) == ["fair cat", "good", "poor", "cat cat"]
    assert reranker.asked == [("my cat", ["good", "fair cat"])]


def test_reranker_gets_long_texts_cut() -> None:
    reranker = Fixed({0: 1.0})
    many = [candidate("x" * 9999), candidate("y" * 9999)]
    RerankByModel(reranker, most=9, timeout_s=1).order(Query(text="q" * 9999), many)
    query, sent = reranker.asked[0]
    assert {len(query), *map(len, sent)} == {1000}


@pytest.mark.parametrize("few", [[], CANDIDATES[:1]], ids=["nobody", "one"])
def test_reranker_is_not_called_with_fewer_than_two_candidates(few: list[Candidate]) -> None:
    reranker = Fixed({})
    order = RerankByModel(reranker, most=9, timeout_s=1).order(QUERY, few)
    assert order.candidates == tuple(few)
    assert not reranker.asked


def test_unavailable_reranker_keeps_the_old_order_with_a_fault() -> None:
    order = ordered(Fixed(RerankerUnavailable("asleep")))
    assert order == RerankResult(candidates=tuple(CANDIDATES), fault="ordered by score: asleep")


def test_reranker_endpoint_brings_the_best_to_the_front() -> None:
    with serve(counts_shared_words) as server:
        reranker = EndpointReranker(base_url=server.url)
        order = RerankByModel(reranker, most=9, timeout_s=5).order(QUERY, CANDIDATES)
    assert texts(order) == ["cat cat", "fair cat", "good", "poor"]


@pytest.mark.parametrize(
    "broken",
    [says_json({}, status=500), hangs(), says("<html></html>"), says_json({"result": 1})],
    ids=["fails", "hangs", "a web page", "another API"],
)
def test_broken_reranker_endpoint_keeps_the_old_order_with_a_fault(broken: Answer) -> None:
    with serve(broken) as server:
        reranker = EndpointReranker(base_url=server.url)
        order = RerankByModel(reranker, most=9, timeout_s=0.5).order(QUERY, CANDIDATES)
    assert order.candidates == tuple(CANDIDATES)
    assert order.fault.startswith(f"ordered by score: {server.url}")


OLD = "My chess club meets on Wednesdays at the station"
NEW = "The chess club meets on Fridays now"


def version(text: str, *, score: float, days_ago: float) -> Candidate:
    exchange = said(text, ts=NOW - DAY * days_ago)
    memory = Memory(id=text, kind=MemoryKind.EXCHANGE, text=text, ts=exchange.ts, exchange=exchange)
    return Candidate(memory=memory, score=score)


def in_order(*candidates: Candidate, asked: str = "when does the chess club meet") -> list[str]:
    query = Query(text=asked, now=local_time(NOW))
    return [candidate.memory.id for candidate in newest_first(query, candidates)]


def test_newer_version_with_a_similar_score_comes_first() -> None:
    old, new = version(OLD, score=1.0, days_ago=90), version(NEW, score=0.8, days_ago=5)
    assert in_order(old, new) == [NEW, OLD]


def test_newer_version_with_a_much_lower_score_stays_behind() -> None:
    old, new = version(OLD, score=1.0, days_ago=90), version(NEW, score=0.3, days_ago=5)
    assert in_order(old, new) == [OLD, NEW]


def test_newer_memory_of_another_subject_does_not_pass_a_better_one() -> None:
    other = version("Rain fell all day long", score=0.8, days_ago=5)
    assert in_order(version(OLD, score=1.0, days_ago=90), other)[0] == OLD


def test_later_message_of_one_session_is_not_a_newer_version() -> None:
    first = version(OLD, score=1.0, days_ago=5.0)
    assert in_order(first, version(NEW, score=0.8, days_ago=4.99)) == [OLD, NEW]


def test_weak_version_does_not_pass_a_strong_one_via_a_middling_one() -> None:
    old, middling = (
        version(OLD, score=1.0, days_ago=90),
        version(NEW, score=0.65, days_ago=60),
    )
    weak = version(f"{NEW}, again", score=0.45, days_ago=5)
    assert in_order(old, middling, weak).index(OLD) < in_order(old, middling, weak).index(
        weak.memory.id
    )


def test_newest_first_keeps_the_order_of_undated_memories() -> None:
    memories = (Memory(id=text, kind=MemoryKind.KNOWLEDGE, text=text) for text in (OLD, NEW))
    assert in_order(*(Candidate(memory=memory, score=1.0) for memory in memories)) == [OLD, NEW]


def test_newest_first_of_no_candidates_is_empty() -> None:
    assert in_order() == []


def test_version_without_a_word_of_change_needs_nearly_the_score_of_the_older_one() -> None:
    plain = "The chess club meets on Fridays at the station"
    old, new = version(OLD, score=1.0, days_ago=90), version(plain, score=0.8, days_ago=5)
    assert in_order(old, new) == [OLD, plain]


def test_question_about_the_present_prefers_a_change_that_scores_low() -> None:
    old, new = version(OLD, score=1.0, days_ago=90), version(NEW, score=0.5, days_ago=5)
    assert in_order(old, new, asked="when does the club meet these days") == [NEW, OLD]
    assert in_order(old, new, asked="when does the club meet") == [OLD, NEW]


def test_question_about_the_past_keeps_the_older_version_first() -> None:
    old, new = version(OLD, score=1.0, days_ago=90), version(NEW, score=0.8, days_ago=5)
    assert in_order(old, new, asked="when did the chess club meet before") == [OLD, NEW]


def test_question_about_a_date_keeps_the_order_of_the_scores() -> None:
    old, new = version(OLD, score=1.0, days_ago=90), version(NEW, score=0.8, days_ago=5)
    assert in_order(old, new, asked="what is on Wednesday") == [OLD, NEW]


CHANGED = [
    ("Mein Chor probt mittwochs", "Der Chor probt jetzt freitags", "wann probt der Chor"),
    ("El coro ensaya los miércoles", "El coro pasa a los viernes, ya no los otros", "el coro"),
    ("Ma chorale répète le mercredi", "La chorale a été décalée au vendredi", "ma chorale"),
    ("Хор поёт по средам", "Хор перенесли на пятницу", "когда хор"),
    ("合唱团周三排练", "合唱团改到周五了", "合唱团几点"),
    ("合唱団は水曜に練習", "合唱団は金曜に変わった", "合唱団はいつ"),
]


@pytest.mark.parametrize(("before", "after", "asked"), CHANGED)
def test_change_passes_the_older_version_in_many_languages(
    before: str, after: str, asked: str
) -> None:
    old, new = version(before, score=1.0, days_ago=90), version(after, score=0.7, days_ago=5)
    assert in_order(old, new, asked=asked) == [after, before]
