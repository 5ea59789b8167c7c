"""Tests of dates in a message, through the whole recall."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory_core.recall.gate import ScoreGate
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate
from memory_core.recall.search import WEIGHTS, SearchScope, search
from memory_core.storage.index.local import LocalStore
from memory_core.storage.store import MemoryStore
from tests.builders import DAY, added, said
from tests.storage.index.in_memory.store import InMemoryStore

NOW = datetime(2026, 9, 21, 12, 0, tzinfo=UTC)
GATE = ScoreGate(min_score=0.35, min_letters=1)


@pytest.fixture(params=["local", "in memory"])
def store(request, tmp_path):
    store: MemoryStore = LocalStore(tmp_path) if request.param == "local" else InMemoryStore()
    days = [
        ("We planted an apple tree", 1),
        ("We painted the fence", 6),
        ("Yesterday it rained", 60),
    ]
    lines = [
        added(seq, f"id{seq}", said(text, ts=NOW.timestamp() - ago * DAY))
        for seq, (text, ago) in enumerate(days, start=1)
    ]
    store.apply(lines, {})
    yield store
    store.close()


def asked(text: str) -> Query:
    return Query(text=text, names=("Ana", "Mira"), now=NOW)


def kept(store: MemoryStore, text: str) -> list[str]:
    return [
        candidate.memory.id for candidate in GATE.keep(asked(text), found(store, asked(text))).kept
    ]


def found(store: MemoryStore, query: Query) -> list[Candidate]:
    return search(store, query, None, SearchScope(limit=10)).candidates


@pytest.mark.parametrize("text", ["What was yesterday?", "昨天呢？"])
def test_question_about_a_day_finds_messages_of_that_day(store, text):
    assert kept(store, text)[0] == "id1"


def test_question_about_yesterday_does_not_match_the_word_yesterday(store):
    assert "id3" not in kept(store, "What was yesterday?")


def test_named_day_puts_the_nearer_memory_first(store):
    first, second = found(store, asked("Did we do the tree or the fence last Tuesday?"))[:2]
    assert first.memory.id == "id2"
    assert first.parts["said_at"] > second.parts["said_at"]


@pytest.mark.parametrize("text", ["The fence broke today", "My boss comes on Monday at three"])
def test_news_of_today_or_later_do_not_find_what_was_said_near_that_day(store, text):
    assert not any("said_at" in candidate.parts for candidate in found(store, asked(text)))


def test_question_about_today_finds_what_was_said_near_it(store):
    assert any("said_at" in one.parts for one in found(store, asked("What of the fence today?")))


def test_mention_of_the_very_day_adds_more_than_being_said_on_it(store):
    then = datetime(2025, 10, 11, 9, 0, tzinfo=UTC).timestamp()
    walk = said("We walked along the river", ts=then)
    band = said("The band plays on 11 October 2026", ts=NOW.timestamp() - 90 * DAY)
    store.apply([added(20, "walk", walk), added(30, "band", band)], {})
    parts = {
        one.memory.id: one.parts for one in found(store, asked("what is on on the 11th of october"))
    }
    assert parts["band"]["happened_at"] > parts["walk"]["said_at"] > 0.0


def test_score_parts_separate_mentioned_dates_from_dates_of_messages(store):
    store.apply([added(9, "id9", said("The wedding is on June 3rd 2027", ts=NOW.timestamp()))], {})
    (wedding,) = [
        candidate
        for candidate in found(store, asked("What is on June 3rd 2027?"))
        if candidate.memory.id == "id9"
    ]
    assert wedding.parts["happened_at"] == WEIGHTS["happened_at"]
    assert "said_at" not in wedding.parts


def test_required_date_admits_only_memories_of_or_about_it(store):
    wedding = said("We met Jo on September 15th 2026", ts=NOW.timestamp())
    store.apply([added(9, "id9", wedding)], {})
    strict = replace(asked("The tree, the fence on September 15th 2026?"), only_named_dates=True)
    outside = {
        candidate.memory.id: candidate.is_outside_dates for candidate in found(store, strict)
    }
    assert outside == {"id2": False, "id9": False, "id1": True, "id3": True}
    assert list(outside.values()) == [False, False, True, True], "these come last"
    assert not any(candidate.is_outside_dates for candidate in found(store, asked(strict.text)))


def test_vague_date_does_not_restrict_the_candidates(store):
    vague = replace(asked("What of the tree, yesterday?"), only_named_dates=True)
    assert vague.dates
    assert not any(candidate.is_outside_dates for candidate in found(store, vague))


def test_date_alone_does_not_pass_the_gate(store):
    assert kept(store, "Yesterday my boss shouted at everybody in the office") == []


def test_query_without_now_understands_no_date():
    assert Query(text="What was yesterday?").dates == ()
