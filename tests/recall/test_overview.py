"""Tests of overviews: what is known of the user, and the last chats."""

from collections.abc import Iterable

import pytest

from memory_core.domain.records import Exchange
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.overview import OVERVIEW, find_overview, find_own_subject, with_own_subject
from memory_core.recall.query import Query, local_time
from memory_core.recall.results import Candidate, Form
from memory_core.storage.contract import NO_FILTER, Page, SearchFilter
from memory_core.storage.log.events import Event
from tests.builders import DAY, NOW, SPACE, added, said
from tests.storage.index.in_memory.store import InMemoryStore

HOUR = 3600.0
ABOUT = "What do you know about me?"
LAST = "What did we talk about last time?"
LIFE = (
    "I am allergic to peanuts.",
    "My sister Clara plays the cello.",
    "I work as a nurse in Graz.",
)
SMALL_TALK = ("good morning!", "haha", "thanks, good night")


def stored(*texts: str, apart: float = DAY) -> InMemoryStore:
    """Returns a store of exchanges, the latest first, this far apart in seconds."""
    store = InMemoryStore()
    exchanges = [said(text, ts=NOW - apart * age) for age, text in enumerate(texts, start=1)]
    store.apply(list(_events(exchanges)), {})
    return store


def _events(exchanges: Iterable[Exchange]) -> Iterable[Event]:
    for seq, exchange in enumerate(exchanges, start=1):
        yield added(seq, f"memory{seq}", exchange, log=f"log{seq}")


def found(asked: str, store: InMemoryStore, only: SearchFilter = NO_FILTER) -> list[str]:
    query = Query(text=asked, now=local_time(NOW), names=("Ana", "Sol"))
    candidates = find_overview(store, query, only)
    assert all(OVERVIEW in candidate.parts for candidate in candidates)
    return [one.memory.exchange.user for one in candidates if one.memory.exchange]


def test_question_about_oneself_finds_statements_of_every_subject() -> None:
    assert set(found(ABOUT, stored(*SMALL_TALK, *LIFE))) == set(LIFE)


def test_statement_behind_a_question_is_found() -> None:
    for news in ("news: i got the job", "btw: i got the job at the bakery, i start on monday"):
        told = f"What do you think of my story so far?\n{news}"
        assert found(ABOUT, stored(told, "i read a story")) == [told, "i read a story"]
    assert found(ABOUT, stored("What about Vienna, what should one see there?", LIFE[0])) == [
        LIFE[0]
    ]


def test_statement_behind_a_question_of_no_subject_is_found() -> None:
    told = "Which zephyr is gorgeous?\nI saw Zanzibar and its zebras."
    assert told in found(ABOUT, stored(told, *LIFE))


def test_wish_to_forget_is_no_statement() -> None:
    texts = ("forget that my brother drinks", "forget that i told you about my sister")
    assert found(ABOUT, stored(*texts, *LIFE)) == found(ABOUT, stored(*LIFE))


def test_statement_that_was_often_made_comes_first_of_its_subject() -> None:
    other = "My brother came home late from the airport yesterday with Tom."
    often = "My sister Clara plays the cello."
    assert found(ABOUT, stored(other, *[often] * 3))[0] == often


def test_statement_without_the_speaker_is_found_after_those_with() -> None:
    texts = found("私のことを覚えてる？", stored("今日は眠い", "娘は小学校一年生", "俺は看護師"))
    assert texts.index("俺は看護師") < texts.index("娘は小学校一年生")


def test_user_who_told_nothing_of_themselves_gets_the_last_chats() -> None:
    assert found(ABOUT, stored("The bridge over the Drau collapsed.")) == [
        "The bridge over the Drau collapsed."
    ]


def test_question_about_the_last_time_finds_the_latest_sittings_without_small_talk() -> None:
    recent = [f"The {thing} in the cellar broke again." for thing in ("pump", "lamp", "door")]
    recent += [f"We painted the {thing} green." for thing in ("fence", "shed", "gate")]
    old = "The lighthouse of Porer has a red roof."
    store = stored(*recent, *SMALL_TALK, apart=HOUR)
    store.apply([added(99, "old", said(old, ts=NOW - 9 * DAY), log="old")], {})
    assert set(found(LAST, store)) == set(recent)


def test_question_about_the_first_time_finds_the_first_sitting_in_its_order() -> None:
    later = [f"Day {number}: we walked through Porto again" for number in range(60)]
    store = stored(*later, "You looked half drowned at the tavern", "hi", "Is this seat taken?")
    told = found("do u remember the first time we met", store)
    assert told[0] == "Is this seat taken?"
    texts = ["Is this seat taken?", "hi", "My name is Robin", "Then we rode north"]
    one_chat = InMemoryStore()
    for seq, text in enumerate(texts, start=1):
        exchange = said(text, ts=NOW - DAY + seq)
        one_chat.apply([added(seq, f"memory{seq}", exchange, log="first")], {})
    told = found("how did we meet?", one_chat)
    assert told == ["Is this seat taken?", "My name is Robin", "Then we rode north"]


def test_first_chats_leave_out_what_the_filter_excludes() -> None:
    store = stored("We walked through Porto", "Is this seat taken?")
    only = SearchFilter(until=NOW - 1.5 * DAY)
    assert found("how did we meet?", store, only) == ["Is this seat taken?"]
    since = SearchFilter(since=NOW - 1.5 * DAY)
    assert found("how did we meet?", store, since) == ["We walked through Porto"]


