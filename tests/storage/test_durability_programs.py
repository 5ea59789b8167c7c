"""Two programs on one folder, copies of a folder in use, and a clock that jumps."""

import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from memory_core.bootstrap import build_runtime
from memory_core.domain.errors import StorageLocked
from memory_core.memory.installation import Installation
from memory_core.providers.embedders.fake import FakeEmbedder
from tests.builders import (
    DAY,
    NOW,
    SPACE,
    Clock,
    asked,
    derive_all,
    open_memory,
    recalled,
    said,
)
from tests.conftest import OpenMemory
from tests.programs import Program
from tests.storage.durability import faults, sayings

PROJECT = Path(__file__).resolve().parents[2]


# ---- two programs

WRITER = """
import sys
from pathlib import Path
from tests.builders import SPACE, open_memory, said

memory = open_memory(Path(sys.argv[1]))
for line in sys.stdin:
    memory.remember(SPACE, "talk", said(line.strip()))
    print("written", flush=True)
memory.close()
"""


class Other:
    """Another program that writes on request, and holds the lock from then on."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def writes(self, text: str) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "written\n"

    def ends(self) -> None:
        self._process.communicate(timeout=60)


@contextmanager
def other_program(folder: Path) -> Iterator[Other]:
    command = [sys.executable, "-c", WRITER, str(folder)]
    with Program(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as process:
        yield Other(process)
        if process.poll() is None:
            process.communicate(timeout=60)


def test_second_program_reads_the_writers_memories_and_writes_nothing(
    tmp_path: Path, opened: OpenMemory
) -> None:
    memory = opened()
    with other_program(tmp_path) as other:
        other.writes("My dog is called Bruno")
        assert recalled(memory.recall(SPACE, asked("dog"))) == ["My dog is called Bruno"]
        with pytest.raises(StorageLocked, match="another program writes"):
            memory.remember(SPACE, "talk", said("me too"))
        other.ends()
        memory.remember(SPACE, "talk", said("me too"))
    assert sayings(memory) == ["My dog is called Bruno", "me too"]
    memory.close()
    assert faults(memory.root) == []


def test_index_that_another_program_rewrites_is_not_rebuilt_beneath_it(
    opened: OpenMemory,
) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    assert sayings(memory) == ["My dog is called Bruno"]
    with memory.open_namespace(SPACE) as namespace_memory:
        namespace_memory.store.apply([], {"/": 1 << 62})  # as while it erases
    beside = opened()
    assert sayings(beside) == ["My dog is called Bruno"]
    with beside.open_namespace(SPACE) as namespace_memory:
        assert "/" in namespace_memory.store.positions()
    beside.close()
    memory.close()
    again = opened()
    assert sayings(again) == ["My dog is called Bruno"]
    with again.open_namespace(SPACE) as namespace_memory:
        assert "/" not in namespace_memory.store.positions()


def test_second_program_queues_a_bounded_number_and_writes_them_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.infra.work_queues._MAX_FAILED_OF_ONE", 60)
    home = Installation(folder=tmp_path)
    home.config_path.write_text(
        json.dumps({"embedder": {"kind": "none"}, "storage_dir": str(tmp_path / "memories")})
    )
    runtime = build_runtime(home)
    with other_program(tmp_path) as other:
        other.writes("first")
        for n in range(80):
            text = f"queued {n}"
            runtime.submit(lambda text=text: runtime.memory.remember(SPACE, "talk", said(text)))
            runtime.run_pending()
        waiting = sum(runtime.count_waiting())
        assert 0 < waiting < 80
        problems = " ".join(runtime.problems())
        assert "another program writes" in problems
        assert f"not kept so far: {80 - waiting} in the requests" in problems
        assert sayings(runtime.memory) == ["first"]
        other.ends()
    runtime.run_pending()
    assert sayings(runtime.memory) == ["first", *(f"queued {n}" for n in range(waiting))]
    runtime.close()
    assert faults(tmp_path / "memories") == []


# ---- a copy of a folder in use


class Chatter:
    """Writes, embeds, forgets and erases until stopped, and knows the acknowledged exchanges."""

    def __init__(self, folder: Path) -> None:
        self.memory = open_memory(folder, embedder=FakeEmbedder())
        self.said: set[str] = set()
        self.forgotten: set[str] = set()
        self._enough, self._stop = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._write)
        self._thread.start()

    def _write(self) -> None:
        for n in range(3000):
            text = f"fact{n} was said"
            memory_id = self.memory.remember(SPACE, "talk", said(text))
            self.said.add(text)
            if n % 20 == 0:
                derive_all(self.memory)
            if n % 50 == 49:
                self.forgotten.add(text)
                self.memory.forget(SPACE, [memory_id])
                self.memory.erase_all_forgotten(SPACE)
            if n == 60:
                self._enough.set()
            if self._stop.is_set():
                return

    def acknowledged(self) -> set[str]:
        assert self._enough.wait(60)
        return set(self.said)

    def ends(self) -> None:
        self._stop.set()
        self._thread.join()
        self.memory.close()


def test_copy_of_a_folder_in_use_has_all_exchanges_acknowledged_before(
    tmp_path: Path,
) -> None:
    chatter = Chatter(tmp_path / "used")
    copies: dict[Path, set[str]] = {}
    for n in range(6):
        copies[tmp_path / f"copy{n}"] = chatter.acknowledged()
        with suppress(shutil.Error):  # a file disappeared during the copy
            shutil.copytree(tmp_path / "used", tmp_path / f"copy{n}")
    chatter.ends()
    for folder, before in copies.items():
        copy = open_memory(folder, embedder=FakeEmbedder())
        assert before - chatter.forgotten - set(sayings(copy)) == set()
        copy.remember(SPACE, "talk", said("life goes on"))
        assert recalled(copy.recall(SPACE, asked("What of fact7?")))[:1] == ["fact7 was said"]
        derive_all(copy)
        copy.close()
        assert faults(folder / "memories") == []


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_catalog_with_parts_copied_at_different_times_is_rebuilt(
    opened: OpenMemory, tmp_path: Path, count: int
) -> None:
    memory = opened()
    for n in range(count):
        memory.remember(SPACE, "talk", said(f"fact{n} was said"))
    assert len(sayings(memory)) == count
    early = (SPACE.folder(memory.root) / "index" / "catalogue.sqlite").read_bytes()
    memory.forget(SPACE, [memory.remember(SPACE, "talk", said("quetzalcoatlus"))])
    memory.erase_all_forgotten(SPACE)
    for n in range(count):
        memory.remember(SPACE, "talk", said(f"fact{count + n} was said"))
    whole = sayings(memory)
    copy = tmp_path / "copy" / "memories"
    shutil.copytree(memory.root, copy)
    (SPACE.folder(copy) / "index" / "catalogue.sqlite").write_bytes(early)
    memory.close()
    again = open_memory(copy.parent)
    assert sayings(again) == whole
    assert "it was made anew" in again.problems()[0]
    again.close()
    assert faults(copy) == []


def test_copy_of_a_catalog_in_use_is_rebuilt(opened: OpenMemory, tmp_path: Path) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    assert sayings(memory) == ["My dog is called Bruno"]
    shutil.copytree(memory.root, tmp_path / "copy" / "memories")
    again = open_memory(tmp_path / "copy")
    assert sayings(again) == ["My dog is called Bruno"]
    assert "copied while it was in use" in again.problems()[0]


def test_copy_made_after_the_program_ended_is_used(opened: OpenMemory, tmp_path: Path) -> None:
    memory = opened()
    memory.remember(SPACE, "talk", said("My dog is called Bruno"))
    memory.close()
    shutil.copytree(memory.root, tmp_path / "copy" / "memories")
    again = open_memory(tmp_path / "copy")
    assert sayings(again) == ["My dog is called Bruno"]
    assert again.problems() == []


# ---- a clock that jumps


def test_clock_that_jumps_back_changes_no_order_and_no_outcome(opened: OpenMemory) -> None:
    clock = Clock()
    memory = opened(clock=clock, embedder=FakeEmbedder())
    first = memory.remember(SPACE, "talk", said("first", ts=NOW))
    clock.now = NOW - 30 * DAY
    memory.remember(SPACE, "talk", said("second", ts=clock.now))
    memory.edit(SPACE, first, {"user": "first, revised"})
    third = memory.remember(SPACE, "talk", said("third", ts=clock.now))
    memory.forget(SPACE, [third])
    memory.unforget(SPACE, third)
    assert sayings(memory) == ["first, revised", "second", "third"]
    memory.rebuild(SPACE)
    assert sayings(memory) == ["first, revised", "second", "third"]
    memory.close()
    assert faults(memory.root, clock) == []


def test_erase_now_erases_a_memory_forgotten_in_the_future(opened: OpenMemory) -> None:
    clock = Clock()
    memory = opened(clock=clock)
    secret = memory.remember(SPACE, "talk", said("quetzalcoatlus"))
    clock.now = NOW + 9000 * DAY
    memory.forget(SPACE, [secret])
    clock.now = NOW
    assert memory.erase_all_forgotten(SPACE) == 1
    memory.close()
    files = [path for path in memory.root.rglob("*") if path.is_file()]
    assert not [path.name for path in files if b"quetzalcoatlus" in path.read_bytes()]
