"""Contract of every catalog: conversations with their times, channels and numbers of exchanges."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.storage.index.local import LocalStore
from memory_core.storage.listing import ListQuery, SessionQuery, SessionSpan
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.store import MemoryStore
from tests.builders import HOUR, NOW, added, said
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import MakeStore, change

ALL = SessionQuery()


def event(number: int, log: str, channel: str, ts: float | None) -> Event:
    exchange = replace(said(f"message {number}", ts=ts), channel=channel)
    return added(number, f"x{number}", exchange, log=log)


@pytest.fixture
def talks(make_store: MakeStore) -> MemoryStore:
    store = make_store()
    lines = [
        event(1, "a", "web", NOW),
        event(2, "a", "voice", NOW + HOUR),
        event(3, "b", "web", NOW + 2 * HOUR),
        event(4, "c", "web", None),
    ]
    store.apply(lines, {})
    return store


def span(name: str, first: float | None, last: float | None, count: int, channel: str) -> object:
    return SessionSpan(conversation=name, first=first, last=last, count=count, channel=channel)


def test_sessions_come_latest_first_with_the_channel_of_their_last_exchange(
    talks: MemoryStore,
) -> None:
    assert talks.catalog.list_sessions(ALL) == [
        span("b", NOW + 2 * HOUR, NOW + 2 * HOUR, 1, "web"),
        span("a", NOW, NOW + HOUR, 2, "voice"),
        span("c", None, None, 1, "web"),
    ]


def test_sessions_of_a_channel_count_its_exchanges_alone(talks: MemoryStore) -> None:
    found = talks.catalog.list_sessions(SessionQuery(channel="web"))
    assert found[1] == span("a", NOW, NOW, 1, "web")
    assert talks.catalog.list_sessions(SessionQuery(channel="fax")) == []


def test_sessions_of_a_window_leave_out_exchanges_without_a_time(talks: MemoryStore) -> None:
    found = talks.catalog.list_sessions(SessionQuery(since=NOW, until=NOW + HOUR))
    assert found == [span("a", NOW, NOW, 1, "web")]


def test_sessions_leave_out_forgotten_and_removed_exchanges(talks: MemoryStore) -> None:
    lines = [
        change(EventType.FORGET, "x2", seq=5, sealed="x"),
        Event(seq=6, op=EventType.REMOVE, id="x3", ts=NOW, fields={}, log="b"),
    ]
    talks.apply(lines, {})
    assert [found.conversation for found in talks.catalog.list_sessions(ALL)] == ["a", "c"]


def test_a_list_can_be_limited_to_a_channel(talks: MemoryStore) -> None:
    found = talks.list_memories(ListQuery(channel="web"))
    assert sorted(memory.id for memory in found.memories) == ["x1", "x3", "x4"]
    assert talks.list_memories(ListQuery(channel="fax")).total == 0


LINES = st.lists(
    st.tuples(
        st.sampled_from("abc"),
        st.sampled_from(["", "web", "voice"]),
        st.none() | st.integers(-3, 3),
    ),
    max_size=12,
)
QUERIES = st.builds(
    SessionQuery,
    channel=st.sampled_from(["", "web", "voice"]),
    since=st.none() | st.sampled_from([-1.0, 0.0]),
    until=st.none() | st.sampled_from([0.0, 2.0]),
)


@given(LINES, st.lists(QUERIES, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_sessions_agree_with_brute_force(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[tuple[str, str, int | None]],
    queries: list[SessionQuery],
) -> None:
    events = [
        event(number, log, channel, ts) for number, (log, channel, ts) in enumerate(lines, start=1)
    ]
    local, oracle = LocalStore(tmp_path_factory.mktemp("store")), InMemoryStore()
    for store in (local, oracle):
        store.apply(events, {})
    for query in queries:
        assert local.catalog.list_sessions(query) == oracle.catalog.list_sessions(query)
    local.close()
