"""A second program that reads never restores a memory that the first has forgotten meanwhile."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed, StorageLocked
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.storage.index.catalog.database import Database
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event, EventType, NewEvent
from memory_core.storage.log.projection import MemoryStatus
from tests.builders import NOW, SPACE, asked, open_memory, recalled, said, user_sides
from tests.forensics import holding
from tests.storage.test_durability_programs import faults

SECRET = "quetzalcoatlus"


def nothing() -> None:
    """Does nothing."""


class Late(LocalStore):
    """A store that applies events only after an action, once."""

    meanwhile: Callable[[], None] = staticmethod(nothing)

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        happen, self.meanwhile = self.meanwhile, nothing
        happen()
        return super().apply(lines, positions, since=since)


def late(meanwhile: Callable[[], None]) -> Callable[[Path], Late]:
    def open_store(folder: Path) -> Late:
        store = Late(folder)
        store.meanwhile = meanwhile
        return store

    return open_store


@pytest.fixture
def secret_id(memory: LongTermMemory) -> str:
    """Returns the id of a secret that is in the log, but not in the store yet."""
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    assert memory.counts(SPACE)["live"] == 1
    return memory.remember(SPACE, "talk", said(f"I keep a {SECRET}"))


Beside = Callable[[Callable[[], None]], NamespaceMemory]


@pytest.fixture
def beside(memory: LongTermMemory) -> Iterator[Beside]:
    """Opens the memory's folder like another program; its action runs between read and apply."""
    others: list[NamespaceMemory] = []

    def open_one(meanwhile: Callable[[], None]) -> NamespaceMemory:
        others.append(NamespaceMemory(SPACE.folder(memory.root), open_store=late(meanwhile)))
        return others[-1]

    yield open_one
    for other in others:
        other.close()


def left_in(root: Path) -> tuple[list[str], list[str]]:
    """Returns the files that contain the secret, and the doctor's findings."""
    return holding(root, SECRET.encode()), faults(root)


def test_memory_forgotten_while_another_program_reads_stays_forgotten(
    memory: LongTermMemory, secret_id: str, beside: Beside
) -> None:
    def forget() -> None:
        memory.forget(SPACE, [secret_id])
        assert memory.counts(SPACE)["forgotten"] == 1

    other = beside(forget)
    assert other.get_record(secret_id).status is MemoryStatus.FORGOTTEN
    assert memory.get_record(SPACE, secret_id).status is MemoryStatus.FORGOTTEN
    assert recalled(memory.recall(SPACE, asked(SECRET))) == []
    assert memory.erase_all_forgotten(SPACE) == 1
    other.close()
    memory.close()
    assert left_in(memory.root) == ([], [])


def test_memory_erased_while_another_program_reads_is_removed_from_disk(
    memory: LongTermMemory, secret_id: str, beside: Beside
) -> None:
    def erase() -> None:
        memory.forget(SPACE, [secret_id])
        assert memory.erase_all_forgotten(SPACE) == 1

    other = beside(erase)
    assert not other.get_record(secret_id).has_text
    other.close()
    assert memory.problems() == []
    memory.remember(SPACE, "talk", said("She barks"))
    assert user_sides(memory.conversation(SPACE, "talk", 9)) == [
        "My dog is called Bruno",
        "She barks",
    ]
    memory.close()
    assert left_in(memory.root) == ([], [])


def test_memory_written_while_another_program_reads_is_found_there(
    memory: LongTermMemory, secret_id: str, beside: Beside
) -> None:
    def say_more() -> None:
        memory.remember(SPACE, "talk", said("She barks"))
        assert memory.counts(SPACE)["live"] == 3
        memory.remember(SPACE, "talk", said("She is seven"))

    other = beside(say_more)
    assert other.records([secret_id])
    assert other.query(lambda store: store.counts())["live"] == 4


def test_writer_continues_after_another_program_has_applied_its_events(
    memory: LongTermMemory, secret_id: str, beside: Beside
) -> None:
    with memory.open_namespace(SPACE) as opened:
        opened.write(NewEvent(op=EventType.FORGET, id=secret_id, ts=NOW))
        assert beside(nothing).get_record(secret_id).status is MemoryStatus.FORGOTTEN
        opened.store.apply(opened._write_buffer.oldest(1).events, {})
        assert opened.store.catalog.get([secret_id])[secret_id].status is MemoryStatus.FORGOTTEN
    assert memory.counts(SPACE)["forgotten"] == 1


def test_store_is_not_rebuilt_beneath_the_program_that_writes(
    memory: LongTermMemory, secret_id: str, beside: Beside
) -> None:
    other = beside(nothing)
    with pytest.raises(StorageLocked, match="another program writes"):
        other.rebuild()
    other.close()
    memory.forget(SPACE, [secret_id])
    memory.close()
    again = NamespaceMemory(SPACE.folder(memory.root), open_store=LocalStore)
    assert again.get_record(secret_id).status is MemoryStatus.FORGOTTEN
    again.close()


def test_memory_that_another_program_reads_is_erased_once_it_is_done(
    memory: LongTermMemory, secret_id: str
) -> None:
    memory.forget(SPACE, [secret_id])
    assert memory.counts(SPACE)["forgotten"] == 1
    index = SPACE.folder(memory.root) / "index"
    with memory.open_namespace(SPACE) as opened:
        assert isinstance(opened.store, LocalStore)
        with opened.store._database.write_connection() as db:
            db.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(index / "catalogue.sqlite", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM entries").fetchall()
        with pytest.raises(StorageFailed, match="is read by another program"):
            memory.erase_all_forgotten(SPACE)
        assert recalled(memory.recall(SPACE, asked(SECRET))) == []
        reader.execute("COMMIT")
        assert memory.erase_all_forgotten(SPACE) == 1
    assert holding(memory.root, SECRET.encode()) == []
    assert not memory.get_record(SPACE, secret_id).has_text


def test_memory_read_during_its_erasure_is_erased_once_the_reader_is_done(
    memory: LongTermMemory, secret_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.forget(SPACE, [secret_id])
    index = SPACE.folder(memory.root) / "index"
    exchange = Database.replace_file
    with closing(sqlite3.connect(index / "catalogue.sqlite", isolation_level=None)) as reader:

        def exchanged(self: Database, anew: Path, generation: int) -> bool:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM entries").fetchall()
            with self.write_connection() as db:
                db.execute("PRAGMA busy_timeout = 1")
            return exchange(self, anew, generation)

        monkeypatch.setattr(Database, "replace_file", exchanged)
        with pytest.raises(StorageFailed, match="is read by another program"):
            memory.erase_all_forgotten(SPACE)
        monkeypatch.undo()
        reader.execute("COMMIT")
        memory.close()
        assert memory.counts(SPACE)["forgotten"] == 1
        assert holding(memory.root, SECRET.encode()) == []


def test_copy_made_while_a_program_writes_is_rebuilt_after_another_ended(
    memory: LongTermMemory, secret_id: str, beside: Beside, tmp_path: Path
) -> None:
    other = beside(nothing)
    assert other.records([secret_id])
    other.close()
    memory.remember(SPACE, "talk", said("She barks"))
    assert memory.counts(SPACE)["live"] == 3
    shutil.copytree(memory.root, tmp_path / "copy" / "memories")
    again = open_memory(tmp_path / "copy")
    assert again.counts(SPACE)["live"] == 3
    assert "copied while it was in use" in again.problems()[0]
