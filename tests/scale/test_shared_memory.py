"""Several programs with the same namespaces in one database see and keep each other's writes."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from memory_core.storage.engine import postgres_engine
from tests.builders import (
    NOW,
    Clock,
    asked,
    derive_all,
    open_memory,
    opened_namespace,
    said,
    user_sides,
)
from tests.scale.servers import Server

OpenShared = Callable[[], LongTermMemory]
_NUMBERS = count()


@pytest.fixture
def space() -> Namespace:
    return Namespace("ana", f"mira {next(_NUMBERS)}")


@pytest.fixture
def open_shared(primary: Server, tmp_path: Path) -> Iterator[OpenShared]:
    """Opens the memory of a further program: it shares the folder and the database."""
    clock, opened = Clock(), list[LongTermMemory]()

    def open_one() -> LongTermMemory:
        engine = postgres_engine(primary.dsn(), tmp_path / "memories", time_limit_s=10)
        opened.append(open_memory(tmp_path, open_store=engine, clock=clock))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


def shown(memory: LongTermMemory, space: Namespace) -> list[str]:
    with memory.open_namespace(space) as opened:
        return user_sides(
            opened.query_without_forgotten(lambda store: store.latest(Page(limit=99)))
        )


def test_what_one_program_remembers_another_one_finds_at_once(
    open_shared: OpenShared, space: Namespace
) -> None:
    one, other = open_shared(), open_shared()
    assert shown(other, space) == []
    one.remember(space, "talk", said("My cat is called Biscuit."))
    assert shown(other, space) == ["My cat is called Biscuit."]
    other.remember(space, "talk", said("My dog is called Rex."))
    one.remember(space, "other talk", said("My fish is called Bubbles."))
    assert len(shown(one, space)) == len(shown(other, space)) == 3
    found = other.recall(space, asked("What is my fish called?"))
    assert "Bubbles" in str(found)


def test_memories_of_another_program_are_counted_without_opening_them(
    open_shared: OpenShared, space: Namespace
) -> None:
    one, other = open_shared(), open_shared()
    memory_id = one.remember(space, "talk", said("boats"))
    shown(one, space)  # applies it
    assert other.count_memories(space) == (1, 1)
    assert (other.has_log(space, "talk"), other.has_log(space, "none")) == (True, False)
    assert other.open_counts()[0] == 0
    one.forget(space, [memory_id])
    assert other.count_memories(space) == (0, 0)


def test_what_one_program_forgets_another_one_shows_no_more(
    open_shared: OpenShared, space: Namespace
) -> None:
    one, other = open_shared(), open_shared()
    memory_id = one.remember(space, "talk", said("My cat is called Biscuit."))
    assert shown(other, space) != []
    other.forget(space, [memory_id])
    assert (shown(one, space), shown(other, space)) == ([], [])
    one.unforget(space, memory_id)
    assert shown(other, space) == ["My cat is called Biscuit."]


def test_two_programs_that_read_the_same_chat_store_it_once(
    open_shared: OpenShared, space: Namespace
) -> None:
    one, other = open_shared(), open_shared()
    chat = [said(f"Sentence number {number} of the chat.") for number in range(6)]
    for length in range(1, 7):
        for memory in (one, other):
            memory.reconcile(space, "talk", chat[:length], whole=True)
    log = opened_namespace(one, space).event_log.read("talk")
    assert [event.fields["user"] for event in log.events] == [exchange.user for exchange in chat]
    assert log.problems == []


def test_positions_go_on_behind_those_of_another_program(
    open_shared: OpenShared, space: Namespace
) -> None:
    one, other = open_shared(), open_shared()
    for number in range(6):
        (one, other)[number % 2].remember(space, "talk", said(f"Sentence {number}."))
    with one.open_namespace(space) as opened:
        found = opened.query(lambda store: store.catalog.conversation("talk", 9))
    assert user_sides(found) == [f"Sentence {number}." for number in range(6)]


def test_erased_words_are_gone_for_every_program(open_shared: OpenShared, space: Namespace) -> None:
    one, other = open_shared(), open_shared()
    kept = one.remember(space, "talk", said("My cat is called Biscuit."))
    gone = one.remember(space, "talk", said("My secret is pomegranate."))
    assert len(shown(other, space)) == 2
    one.forget(space, [gone])
    one.now.now = NOW + 10_000  # type: ignore[attr-defined]
    derive_all(one, space)
    log = opened_namespace(other, space).event_log.read("talk")
    assert [event.id for event in log.events] == [kept, gone]
    assert "pomegranate" not in str(log.events)
    assert shown(other, space) == ["My cat is called Biscuit."]
    other.remember(space, "talk", said("My dog is called Rex."))
    assert sorted(shown(one, space)) == ["My cat is called Biscuit.", "My dog is called Rex."]


def test_a_rebuilt_index_has_everything(open_shared: OpenShared, space: Namespace) -> None:
    one, other = open_shared(), open_shared()
    for number in range(5):
        one.remember(space, f"talk {number}", said(f"Sentence {number}."))
    other.rebuild(space)
    assert len(shown(one, space)) == len(shown(other, space)) == 5


def test_notes_are_shared_and_another_namespace_sees_nothing(
    open_shared: OpenShared, space: Namespace
) -> None:
    one, other = open_shared(), open_shared()
    one.add_note(space, "Ana likes tea.", kind=MemoryKind.KNOWLEDGE, pinned=False)
    assert "Ana likes tea." in shown(other, space)
    assert shown(other, Namespace("bob", space.character)) == []
