"""Faults during compaction lose no words, and forgotten words leave the posting files."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageCorrupt
from memory_core.storage.index.fulltext import compaction, segment_file
from memory_core.storage.index.fulltext.segment_file import SUFFIX
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import EventType
from memory_core.storage.log.projection import without_text
from tests.builders import added, said
from tests.forensics import holding
from tests.storage.index.fulltext.fruit import ASKED, answers, files, lines, reopened, seal_all
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import change

# ---- crashes


class CrashError(Exception):
    """An error that no code catches."""


def crash(*_: object, **__: object) -> None:
    raise CrashError


CRASHES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "before the file": lambda patch: patch.setattr(segment_file, "write", crash),
    "in the file": lambda patch: patch.setattr(segment_file._Writer, "_write_header", crash),
    "behind the file": lambda patch: patch.setattr(compaction.PostingCompactor, "_commit", crash),
    "before it is named": lambda patch: patch.setattr(compaction, "_record_segment", crash),
    "while it is named": lambda patch: patch.setattr(compaction, "_delete_compacted", crash),
    "behind that": lambda patch: patch.setattr(compaction.PostingCompactor, "_delete", crash),
}


@pytest.mark.parametrize("when", CRASHES.values(), ids=CRASHES.keys())
def test_crash_during_compaction_leaves_the_old_or_the_new_words(
    store: LocalStore,
    oracle: InMemoryStore,
    folder: Path,
    when: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seal_all(store)
    more = lines(12, first=13)
    store.apply(more, {})
    oracle.apply(more, {})
    when(monkeypatch)
    with pytest.raises(CrashError):
        seal_all(store)
    monkeypatch.undo()
    store.close()
    again = reopened(folder)
    assert answers(again, count=30) == answers(oracle, count=30)
    seal_all(again)
    assert answers(again, count=30) == answers(oracle, count=30)
    assert [path.name for path in files(folder)] == [
        name for (name,) in again._database.rows("SELECT name FROM segments")
    ]
    again.close()


# ---- lost files


def spoil(path: Path) -> None:
    path.write_bytes(b"x" * 5000)


@pytest.mark.parametrize("lose", [Path.unlink, spoil], ids=["deleted", "overwritten"])
def test_lost_posting_file_is_rebuilt_from_the_memories(
    store: LocalStore,
    oracle: InMemoryStore,
    folder: Path,
    lose: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compaction, "_REPAIR_BATCH", 5)
    seal_all(store)
    changes = [
        change(EventType.REVISE, "id2", seq=20, user="a new fig"),
        change(EventType.REMOVE, "id3", seq=21),
        *lines(2, first=22),
    ]
    store.apply(changes, {})
    oracle.apply(changes, {})
    store.close()
    lose(*files(folder))
    again = reopened(folder)
    assert again.fulltext.search(["fig"], limit=9) == ["id2", "id23"]  # what is not sealed
    assert seal_all(again) >= 3
    assert answers(again, count=30) == answers(oracle, count=30)
    again.close()


def test_damaged_posting_file_is_reported(store: LocalStore, folder: Path) -> None:
    seal_all(store)
    assert store.find_damage() == []
    (path,) = files(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:-70] + bytes([whole[-70] ^ 1]) + whole[-69:])
    assert "words 1 to 12 are damaged" in store.find_damage()[0]


def test_posting_file_damaged_while_open_is_reported(store: LocalStore, folder: Path) -> None:
    seal_all(store)
    (path,) = files(folder)
    header = path.read_bytes()[:4096].decode().rpartition(" ")[0].rstrip().rpartition(" ")[0]
    offset, count, _ = json.loads(header)["sections"]["at"]
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xff" * 4 * count)
    with pytest.raises(StorageCorrupt, match="damaged"):
        store.fulltext.search(ASKED, limit=9)


@pytest.mark.parametrize("then", [seal_all, lambda store: store.erase(["id2"])])
def test_damaged_posting_file_is_not_merged(
    store: LocalStore, oracle: InMemoryStore, folder: Path, then: Callable[[LocalStore], object]
) -> None:
    seal_all(store)
    more = [*lines(12, first=13), change(EventType.FORGET, "id2", seq=30, sealed="x")]
    for each in (store, oracle):
        each.apply(more, {})
    (path,) = files(folder)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + bytes(whole[4096] ^ 1 for _ in whole[4096:]))
    then(store)
    seal_all(store)
    assert path not in files(folder)
    assert answers(store, count=30) == answers(oracle, count=30)


# ---- erasure


def test_erased_words_leave_the_posting_files(folder: Path) -> None:
    store = reopened(folder)
    store.apply([*lines(6), added(7, "id7", said("the secret kumquat", "a fig"))], {})
    seal_all(store)
    assert holding(folder, b"kumquat")
    store.apply([change(EventType.FORGET, "id7", seq=8, sealed="x")], {})
    assert store.fulltext.search(["kumquat"], limit=9) == []
    store.erase(["id7"])
    assert holding(folder, b"kumquat") == []
    assert len(store.fulltext.search(["fig"], limit=9)) == 1
    assert store.fulltext.corpus(["fig"]).document_frequency == {"fig": 1}
    store.close()


def test_erasing_deletes_files_that_a_crash_left(folder: Path) -> None:
    store = reopened(folder)
    store.apply([*lines(6), added(7, "id7", said("the secret kumquat"))], {})
    seal_all(store)
    (path,) = files(folder)
    (folder / f"orphan{SUFFIX}").write_bytes(path.read_bytes())
    (folder / f".tmpx{SUFFIX}").write_bytes(path.read_bytes())
    store.apply([change(EventType.FORGET, "id7", seq=8, sealed="x")], {})
    store.erase(["id7"])
    assert holding(folder, b"kumquat") == []
    store.close()


def test_erasing_removes_words_from_before_an_edit(folder: Path) -> None:
    store = reopened(folder)
    store.apply([*lines(6), added(7, "id7", said("the secret kumquat"))], {})
    seal_all(store)
    store.apply([change(EventType.REVISE, "id7", seq=8, user="nothing"), *lines(6, first=9)], {})
    seal_all(store)
    store.apply([change(EventType.FORGET, "id7", seq=20, sealed="x")], {})
    store.erase(["id7"])
    assert holding(folder, b"kumquat") == []
    assert without_text(store.catalog.get(["id7"])["id7"]) == store.catalog.get(["id7"])["id7"]
    store.close()


def test_clearing_deletes_all_posting_files(store: LocalStore, folder: Path) -> None:
    seal_all(store)
    store.clear()
    assert files(folder) == []
    assert store.fulltext.search(["appl"], limit=9) == []
