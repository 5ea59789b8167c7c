"""Tests of fact versions: the newest comes first."""

import pytest

from memory_core.domain.records import Memory, MemoryKind
from memory_core.recall.fact_versions import newest_first
from memory_core.recall.query import Query, local_time
from memory_core.recall.results import Candidate
from tests.builders import DAY, NOW, said

OLD = "My chess club meets on Wednesdays at the station"
NEW = "The chess club meets on Fridays now"


def candidate(text: str, *, score: float, days_ago: float) -> Candidate:
    exchange = said(text, ts=NOW - DAY * days_ago)
    memory = Memory(id=text, kind=MemoryKind.EXCHANGE, text=text, ts=exchange.ts, exchange=exchange)
    return Candidate(memory=memory, score=score)


def ordered(*candidates: Candidate, asked: str = "when does the chess club meet") -> list[str]:
    query = Query(text=asked, now=local_time(NOW))
    return [candidate.memory.id for candidate in newest_first(query, candidates)]


def test_newer_version_with_a_similar_score_comes_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new) == [NEW, OLD]


def test_newer_version_with_a_much_lower_score_stays_behind() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.3, days_ago=5)
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
        candidate(NEW, score=0.65, days_ago=60),
    )
    weak = candidate(f"{NEW}, again", score=0.45, days_ago=5)
    assert ordered(old, middling, weak).index(OLD) < ordered(old, middling, weak).index(
        weak.memory.id
    )


def test_newest_first_keeps_the_order_of_undated_memories() -> None:
    memories = (Memory(id=text, kind=MemoryKind.KNOWLEDGE, text=text) for text in (OLD, NEW))
    assert ordered(*(Candidate(memory=memory, score=1.0) for memory in memories)) == [OLD, NEW]


def test_newest_first_of_no_candidates_is_empty() -> None:
    assert ordered() == []


def test_version_without_a_word_of_change_needs_nearly_the_score_of_the_older_one() -> None:
    plain = "The chess club meets on Fridays at the station"
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(plain, score=0.8, days_ago=5)
    assert ordered(old, new) == [OLD, plain]


def test_question_about_the_present_prefers_a_change_that_scores_low() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.5, days_ago=5)
    assert ordered(old, new, asked="when does the club meet these days") == [NEW, OLD]
    assert ordered(old, new, asked="when does the club meet") == [OLD, NEW]


def test_question_about_the_past_keeps_the_older_version_first() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new, asked="when did the chess club meet before") == [OLD, NEW]


def test_question_about_a_date_keeps_the_order_of_the_scores() -> None:
    old, new = candidate(OLD, score=1.0, days_ago=90), candidate(NEW, score=0.8, days_ago=5)
    assert ordered(old, new, asked="what is on Wednesday") == [OLD, NEW]


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
    old, new = candidate(before, score=1.0, days_ago=90), candidate(after, score=0.7, days_ago=5)
    assert ordered(old, new, asked=asked) == [after, before]
