"""New conversations are written without the store, which applies their events later."""

from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.memory.write_buffer import WriteBuffer
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.event_log import AppendedEvents
from memory_core.storage.log.events import EventType
from tests.builders import NOW, SPACE, added, opened_namespace, said

TALK = [said("My dog is Rex", ts=NOW), said("He is old", ts=NOW + 60)]


@pytest.fixture
def namespace_memory(tmp_path: Path) -> NamespaceMemory:
    return NamespaceMemory(tmp_path, open_store=LocalStore)


def in_store(namespace_memory: NamespaceMemory) -> int:
    return namespace_memory.store.counts()["live"]


def show(namespace_memory: NamespaceMemory, log: str, *shown: Exchange) -> None:
    namespace_memory.reconcile(log, shown, whole=True, now=NOW)


def show_many(namespace_memory: NamespaceMemory) -> None:
    for number in range(20):
        show(namespace_memory, f"talk {number}", *(said(f"{number} {it}") for it in range(60)))
        assert len(namespace_memory._write_buffer) <= 860


def places(namespace_memory: NamespaceMemory) -> list[dict[str, float]]:
    known = namespace_memory.query(
        lambda store: [store.catalog.known_exchanges(log) for log in ("talk", "branch")]
    )
    ids = [exchange.id for exchanges in known for exchange in exchanges]
    found = namespace_memory.query(lambda store: store.catalog.get(ids))
    return sorted(
        (dict(entry.positions) for entry in found.values()),
        key=lambda positions: max(positions.values()),
    )


def test_buffered_exchange_is_recognised_in_a_branch(namespace_memory: NamespaceMemory) -> None:
    show(namespace_memory, "talk", *TALK)
    show(namespace_memory, "branch", *TALK, said("Buy bread", ts=NOW + 120))
    assert in_store(namespace_memory) == 0
    both = {"talk": 1.0, "branch": 1.0}
    assert places(namespace_memory) == [both, {name: 2.0 for name in both}, {"branch": 3.0}]
    namespace_memory.close()


def test_branch_of_a_branch_is_recognised_with_its_positions(
    namespace_memory: NamespaceMemory,
) -> None:
    for log in ("talk", "branch", "twig"):
        show(namespace_memory, log, *TALK)
    assert {len(place) for place in places(namespace_memory)} == {3}
    namespace_memory.close()


def test_branch_of_a_text_edited_since_is_recognised(namespace_memory: NamespaceMemory) -> None:
    show(namespace_memory, "talk", *TALK)
    now = [said("My dog is Max", ts=NOW), TALK[1]]
    show(namespace_memory, "talk", *now)
    show(namespace_memory, "branch", *now)
    assert [len(place) for place in places(namespace_memory)] == [2, 2]
    namespace_memory.close()


def test_forgotten_exchange_stays_forgotten_in_a_later_conversation(
    namespace_memory: NamespaceMemory,
) -> None:
    show(namespace_memory, "talk", *TALK)
    namespace_memory.forget(
        [
            entry.id
            for entry in namespace_memory.query(lambda store: store.catalog.known_exchanges("talk"))
        ],
        now=NOW,
    )
    show(namespace_memory, "other", said("Buy bread", ts=NOW + 120))
    show(namespace_memory, "branch", *TALK)
    assert namespace_memory.query(lambda store: store.counts())["live"] == 1
    namespace_memory.close()


def fails(*_: object, **__: object) -> None:
    raise StorageFailed("the disk is full")


def test_conversation_is_not_written_while_the_store_cannot_be_read(
    namespace_memory: NamespaceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(namespace_memory, "talk", TALK[0])
    monkeypatch.setattr(namespace_memory.store, "apply", fails)
    with pytest.raises(StorageFailed, match="full"):
        show(namespace_memory, "talk", *TALK)
    monkeypatch.undo()
    show(namespace_memory, "talk", *TALK)
    assert namespace_memory.query(lambda store: store.counts())["live"] == 2
    namespace_memory.close()


def test_continued_conversation_is_compared_with_all_of_its_log(
    namespace_memory: NamespaceMemory,
) -> None:
    show(namespace_memory, "talk", *TALK)
    show(namespace_memory, "talk", *TALK, said("Buy bread", ts=NOW + 120))
    assert namespace_memory.query(lambda store: store.counts())["live"] == 3
    namespace_memory.close()


def test_buffered_events_of_many_chats_stay_limited(namespace_memory: NamespaceMemory) -> None:
    show_many(namespace_memory)
    assert in_store(namespace_memory) > 500
    namespace_memory.close()


def test_failing_store_limits_the_buffered_events(
    namespace_memory: NamespaceMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(namespace_memory.store, "apply", fails)
    with pytest.raises(StorageFailed, match="full"):
        show_many(namespace_memory)
    assert len(namespace_memory._write_buffer) <= 860
    monkeypatch.undo()
    namespace_memory.close()


def test_buffered_chat_note_is_copied_to_a_branch(memory: LongTermMemory) -> None:
    memory.reconcile(SPACE, "talk", TALK, whole=True)
    memory.add_note(
        SPACE, "Speak French", kind=MemoryKind.KNOWLEDGE, pinned=False, conversation="talk"
    )
    memory.reconcile(SPACE, "branch", TALK, whole=True)
    assert [it.text for it in memory.always_in_prompt(SPACE, "branch")] == ["Speak French"]


def test_conversations_without_notes_do_not_sync_the_store(memory: LongTermMemory) -> None:
    for name in ("one", "two", "three"):
        memory.reconcile(SPACE, name, [said(name)], whole=True)
    assert in_store(opened_namespace(memory, SPACE)) == 0


def test_only_buffered_exchanges_are_found_by_their_keys() -> None:
    pending, lines = WriteBuffer(), [added(it, f"id{it}", said("twice")) for it in (1, 2)]
    pending.add(AppendedEvents(log="talk", events=lines, end=9))
    key = said("twice").key
    assert [(it, entry.memory.id) for it, entry in pending.exchanges_with_keys([key, "no"])] == [
        (key, "id1"),
        (key, "id2"),
    ]
    pending.remove(pending.oldest(1))
    assert [entry.memory.id for _, entry in pending.exchanges_with_keys([key])] == ["id2"]
    pending.clear()
    assert pending.exchanges_with_keys([key]) == []


def test_buffer_knows_if_it_has_only_additions() -> None:
    pending, line = WriteBuffer(), added(1, "id1", said("hello"))
    forgotten = type(line)(seq=2, op=EventType.FORGET, id="id1", ts=NOW)
    pending.add(AppendedEvents(log="talk", events=[line], end=9))
    assert pending.has_only_additions()
    pending.add(AppendedEvents(log="", events=[forgotten], end=9))
    assert not pending.has_only_additions()
    pending.remove(pending.oldest(2))
    assert pending.has_only_additions()
