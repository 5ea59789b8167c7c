"""Disks that are full, that lose written data, or that are read-only."""

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageError, StorageFailed
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.prompt.system_lines import SystemLineCache
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.contract import Page
from tests import programs
from tests.builders import (
    HOUR,
    NOW,
    SPACE,
    asked,
    derive_all,
    open_memory,
    recalled,
    said,
)
from tests.conftest import OpenMemory
from tests.storage.durability import faults, sayings

resource = pytest.importorskip("resource", reason="Windows limits no files")

PROJECT = Path(__file__).resolve().parents[2]
NOBODY = 65534


def log(memory: LongTermMemory) -> Path:
    return SPACE.folder(memory.root) / "conversations" / "talk.jsonl"


class Disk:
    """Limits the size of every file from now on."""

    def __init__(self) -> None:
        self._before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill(self, size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, self._before[1]))

    def empty(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, self._before)


@pytest.fixture
def disk() -> Iterator[Disk]:
    made = Disk()
    yield made
    made.empty()


def test_write_refused_by_a_full_disk_is_not_acknowledged(opened: OpenMemory, disk: Disk) -> None:
    memory = opened(embedder=FakeEmbedder())
    acknowledged, refused = ["My dog is called Bruno"], list[str]()
    memory.remember(SPACE, "talk", said(acknowledged[0]))
    derive_all(memory)
    for room in range(1, 400, 37):
        disk.fill(log(memory).stat().st_size + room)
        try:
            memory.remember(SPACE, "talk", said(f"with {room} bytes left"))
            acknowledged.append(f"with {room} bytes left")
        except StorageFailed as exc:
            refused.append(str(exc))
        disk.empty()
    assert len(acknowledged) > 1
    assert refused
    assert all("talk.jsonl could not be written" in message for message in refused)
    assert sayings(memory) == acknowledged
    memory.remember(SPACE, "talk", said("there is room again"))
    memory.close()
    assert faults(memory.root) == []
    again = opened()
    assert sayings(again) == [*acknowledged, "there is room again"]
    assert recalled(again.recall(SPACE, asked("dog")))[:1] == acknowledged[:1]


def test_memories_are_stored_and_found_later_when_only_the_log_has_space(
    opened: OpenMemory, disk: Disk
) -> None:
    memory = opened(embedder=FakeEmbedder())
    texts = [f"fact{n} is remembered" for n in range(40)]
    memory.remember(SPACE, "talk", said(texts[0]))
    derive_all(memory)
    disk.fill(log(memory).stat().st_size + 20_000)  # even an empty catalog is larger
    for text in texts[1:]:
        memory.remember(SPACE, "talk", said(text))
    for work in (lambda: derive_all(memory), lambda: sayings(memory), memory.close):
        with suppress(StorageError):
            work()
    disk.empty()
    again = opened(embedder=FakeEmbedder())
    assert sayings(again) == texts
    derive_all(again)
    assert recalled(again.recall(SPACE, asked("What of fact7?")))[:1] == [texts[7]]
    again.close()
    assert faults(again.root) == []


def test_forgotten_memory_is_hidden_when_only_the_log_has_space(
    opened: OpenMemory, disk: Disk
) -> None:
    memory = opened()
    dog_id = memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    password_id = memory.remember(SPACE, "talk", said("My password is Kumquat"))
    note = memory.add_note(SPACE, "The other one is Okapi", kind=MemoryKind.KNOWLEDGE, pinned=True)
    standing = SystemLineCache(memory, sessions=0, pause_s=HOUR)
    assert [line.sources for line in standing.lines(SPACE, "talk", began=NOW)] == [(note,)]
    disk.fill(log(memory).stat().st_size + 20_000)
    memory.forget(SPACE, [password_id, note])
    assert memory.problems() == [], "it was not asked yet"
    assert standing.lines(SPACE, "talk", began=NOW) == ()
    assert memory.always_in_prompt(SPACE) == []
    assert sayings(memory) == ["My dog is called Bruno"]
    assert [entry.id for entry in memory.latest(SPACE, Page(limit=9))] == [dog_id]
    assert memory.last_seqs(SPACE, [password_id, note]) == {}
    assert any("cannot be found yet" in problem for problem in memory.problems())


def test_erasure_on_a_full_disk_changes_nothing(opened: OpenMemory, disk: Disk) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    secret = memory.remember(SPACE, "talk", said("quetzalcoatlus"))
    memory.forget(SPACE, [secret])
    sayings(memory)
    disk.fill(64)
    with pytest.raises(StorageFailed):
        memory.erase_all_forgotten(SPACE)
    disk.empty()
    assert sayings(memory) == ["My dog is called Bruno"]
    assert memory.erase_all_forgotten(SPACE) == 1
    memory.close()
    files = [path for path in memory.root.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"quetzalcoatlus" in path.read_bytes()]
    assert faults(memory.root) == []


