"""New conversations are written one after another without the store, which knows them later."""

from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.domain.records import Exchange, MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import Archive
from memory_core.memory.write_buffer import Pending
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.event_log import Run
from memory_core.storage.log.events import Op
from tests.builders import NOW, SPACE, added, archive_of, said

TALK = [said("My dog is Rex", ts=NOW), said("He is old", ts=NOW + 60)]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path, open_store=LocalStore)


def in_store(archive: Archive) -> int:
    return archive.store.counts()["live"]


def show(archive: Archive, log: str, *shown: Exchange) -> None:
    archive.reconcile(log, shown, whole=True, now=NOW)


def show_many(archive: Archive) -> None:
    for number in range(20):
        show(archive, f"talk {number}", *(said(f"{number} {it}") for it in range(60)))
        assert len(archive._pending) <= 860


def places(archive: Archive) -> list[dict[str, float]]:
    ids = [it.id for log in ("talk", "branch") for it in archive.read(lambda it: it.known(log))]  # noqa: B023
    found = archive.read(lambda store: store.get(ids))
    return sorted((dict(it.places) for it in found.values()), key=lambda it: max(it.values()))


def test_what_waits_is_met_in_a_branch(archive: Archive) -> None:
    show(archive, "talk", *TALK)
    show(archive, "branch", *TALK, said("Buy bread", ts=NOW + 120))
    assert in_store(archive) == 0
    both = {"talk": 1.0, "branch": 1.0}
    assert places(archive) == [both, {it: 2.0 for it in both}, {"branch": 3.0}]
    archive.close()


def test_a_branch_of_a_branch_knows_where_it_stands(archive: Archive) -> None:
    for log in ("talk", "branch", "twig"):
        show(archive, log, *TALK)
    assert {len(it) for it in places(archive)} == {3}
    archive.close()


def test_a_branch_of_what_was_said_otherwise_since_is_met(archive: Archive) -> None:
    show(archive, "talk", *TALK)
    now = [said("My dog is Max", ts=NOW), TALK[1]]
    show(archive, "talk", *now)
    show(archive, "branch", *now)
    assert [len(it) for it in places(archive)] == [2, 2]
    archive.close()


def test_what_was_forgotten_stays_so_in_a_conversation_that_comes_then(archive: Archive) -> None:
    show(archive, "talk", *TALK)
    archive.forget([it.id for it in archive.read(lambda store: store.known("talk"))], now=NOW)
    show(archive, "other", said("Buy bread", ts=NOW + 120))
    show(archive, "branch", *TALK)
    assert archive.read(lambda store: store.counts())["live"] == 1
    archive.close()


def fails(*_: object, **__: object) -> None:
    raise StorageFailed("the disk is full")


def test_a_conversation_does_not_go_on_while_the_store_cannot_tell_what_is_written_of_it(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    show(archive, "talk", TALK[0])
    monkeypatch.setattr(archive.store, "apply", fails)
    with pytest.raises(StorageFailed, match="full"):
        show(archive, "talk", *TALK)
    monkeypatch.undo()
    show(archive, "talk", *TALK)
    assert archive.read(lambda store: store.counts())["live"] == 2
    archive.close()


def test_a_conversation_that_goes_on_is_held_against_all_that_is_written(archive: Archive) -> None:
    show(archive, "talk", *TALK)
    show(archive, "talk", *TALK, said("Buy bread", ts=NOW + 120))
    assert archive.read(lambda store: store.counts())["live"] == 3
    archive.close()


def test_what_waits_does_not_pile_up(archive: Archive) -> None:
    show_many(archive)
    assert in_store(archive) > 500
    archive.close()


def test_where_the_store_cannot_follow_nothing_is_written_without_end(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive.store, "apply", fails)
    with pytest.raises(StorageFailed, match="full"):
        show_many(archive)
    assert len(archive._pending) <= 860
    monkeypatch.undo()
    archive.close()


def test_a_note_that_waits_goes_along_with_a_branch(memory: LongTermMemory) -> None:
    memory.reconcile(SPACE, "talk", TALK, whole=True)
    memory.note(SPACE, "Speak French", kind=MemoryKind.KNOWLEDGE, pinned=False, conversation="talk")
    memory.reconcile(SPACE, "branch", TALK, whole=True)
    assert [it.text for it in memory.standing(SPACE, "branch")] == ["Speak French"]


def test_conversations_without_notes_need_no_store(memory: LongTermMemory) -> None:
    for name in ("one", "two", "three"):
        memory.reconcile(SPACE, name, [said(name)], whole=True)
    assert in_store(archive_of(memory, SPACE)) == 0


def test_only_what_waits_is_found_by_its_words() -> None:
    pending, lines = Pending(), [added(it, f"id{it}", said("twice")) for it in (1, 2)]
    pending.add(Run(log="talk", lines=lines, end=9))
    key = said("twice").key
    assert [(it, entry.memory.id) for it, entry in pending.said([key, "no"])] == [
        (key, "id1"),
        (key, "id2"),
    ]
    pending.done(pending.first(1))
    assert [entry.memory.id for _, entry in pending.said([key])] == ["id2"]
    pending.clear()
    assert pending.said([key]) == []


def test_whether_only_additions_wait_is_known() -> None:
    pending, line = Pending(), added(1, "id1", said("hello"))
    forgotten = type(line)(seq=2, op=Op.FORGET, id="id1", ts=NOW)
    pending.add(Run(log="talk", lines=[line], end=9))
    assert pending.only_adds()
    pending.add(Run(log="", lines=[forgotten], end=9))
    assert not pending.only_adds()
    pending.done(pending.first(2))
    assert pending.only_adds()
