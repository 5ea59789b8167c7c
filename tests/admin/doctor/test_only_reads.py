"""The doctor only reads: without --repair, in foreign folders, and beside a running program."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.admin.doctor.run import DoctorOptions, DoctorReport, examine, repair
from memory_core.domain.namespaces import Namespace
from memory_core.memory.retention import CLOCK_FILE
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.event_log import LOCK
from tests.builders import KIND, SPACE, Clock, derive_all, said
from tests.conftest import OpenMemory

OPTIONS = DoctorOptions(open_store=LocalStore, undo_s=KIND.undo_forget_s, clock=Clock())


@pytest.fixture
def root(opened: OpenMemory) -> Path:
    """A closed storage of one namespace."""
    memory = opened(embedder=FakeEmbedder())
    memory.remember(SPACE, "talk", said("I like tea"))
    derive_all(memory)
    memory.close()
    return memory.root


def contents(folder: Path) -> dict[str, bytes | None]:
    """Returns every path below the folder, with the bytes of each file."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def add_foreign_folder(root: Path) -> Path:
    """Adds a folder whose path could be a namespace's, open to others as most folders are."""
    folder = root / "photos" / "summer"
    folder.mkdir(parents=True, mode=0o755)
    (folder / "beach.jpg").write_bytes(b"a beach")
    return folder


def test_examining_a_sound_storage_changes_no_byte(root: Path) -> None:
    before = contents(root)
    assert examine(root, OPTIONS).is_sound
    assert contents(root) == before


def test_examining_makes_no_lock_and_no_index(root: Path) -> None:
    folder = SPACE.folder(root)
    (folder / LOCK).unlink()
    shutil.rmtree(folder / "index")
    before = contents(root)
    report = examine(root, OPTIONS)
    assert (report.is_sound, report.namespaces, report.lines > 0) == (True, 1, True)
    assert contents(root) == before


@pytest.mark.parametrize("check", [examine, repair])
def test_foreign_folder_that_looks_like_a_namespace_is_noted_and_left_alone(
    root: Path, check: Callable[[Path, DoctorOptions], DoctorReport]
) -> None:
    foreign = add_foreign_folder(root)
    before, mode = contents(root / "photos"), foreign.parent.stat().st_mode
    report = check(root, OPTIONS)
    assert [(found.path, found.problem) for found in report.findings] == [
        ("photos", "this is none of ours")
    ]
    assert (report.is_sound, report.namespaces) == (True, 1)
    assert (contents(root / "photos"), foreign.parent.stat().st_mode) == (before, mode)


def test_file_of_the_last_retention_check_is_not_foreign(root: Path) -> None:
    (root / CLOCK_FILE).write_text("{}")
    assert examine(root, OPTIONS).findings == []


def test_foreign_folder_beside_a_namespace_is_noted_and_left_alone(root: Path) -> None:
    foreign = root / "ana" / "summer"
    foreign.mkdir()
    (foreign / "beach.jpg").write_bytes(b"a beach")
    report = examine(root, OPTIONS)
    assert [found.path for found in report.findings] == ["ana/summer"]
    assert contents(foreign) == {"beach.jpg": b"a beach"}


def test_repair_beside_a_running_program_only_reads(root: Path, opened: OpenMemory) -> None:
    log = SPACE.folder(root) / "conversations" / "talk.jsonl"
    running = opened()
    running.remember(SPACE, "talk", said("while it runs"))
    log.write_bytes(log.read_bytes() + b'{"v":1')
    report = repair(root, OPTIONS)
    assert report.is_sound
    (found,) = report.findings
    assert "another program writes here" in found.problem
    assert log.read_bytes().endswith(b'{"v":1')


def test_folder_that_a_killed_program_did_not_fill_is_no_finding(root: Path) -> None:
    unfilled = Namespace("ana", "Nobody").folder(root)
    unfilled.mkdir(mode=0o700)
    (unfilled / LOCK).touch(mode=0o600)
    (unfilled / "index").mkdir(mode=0o700)  # a program was killed before it filled that
    assert examine(root, OPTIONS).findings == []
