"""Temporary folders are private, and those of killed programs are deleted a day later."""

import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from memory_core.infra.scratch_folders import delete_leftovers, new_scratch_folder


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
