"""A write is done when it is on disk; the store applies it before the next read."""

import threading
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.infra.deadlines import time_limit
from memory_core.memory import index_sync
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.memory.write_buffer import WriteBuffer
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.event_log import AppendedEvents
from tests.builders import (
    NOW,
    SPACE,
    added,
    asked,
    opened_namespace,
    recalled,
    said,
    user_sides,
)

PATIENCE_S = 20.0


@pytest.fixture
def namespace_memory(tmp_path: Path) -> NamespaceMemory:
    return NamespaceMemory(tmp_path, open_store=LocalStore)


def in_store(namespace_memory: NamespaceMemory) -> int:
    """Returns the number of live memories in the store, without applying buffered events."""
    return namespace_memory.store.counts()["live"]


def test_append_is_applied_to_the_store_by_the_next_read(namespace_memory: NamespaceMemory) -> None:
    namespace_memory.remember("talk", said("hello"))
    assert in_store(namespace_memory) == 0
    assert [
        entry.key
        for entry in namespace_memory.query(lambda store: store.catalog.known_exchanges("talk"))
    ] == [said("hello").key]
    assert in_store(namespace_memory) == 1
    namespace_memory.close()


def test_closing_applies_the_buffered_events(namespace_memory: NamespaceMemory) -> None:
    namespace_memory.remember("talk", said("hello"))
    namespace_memory.close()
    again = NamespaceMemory(namespace_memory.folder, open_store=LocalStore)
    assert again.store.positions() == again.event_log.logs()
    again.close()


def test_many_appends_keep_the_buffer_small(namespace_memory: NamespaceMemory) -> None:
    namespace_memory.write_all([])
    for number in range(900):
        namespace_memory.remember("talk", said(f"message {number}"))
    assert in_store(namespace_memory) > 0
    assert len(namespace_memory._write_buffer) <= 800
    assert namespace_memory.query(lambda store: store.counts())["live"] == 900
    namespace_memory.close()


def test_log_end_comes_with_the_last_event_of_an_append() -> None:
    lines = [added(seq, f"id{seq}", said(f"message {seq}")) for seq in (1, 2, 3)]
    pending = WriteBuffer()
    pending.add(AppendedEvents(log="talk", events=lines, end=900))
    cut = pending.oldest(2)
    assert (cut.events, cut.ends) == (lines[:2], {})
    pending.remove(cut)
    rest = pending.oldest(2)
    assert (rest.events, rest.ends) == (lines[2:], {"talk": 900})


def test_positions_continue_for_buffered_and_stored_exchanges(
    namespace_memory: NamespaceMemory,
) -> None:
    for number in range(3):
        namespace_memory.remember("talk", said(f"a {number}"))
        namespace_memory.remember("other", said(f"b {number}"))
    known = namespace_memory.query(lambda store: store.catalog.known_exchanges("talk"))
    assert [entry.position for entry in known] == [1.0, 2.0, 3.0]
    shown = [said("a 0"), said("a 1"), said("between"), said("a 2")]
    namespace_memory.reconcile("talk", shown, whole=True, now=NOW)
    namespace_memory.remember("talk", said("last"))
    places = [
        entry.position
        for entry in namespace_memory.query(lambda store: store.catalog.known_exchanges("talk"))
    ]
    assert places == sorted(places) == [1.0, 2.0, 2.5, 3.0, 4.0]
    namespace_memory.close()


def test_comparison_includes_buffered_events(namespace_memory: NamespaceMemory) -> None:
    namespace_memory.reconcile("talk", [said("one")], whole=True, now=NOW)
    namespace_memory.remember("talk", said("two"))
    assert not namespace_memory.compare("talk", [said("one"), said("two")], whole=True)
    namespace_memory.close()


