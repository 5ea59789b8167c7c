"""Tests of standing facts: what somebody asks for meets their diet, tastes and fears."""

from memory_core.domain.records import Exchange
from memory_core.recall.query import Query, local_time
from memory_core.recall.standing_facts import STANDING, with_standing_facts
from memory_core.storage.contract import NO_FILTER, SearchFilter
from tests.builders import DAY, NOW, added, said
from tests.cases import for_each
from tests.storage.index.in_memory.store import InMemoryStore

MEETINGS = [
    ("cook something for our guests", "I'm allergic to peanuts", "the paint is still wet"),
    ("pour me a drink", "I don't drink coffee, only chai", "my coffee machine came today"),
    ("plane uns einen Ausflug", "ich habe Höhenangst", "der Zug hatte Verspätung"),
    ("qué puedo preparar para cenar", "mi hija es celíaca", "ayer cenamos en casa"),
    ("propose-moi un repas", "je suis végétarien", "on a repeint la cuisine"),
    ("посоветуй что приготовить на ужин", "у мужа аллергия на орехи", "вчера был дождь"),
    ("今晚吃什么好", "我对虾过敏", "今天下雨了"),
    ("夕飯の献立を考えて", "姪は卵アレルギーなんだ", "昨日は雨だった"),
    ("I'm hungry", "haven't touched meat in years", "the meat was cheap"),
    ("ich hab Hunger", "Erdnüsse? da bin ich hochallergisch", "es gab Nudeln"),
    ("movie night! your choice", "I can't do horror films", "the film was too long"),
    ("我饿了", "医生说我海鲜过敏", "昨天吃了面"),
    ("plan me a 5k for tomorrow", "my knee is bust, says the physio", "the 5k was lovely"),
    ("will laufen gehen", "hab einen Bandscheibenvorfall", "der Park ist schön"),
    ("推荐个运动", "膝盖有旧伤，半月板", "公园里人很多"),
]


def found(asked: str, *texts: str, only: SearchFilter = NO_FILTER) -> list[str]:
    """Returns the texts that are found by nothing but their field."""
    exchanges = [said(text, ts=NOW - DAY * age) for age, text in enumerate(texts, start=1)]
    query = Query(text=asked, now=local_time(NOW), names=("Ana", "Sol"))
    candidates = with_standing_facts([], stored(exchanges).fulltext, query, only)
    assert all(STANDING in candidate.parts for candidate in candidates)
    return [one.memory.exchange.user for one in candidates if one.memory.exchange]


def stored(exchanges: list[Exchange]) -> InMemoryStore:
    store = InMemoryStore()
    lines = [
        added(seq, exchange.user, exchange, log=f"log{seq}")
        for seq, exchange in enumerate(exchanges, start=1)
    ]
    store.apply(lines, {})
    return store


@for_each(("asked", "limit", "other"), MEETINGS)
def test_request_finds_the_standing_fact_that_limits_it(asked: str, limit: str, other: str) -> None:
    assert found(asked, other, limit) == [limit]


def test_limits_come_before_tastes() -> None:
    taste, limit = "I love noodle soup", "I'm allergic to peanuts"
    assert found("what should I cook", taste, limit) == [limit, taste]


def test_account_of_a_meal_finds_no_standing_facts() -> None:
    assert found("I cooked soup for my neighbours", "I'm allergic to peanuts") == []


def test_request_of_another_field_finds_no_diet() -> None:
    assert found("recommend a film", "I'm allergic to peanuts") == []


def test_standing_fact_outside_the_filter_is_not_found() -> None:
    only = SearchFilter(until=NOW - DAY * 100)
    assert found("what should I cook", "I'm allergic to peanuts", only=only) == []


def test_only_the_latest_facts_of_each_kind_are_added() -> None:
    tastes = [f"I love soup number {number}" for number in range(8)]
    assert found("what should I cook", *tastes) == tastes[:4]


def test_old_limit_on_the_topic_comes_before_later_ones() -> None:
    later = [f"I'm allergic to {food}" for food in ("kiwis", "walnuts", "celery", "honey", "milk")]
    asked = "give me an idea for a posh fish starter"
    shellfish = "I'm allergic to shellfish and prawns"
    assert found(asked, *later, shellfish)[0] == shellfish


def test_standing_facts_leave_room_for_others() -> None:
    limits = [f"I'm allergic to {food}" for food in ("kiwis", "walnuts", "celery", "honey")]
    tastes = [f"I love soup number {number}" for number in range(4)]
    given = found("what should I cook", *limits, *tastes)
    assert (len(given), given[:4]) == (5, limits)


def test_long_text_states_a_limit_only_where_it_speaks_of_the_field() -> None:
    paint = "The paint is still wet and I can't do the second coat before Sunday, my brother says. "
    assert found("what should I cook", 3 * paint + "So we had soup.") == []
    assert found("what should I cook", 3 * paint + "And I can't stand soup.") != []


def test_limit_within_the_field_comes_before_another_one() -> None:
    cats, nuts = "I'm allergic to cats", "I'm allergic to peanuts"
    assert found("what should I cook", cats, nuts) == [nuts, cats]
