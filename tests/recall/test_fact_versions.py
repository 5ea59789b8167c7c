"""Tests of fact versions: the newest comes first."""

from memory_core.domain.records import Memory, MemoryKind
from memory_core.recall.fact_versions import newest_first
from memory_core.recall.results import Candidate
from tests.builders import DAY, NOW, said

OLD = "My chess club meets on Wednesdays at the station"
NEW = "The chess club meets on Fridays now"


def candidate(text: str, *, score: float, days_ago: float) -> Candidate:
    exchange = said(text, ts=NOW - DAY * days_ago)
    memory = Memory(id=text, kind=MemoryKind.EXCHANGE, text=text, ts=exchange.ts, exchange=exchange)
    return Candidate(memory=memory, score=score)


def ordered(*candidates: Candidate) -> list[str]:
    return [candidate.memory.id for candidate in newest_first(candidates)]


def test_newer_version_with_a_similar_score_comes_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new) == [NEW, OLD]


def test_newer_version_with_a_much_lower_score_stays_behind() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.4, days_ago=5)
    assert ordered(old, new) == [OLD, NEW]


def test_newer_memory_of_another_subject_does_not_pass_a_better_one() -> None:
    other = candidate("Rain fell all day long", score=0.8, days_ago=5)
    assert ordered(candidate(OLD, score=1.0, days_ago=90), other)[0] == OLD


def test_later_message_of_one_session_is_not_a_newer_version() -> None:
    first = candidate(OLD, score=1.0, days_ago=5.0)
    assert ordered(first, candidate(NEW, score=0.8, days_ago=4.99)) == [OLD, NEW]


def test_weak_version_does_not_pass_a_strong_one_via_a_middling_one() -> None:
    old, middling = (
        candidate(OLD, score=1.0, days_ago=90),
        candidate(NEW, score=0.75, days_ago=60),
    )
    weak = candidate(f"{NEW}, again", score=0.55, days_ago=5)
    assert ordered(old, middling, weak).index(OLD) < ordered(old, middling, weak).index(
        weak.memory.id
    )


def test_newest_first_keeps_the_order_of_undated_memories() -> None:
    memories = (Memory(id=text, kind=MemoryKind.KNOWLEDGE, text=text) for text in (OLD, NEW))
    assert ordered(*(Candidate(memory=memory, score=1.0) for memory in memories)) == [OLD, NEW]


def test_newest_first_of_no_candidates_is_empty() -> None:
    assert newest_first([]) == []