def test_write_whose_sync_failed_is_not_acknowledged(opened: OpenMemory) -> None:
    """/dev/null takes every byte and refuses every sync."""
    memory = opened()
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    whole = log(memory).read_bytes()
    log(memory).unlink()
    log(memory).symlink_to("/dev/null")
    with pytest.raises(StorageFailed):
        memory.remember(SPACE, "talk", said("never kept"))
    log(memory).unlink()
    log(memory).write_bytes(whole)
    memory.remember(SPACE, "talk", said("kept again"))
    memory.close()
    assert sayings(opened()) == ["My dog is called Bruno", "kept again"]


def test_line_whose_sync_failed_is_removed(
    opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("first"))
    whole = log(memory).read_bytes()

    def fails(_: int) -> None:
        raise OSError(5, "Input/output error")

    name = "fdatasync" if hasattr(os, "fdatasync") else "fsync"
    with monkeypatch.context() as patch:
        patch.setattr(os, name, fails)
        with pytest.raises(StorageFailed, match="Input/output error"):
            memory.remember(SPACE, "talk", said("never acknowledged"))
    assert log(memory).read_bytes() == whole
    memory.remember(SPACE, "talk", said("second"))
    memory.close()
    assert sayings(opened()) == ["first", "second"]
    assert faults(memory.root) == []


READER = """
import os, sys, tempfile
from dataclasses import replace
from pathlib import Path
from memory_core.domain.errors import StorageError
from tests.builders import KIND, SPACE, asked, open_memory, recalled, said

with tempfile.TemporaryDirectory() as folder:  # imports all that is needed, while it may
    memory = open_memory(Path(folder))
    memory.remember(SPACE, "talk", said("warm up"))
    memory.recall(SPACE, asked("warm"))
    memory.close()
if os.geteuid() == 0:
    os.setgid({nobody}); os.setuid({nobody})
patient = replace(KIND, query_timeout_s=30.0)
memory = open_memory(Path(sys.argv[1]), limits=patient)
print(recalled(memory.recall(SPACE, asked("dog"))))
try:
    memory.remember(SPACE, "talk", said("more"))
except StorageError as exc:
    print("refused:", exc)
memory.close()
"""


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that other users can reach; pytest's own lie in one that is closed to them.

    Changes no folder above it, since those of other running tests are there, too.
    """
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        if not all(parent.stat().st_mode & 0o005 == 0o005 for parent in folder.parents):
            pytest.skip(f"other users cannot reach {folder.parent}")
        yield folder


@pytest.mark.parametrize("has_index", [True, False])
def test_recall_works_from_a_read_only_folder(public_folder: Path, has_index: bool) -> None:
    memory = open_memory(public_folder)
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    sayings(memory)
    memory.close()
    if not has_index:
        for path in sorted((SPACE.folder(memory.root) / "index").rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
    with closed_to_writers(public_folder):
        code = READER.format(nobody=NOBODY)
        command = [sys.executable, "-c", code, str(public_folder)]
        done = programs.run(command)
    assert done.stderr == ""
    found, refused = done.stdout.splitlines()
    assert found == "['My dog is called Bruno']"
    assert refused.startswith("refused:")


@contextmanager
def closed_to_writers(folder: Path) -> Iterator[None]:
    """Makes the folder read-only for everybody, but readable."""
    modes = {path: path.stat().st_mode & 0o7777 for path in (folder, *folder.rglob("*"))}
    for path in modes:
        path.chmod(0o555 if path.is_dir() else 0o444)
    yield
    for path, mode in modes.items():
        path.chmod(mode)


def test_threads_on_a_filling_disk_lose_no_acknowledged_exchange(
    opened: OpenMemory, disk: Disk
) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("begin"))
    disk.fill(log(memory).stat().st_size + 4_000)
    acknowledged: list[str] = []

    def write(thread: int) -> None:
        for n in range(20):
            text = f"thread {thread} says {n}"
            try:
                memory.remember(SPACE, "talk", said(text))
                acknowledged.append(text)
            except StorageError:
                continue

    threads = [threading.Thread(target=write, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    disk.empty()
    assert 0 < len(acknowledged) < 80
    memory.close()
    assert sorted(sayings(opened())) == sorted(["begin", *acknowledged])
    assert faults(memory.root) == []