def test_forgotten_memory_is_hidden_although_the_store_fails(
    memory: LongTermMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = memory.remember(SPACE, "talk", said("My dog Bruno bit the mayor"))
    memory.remember(SPACE, "talk", said("My dog Bruno likes cheese"))
    assert len(recalled(memory.recall(SPACE, asked("dog Bruno")))) == 2
    namespace_memory = opened_namespace(memory, SPACE)

    def fails(*_: object, **__: object) -> None:
        raise StorageFailed("the disk is full")

    monkeypatch.setattr(namespace_memory.store, "apply", fails)
    memory.forget(SPACE, [secret])
    found = recalled(memory.recall(SPACE, asked("dog Bruno")))
    assert found == ["My dog Bruno likes cheese"]
    assert "the disk is full" in memory.problems()[0]


def test_forgetting_one_by_one_does_not_sync_the_store(namespace_memory: NamespaceMemory) -> None:
    ids = [namespace_memory.remember("talk", said(f"message {number}")).id for number in range(4)]
    copy = namespace_memory.remember("other", said("message 0")).id
    namespace_memory.sync_index()
    assert namespace_memory.forget([ids[0]], now=NOW) == [ids[0], copy]
    assert namespace_memory.forget([ids[1]], now=NOW) == [ids[1]]
    assert in_store(namespace_memory) == 5
    assert namespace_memory.get_record(copy).forgotten_at == NOW
    left = namespace_memory.query(lambda store: store.catalog.conversation("talk", 9))
    assert user_sides(left) == ["message 2", "message 3"]
    namespace_memory.close()


def test_buffered_copy_of_a_memory_is_forgotten_too(namespace_memory: NamespaceMemory) -> None:
    first = namespace_memory.remember("talk", said("message")).id
    copy = namespace_memory.remember("other", said("message")).id
    assert namespace_memory.forget([first], now=NOW) == [first, copy]
    namespace_memory.close()


def reading(namespace_memory: NamespaceMemory, found: list[int]) -> threading.Thread:
    """Starts a thread that counts the live memories."""
    thread = threading.Thread(
        target=lambda: found.append(namespace_memory.query(lambda store: store.counts())["live"])
    )
    thread.start()
    return thread


def test_reader_does_not_wait_while_much_is_written(
    namespace_memory: NamespaceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_sync, "_FEW", 1)
    namespace_memory.remember("talk", said("before"))
    namespace_memory.sync_index()
    found: list[int] = []
    with namespace_memory._index.lock:  # as while another thread applies very many lines
        namespace_memory.remember("talk", said("meanwhile"))
        namespace_memory.remember("talk", said("and then"))
        reading(namespace_memory, found).join(PATIENCE_S)
        assert found == [1]
    assert namespace_memory.query(lambda store: store.counts())["live"] == 3
    namespace_memory.close()


def test_reader_waits_for_the_few_lines_that_another_thread_applies(
    namespace_memory: NamespaceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_sync, "_TIMEOUT_S", 0.001)
    namespace_memory.remember("talk", said("before"))
    namespace_memory.sync_index()
    found: list[int] = []
    with namespace_memory._index.lock:
        namespace_memory.remember("talk", said("acknowledged"))
        reader = reading(namespace_memory, found)
        reader.join(0.2)
        assert found == []
    reader.join(PATIENCE_S)
    assert found == [2]
    namespace_memory.close()


def test_prompt_does_not_wait_for_a_thread_that_applies_lines(
    namespace_memory: NamespaceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_sync, "_FEW_TIMEOUT_S", 10 * PATIENCE_S)
    namespace_memory.remember("talk", said("before"))
    namespace_memory.sync_index()
    found: list[int] = []

    def read_for_a_prompt() -> None:
        with time_limit(PATIENCE_S):
            found.append(namespace_memory.query(lambda store: store.counts())["live"])

    with namespace_memory._index.lock:
        namespace_memory.remember("talk", said("meanwhile"))
        prompt = threading.Thread(target=read_for_a_prompt)
        prompt.start()
        prompt.join(PATIENCE_S)
        assert found == [1]
    namespace_memory.close()


def test_another_program_that_wrote_before_is_read_before_writing(tmp_path: Path) -> None:
    first, second = (NamespaceMemory(tmp_path, open_store=LocalStore) for _ in range(2))
    first.remember("talk", said("one"))
    first.close()
    second.remember("talk", said("two"))
    found = second.query(lambda store: store.catalog.conversation("talk", 9))
    assert user_sides(found) == ["one", "two"]
    assert [line.seq for line in second.event_log.read("talk").events] == [1, 2]
    second.close()


def test_two_conversations_written_in_turns_do_not_sync_the_store(
    namespace_memory: NamespaceMemory,
) -> None:
    for number in range(4):
        namespace_memory.remember("talk", said(f"a {number}"))
        namespace_memory.remember("other", said(f"b {number}"))
        known = in_store(namespace_memory)
    assert known == 1  # what was written before it was asked where "other" ends
    namespace_memory.close()


def test_upkeep_does_not_hide_what_another_program_wrote_before(tmp_path: Path) -> None:
    first, second = (NamespaceMemory(tmp_path, open_store=LocalStore) for _ in range(2))
    first.remember("talk", said("one"))
    first.close()
    while second.maintain():
        pass
    second.remember("talk", said("two"))
    found = second.query(lambda store: store.catalog.conversation("talk", 9))
    assert user_sides(found) == ["one", "two"]
    second.close()


def test_upkeep_is_left_to_the_program_that_writes(tmp_path: Path) -> None:
    first, second = (NamespaceMemory(tmp_path, open_store=LocalStore) for _ in range(2))
    first.remember("talk", said("one"))
    assert not second.maintain()
    assert not second._index.holds_write_lock
    first.close()
    second.close()


def test_stored_exchanges_of_a_chat_are_read_once(
    namespace_memory: NamespaceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, known = list[str](), namespace_memory.store.catalog.known_exchanges
    monkeypatch.setattr(
        namespace_memory.store.catalog,
        "known_exchanges",
        lambda log: (asked.append(log), known(log))[1],
    )
    namespace_memory.remember("talk", said("hello"))
    for _ in range(2):
        assert not namespace_memory.compare("talk", [said("hello")], whole=True)
    assert asked == ["talk"]
    namespace_memory.close()
