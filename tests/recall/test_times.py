"""A time that a message names, on its way through recall."""

from datetime import UTC, datetime

import pytest

from memory_core.recall.gate import ScoreGate
from memory_core.recall.query import Query
from memory_core.recall.search import Reach, search
from memory_core.stores.base import MemoryStore
from memory_core.stores.in_memory import InMemoryStore
from memory_core.stores.local import LocalStore
from tests.builders import DAY, added, said

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
    candidates = search(store, asked(text), None, Reach(limit=10))
    return [it.memory.id for it in GATE.keep(asked(text), candidates).kept]


@pytest.mark.parametrize("text", ["What was yesterday?", "昨天呢？"])
def test_a_question_about_a_day_alone_brings_what_was_said_then(store, text):
    assert kept(store, text)[0] == "id1"


def test_what_was_said_yesterday_is_not_what_says_yesterday(store):
    assert "id3" not in kept(store, "What was yesterday?")


def test_a_day_puts_the_nearer_of_two_first(store):
    both = asked("Did we do the tree or the fence last Tuesday?")
    found = search(store, both, None, Reach(limit=10))
    assert found[0].memory.id == "id2"
    assert found[0].parts["date"] > found[1].parts["date"]


def test_that_it_was_said_then_is_no_reason_by_itself(store):
    assert kept(store, "Yesterday my boss shouted at everybody in the office") == []


def test_without_a_clock_no_time_is_understood():
    assert Query(text="What was yesterday?").times == ()