def test_overview_leaves_out_what_the_filter_excludes() -> None:
    store = stored("I am allergic to peanuts.", "I work as a nurse in Graz.")
    assert found(ABOUT, store, SearchFilter(since=NOW - 1.5 * DAY)) == ["I am allergic to peanuts."]


def test_overview_leaves_out_what_the_prompt_shows() -> None:
    store = stored(*LIFE)
    shown = frozenset(one.key for one in store.fulltext.live_memories(["memory1"]))
    query = Query(text=ABOUT, now=local_time(NOW), names=("Ana", "Sol"), shown_keys=shown)
    texts = [one.memory.text for one in find_overview(store, query, NO_FILTER)]
    assert shown
    assert len(texts) == len(LIFE) - 1


def test_other_message_gets_no_overview() -> None:
    assert found("What do you know about peanuts?", stored(*LIFE)) == []


@pytest.mark.parametrize("asked", [ABOUT, LAST, "你还记得我吗？", "¿te acuerdas de mí?"])
def test_recall_gives_an_overview_as_lines(memory: LongTermMemory, asked: str) -> None:
    for text in LIFE:
        memory.remember(SPACE, "monday", said(text, "I see."))
    recall = memory.recall(SPACE, Query(text=asked, names=("Ana", "Sol"), now=local_time(NOW)))
    assert {one.memory.exchange.user for one in recall.kept if one.memory.exchange} == set(LIFE)
    assert {one.form for one in recall.kept} == {Form.LINE}
    assert recall.need == 1.0


def test_question_what_was_said_on_a_day_is_searched_by_the_day_alone() -> None:
    asked = "What did we talk about yesterday?"
    query = Query(text=asked, now=local_time(NOW), names=("Ana", "Sol"))
    assert query.overview is None
    assert query.words == []
    assert query.is_about_a_date


LIFE_AND_NAME = (*LIFE, "My name is Sam.", "I have a beagle called Biscuit.", "I hate mushrooms.")


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("what's my name?", "My name is Sam."),
        ("do I have any pets?", "I have a beagle called Biscuit."),
        ("what do I do for a living?", "I work as a nurse in Graz."),
        ("tell me about my family", "My sister Clara plays the cello."),
        ("what foods do I hate?", "I hate mushrooms."),
    ],
)
def test_question_for_a_part_of_life_gets_the_statement_first(
    memory: LongTermMemory, asked: str, told: str
) -> None:
    for text in LIFE_AND_NAME:
        memory.remember(SPACE, "monday", said(text, "I see."))
    recall = memory.recall(SPACE, Query(text=asked, names=("Ana", "Sol"), now=local_time(NOW)))
    assert recall.kept[0].memory.exchange
    assert recall.kept[0].memory.exchange.user == told


def test_question_for_a_part_of_life_without_statements_is_searched(
    memory: LongTermMemory,
) -> None:
    memory.remember(SPACE, "monday", said("It rained in the valley."))
    recall = memory.recall(SPACE, Query(text="what are my hobbies?", now=local_time(NOW)))
    assert all(OVERVIEW not in one.candidate.parts for one in recall.kept)
    assert find_own_subject(stored("hello"), Query(text="what are my hobbies?"), NO_FILTER) == []


def test_question_where_the_user_lives_gets_the_latest_home_first() -> None:
    texts = (
        "I couldn't live without coffee.",
        "I moved to Porto last month.",
        "My brother lives in Leeds.",
        "I want to live by the sea one day.",
        "I live in Lisbon, above a bakery.",
    )
    own = find_own_subject(stored(*texts), Query(text="where do I live now"), NO_FILTER)
    said_there = [one.memory.exchange.user for one in own if one.memory.exchange]
    assert said_there == [texts[1], texts[4]]


def test_question_of_age_and_origin_gets_what_the_user_stated() -> None:
    texts = (
        "My brother turned 30 last week.",
        "I'm 34, by the way, and the tap drips again.",
        "There were 34 people in the tram.",
        "I'm from Spain, you know.",
        "The parcel is from Spain.",
    )
    store = stored(*texts)
    for asked, told in (("how old am I?", texts[1]), ("where am I from", texts[3])):
        own = find_own_subject(store, Query(text=asked), NO_FILTER)
        assert [one.memory.exchange and one.memory.exchange.user for one in own] == [told]


def test_question_about_an_age_never_told_keeps_few_candidates() -> None:
    store = stored(*(f"The old clock of house {number} stopped." for number in range(8)))
    kept = [Candidate(memory=memory, score=0.5) for memory in store.latest(Page(limit=8))]
    question = Query(text="how old am I?")
    assert len(with_own_subject(kept, store, question, NO_FILTER)) == 3
    store.apply([added(99, "told", said("I'm 34 today", ts=NOW), log="told")], {})
    own, *others = with_own_subject(kept, store, question, NO_FILTER)
    assert own.memory.id == "told"
    assert len(others) == 3


def test_question_for_the_name_gets_the_introduction_of_the_first_chat() -> None:
    told = "Hi! I'm Sam, from Ohio."
    store = stored(*(f"It rained in week {week}." for week in range(60)), told)
    for asked in ("what's my name?", "where am I from?"):
        own = find_own_subject(store, Query(text=asked), NO_FILTER)
        assert [one.memory.exchange and one.memory.exchange.user for one in own] == [told]
