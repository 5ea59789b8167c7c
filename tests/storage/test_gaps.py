"""A store knows how far it is complete, and missing events are added automatically."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memory_core.admin.doctor import index_check, repairs
from memory_core.domain.errors import StorageError, StorageFailed
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.write_buffer import WriteBuffer
from memory_core.storage.contract import Page
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.event_log import AppendedEvents, EventLog
from tests.builders import NOW, SPACE, added, opened_namespace, said, user_sides

FACTS = [f"fact {number}" for number in range(5)]
NEW = "fact new"


@pytest.fixture
def filled(memory: LongTermMemory) -> LongTermMemory:
    for number, fact in enumerate(FACTS):
        memory.remember(SPACE, "talk" if number % 2 else "other", said(fact, ts=NOW + number))
    assert facts(memory) == FACTS
    return memory


def facts(memory: LongTermMemory) -> list[str]:
    return user_sides(reversed(memory.latest(SPACE, Page(limit=99))))


def say_more(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "talk", said(NEW, ts=NOW + 99))


@contextmanager
def unreadable(monkeypatch: pytest.MonkeyPatch, *, times: int = 1 << 30) -> Iterator[None]:
    """Makes the first reads of the conversations' logs fail."""
    read, left = EventLog.read, [times]

    def fails(self: EventLog, log: str, *args: Any, **kwargs: Any) -> Any:
        if log and left[0]:
            left[0] -= 1
            raise StorageFailed(f"{self.path(log)}: Input/output error")
        return read(self, log, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(EventLog, "read", fails)
        yield


@contextmanager
def refusing(
    monkeypatch: pytest.MonkeyPatch, *, after: int = 0, times: int = 1 << 30
) -> Iterator[None]:
    """Makes the store apply two events at a time, and refuse some later calls."""
    apply, calls = LocalStore.apply, [0]

    def fails(self: LocalStore, *args: Any, **kwargs: Any) -> bool:
        calls[0] += 1
        if after < calls[0] <= after + times:
            raise StorageFailed("the index: Input/output error")
        return apply(self, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(LocalStore, "apply", fails)
        patched.setattr("memory_core.memory.index_sync._EVENTS_PER_STEP", 2)
        yield


def test_unreadable_log_leaves_the_store_unchanged(
    filled: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with unreadable(monkeypatch), pytest.raises(StorageFailed, match="Input/output error"):
        filled.rebuild(SPACE)
    assert facts(filled) == FACTS
    assert filled.problems() == [], "the index is as it was"
    say_more(filled)
    assert facts(filled) == [*FACTS, NEW]
    filled.close()
    assert facts(filled) == [*FACTS, NEW]


@pytest.mark.parametrize("after", [0, 1, 2])
@pytest.mark.parametrize("is_more_said", [True, False])
@pytest.mark.parametrize("is_started_anew", [True, False])
def test_partly_filled_store_is_completed_by_the_next_access_or_start(
    filled: LongTermMemory,
    after: int,
    is_more_said: bool,
    is_started_anew: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with refusing(monkeypatch, after=after):
        with pytest.raises(StorageFailed, match="Input/output error"):
            filled.rebuild(SPACE)
        assert "could not be made anew" in filled.problems()[0]
        if is_more_said:
            say_more(filled)
        if is_started_anew:
            filled.close()
            assert "could not be made anew" in filled.problems()[0], "closing solves nothing"
    assert facts(filled) == [*FACTS, *([NEW] if is_more_said else [])]
    assert filled.problems() == [], "it is solved"


def test_incomplete_store_reports_itself_at_each_access_and_loses_nothing(
    filled: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with refusing(monkeypatch, after=1):
        with pytest.raises(StorageFailed):
            filled.rebuild(SPACE)
        say_more(filled)
        assert len(facts(filled)) < len(FACTS)
        assert any("cannot be found yet" in problem for problem in filled.problems())
    assert facts(filled) == [*FACTS, NEW]
    assert filled.problems() == []


def test_damaged_store_is_rebuilt_once_the_log_is_readable_again(
    filled: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened_namespace(filled, SPACE)._index.is_damaged = True
    with unreadable(monkeypatch, times=1), pytest.raises(StorageError):
        facts(filled)
    assert "this is tried again" in filled.problems()[-1]
    assert facts(filled) == FACTS
    assert filled.problems() == []


@pytest.mark.parametrize("step", [1, 1000])
def test_emptied_store_is_filled_by_the_next_write(
    filled: LongTermMemory, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cause does not matter: any fault may empty a store."""
    monkeypatch.setattr("memory_core.memory.index_sync._EVENTS_PER_STEP", step)
    opened = opened_namespace(filled, SPACE)
    opened.store.clear()
    say_more(filled)
    say_more(filled)
    assert facts(filled) == [*FACTS, NEW, NEW]
    assert opened.store.positions() == opened.event_log.logs()


def test_emptied_store_is_filled_at_the_next_start(
    filled: LongTermMemory,
) -> None:
    opened_namespace(filled, SPACE).store.clear()
    say_more(filled)
    filled.close()
    assert facts(filled) == [*FACTS, NEW]


def test_waiting_events_of_one_log_begin_at_the_first_ones_offset() -> None:
    pending = WriteBuffer()
    for seq in (1, 2):
        line = added(seq, f"id{seq}", said(f"message {seq}"))
        pending.add(AppendedEvents(log="talk", events=[line], start=100 * seq, end=100 * seq + 100))
    batch = pending.oldest(2)
    assert (batch.starts, batch.ends) == ({"talk": 100}, {"talk": 300})


def test_interrupted_doctor_leaves_a_store_that_is_rebuilt(
    filled: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = filled.latest(SPACE, Page(limit=1))[0].id
    filled.forget(SPACE, [forgotten])
    opened = opened_namespace(filled, SPACE)
    rewrite = EventLog.rewrite

    def fails(self: EventLog, log: str, content: bytes) -> None:
        rewrite(self, log, content)
        if log:
            raise StorageFailed("the disk does not answer")

    with monkeypatch.context() as patched:
        patched.setattr(EventLog, "rewrite", fails)
        with pytest.raises(StorageFailed, match="does not answer"):
            repairs.erase_due(opened, [forgotten])
    say_more(filled)
    filled.close()
    assert facts(filled) == [*FACTS[:-1], NEW]
    again = opened_namespace(filled, SPACE)
    assert index_check.compare_with_log(again.store, again.event_log, again.event_log.logs()) == []
    assert filled.erase_all_forgotten(SPACE) in (0, 1)
    assert not filled.get_record(SPACE, forgotten).has_text
