"""Of versions of one fact the newest comes first."""

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
    return [it.memory.id for it in newest_first(candidates)]


def test_newer_version_that_answers_about_as_well_comes_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new) == [NEW, OLD]


def test_newer_version_that_answers_much_worse_stays_behind() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.4, days_ago=5)
    assert ordered(old, new) == [OLD, NEW]


def test_newer_memory_of_another_subject_stays_behind() -> None:
    other = candidate("Rain fell all day long", score=0.8, days_ago=5)
    assert ordered(candidate(OLD, score=1.0, days_ago=90), other)[0] == OLD


def test_later_words_of_one_sitting_are_no_newer_version() -> None:
    first = candidate(OLD, score=1.0, days_ago=5.0)
    assert ordered(first, candidate(NEW, score=0.8, days_ago=4.99)) == [OLD, NEW]


def test_weaker_version_does_not_pass_a_strong_one_by_way_of_a_middling_one() -> None:
    old, middling = (
        candidate(OLD, score=1.0, days_ago=90),
        candidate(NEW, score=0.75, days_ago=60),
    )
    weak = candidate(f"{NEW}, again", score=0.55, days_ago=5)
    assert ordered(old, middling, weak).index(OLD) < ordered(old, middling, weak).index(
        weak.memory.id
    )


def test_undated_memories_keep_their_order() -> None:
    memories = (Memory(id=it, kind=MemoryKind.KNOWLEDGE, text=it) for it in (OLD, NEW))
    assert ordered(*(Candidate(memory=it, score=1.0) for it in memories)) == [OLD, NEW]


def test_no_candidates_give_no_candidates() -> None:
    assert newest_first([]) == []
