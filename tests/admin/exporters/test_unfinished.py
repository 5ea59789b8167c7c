"""The next backup removes half-written files of killed programs, but none still being written."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks.file_calls import FailAt, met
from memory_core.admin.backup import atomic_output
from memory_core.admin.backup.atomic_output import atomic_file, remove_temporaries
from memory_core.admin.backup.purge import erase_ids_from_backups
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.ui.cli.main import main
from tests.admin.exporters.scene import exported, fill, unpacked
from tests.builders import NOW
from tests.programs import Program

PROJECT = Path(__file__).resolve().parents[3]

# Has written half when it says so, and writes the rest when it is told to.
WRITER = """
import sys
from pathlib import Path
from memory_core.admin.backup.atomic_output import atomic_file

with atomic_file(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.flush()
    print("half", flush=True)
    input()
    file.write(b" and half")
"""


@contextmanager
def half_written(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Yields another program that is writing the file."""
    command = [sys.executable, "-c", WRITER, str(path)]
    with Program(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "half\n"
        yield writer


def left_in(folder: Path) -> Path:
    """Returns the half-written file that a killed program left in the folder."""
    with half_written(folder / "killed.zip") as writer:
        writer.kill()
    [left] = folder.glob(".*.part")
    return left


def test_next_backup_removes_the_half_written_file_of_a_killed_program(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    folder = tmp_path / "backups"
    left = left_in(folder)
    others = [folder / ".film.mkv.part", folder / "ltm-notes.part"]
    for other in others:
        other.touch()
    path = exported(memory, folder / "all.zip")
    assert "manifest.json" in unpacked(path)
    assert not left.exists()
    assert sorted(folder.iterdir()) == sorted([*others, path])


def test_backup_leaves_a_file_that_another_program_is_writing(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    with half_written(tmp_path / "other.zip") as writer:
        exported(memory, tmp_path / "all.zip")
        writer.communicate("go on\n")
    assert writer.returncode == 0
    assert (tmp_path / "other.zip").read_bytes() == b"half and half"
    assert list(tmp_path.glob(".*.part")) == []


def test_backup_leaves_a_file_that_this_program_is_writing(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "one") as one, atomic_file(tmp_path / "two") as two:
        one.write(b"one")
        two.write(b"two")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        "one": b"one",
        "two": b"two",
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows renames no open file, so none is locked then")
def test_finished_file_is_not_removed_before_its_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = atomic_output.os.replace

    def sweeps_first(old: str, new: Path) -> None:
        remove_temporaries(tmp_path)
        real(old, new)

    monkeypatch.setattr(atomic_output.os, "replace", sweeps_first)
    with atomic_file(tmp_path / "file") as file:
        file.write(b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_file_removed_before_it_is_locked_is_created_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = atomic_output._lock

    def swept_first(fd: int) -> None:
        monkeypatch.undo()
        remove_temporaries(tmp_path)
        lock(fd)

    monkeypatch.setattr(atomic_output, "_lock", swept_first)
    with atomic_file(tmp_path / "file") as file:
        file.write(b"whole")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_erasing_from_backups_removes_half_written_files(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    fill(memory)
    path = exported(memory, tmp_path / "backups" / "all.zip")
    left = left_in(path.parent)
    assert erase_ids_from_backups([path], [], now=NOW).problems == ()
    assert not left.exists()


def test_purge_command_removes_half_written_files_without_any_backup(
    memory: LongTermMemory,
) -> None:
    left = left_in(memory.root.parent / "backups")
    assert main(["purge-backups", "--storage", str(memory.root)]) == 0
    assert not left.exists()


def test_failed_removal_of_a_temporary_file_costs_no_finished_file(tmp_path: Path) -> None:
    path, fault = tmp_path / "whole.zip", FailAt(0)
    with met(("unlink",), fault), atomic_file(path) as file:
        file.write(b"whole")
    assert fault.failed
    assert path.read_bytes() == b"whole"
