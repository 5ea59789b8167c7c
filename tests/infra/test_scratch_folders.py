"""Temporary folders are private, and those of killed programs are deleted a day later."""

import os
import re
import stat
import tempfile
import time
from pathlib import Path

import pytest

from memory_core.infra.scratch_folders import (
    delete_leftovers,
    new_scratch_folder,
    temporary_folder,
)

PACKAGE = Path(__file__).parents[2] / "memory_core"
# The self-test's memories are invented, and the tab's downloads have a clock of their own.
OWN_CLEANING = {"infra/scratch_folders.py", "admin/self_test.py", "ui/tab/common/downloads.py"}


def test_old_leftovers_are_deleted_and_fresh_or_foreign_folders_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, fresh = new_scratch_folder(), new_scratch_folder()
    other = tmp_path / "thesis"
    other.mkdir()
    (old / "export.zip").write_bytes(b"words")
    long_ago = time.time() - 2 * 86_400
    for folder in (old, other):
        os.utime(folder, (long_ago, long_ago))
    delete_leftovers()
    assert [old.exists(), fresh.exists(), other.exists()] == [False, True, True]
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o700


def test_temporary_folder_of_a_killed_program_is_deleted_when_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with temporary_folder() as name:
        folder = Path(name)
        (folder / "memories.csv").write_text("words")
        long_ago = time.time() - 2 * 86_400
        os.utime(folder, (long_ago, long_ago))
        delete_leftovers()
        assert not folder.exists()
    assert list(tmp_path.iterdir()) == []


def test_all_temporary_folders_are_found_after_a_kill() -> None:
    makers = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"tempfile\.(TemporaryDirectory|mkdtemp)", path.read_text("utf-8"))
    }
    assert makers == OWN_CLEANING
