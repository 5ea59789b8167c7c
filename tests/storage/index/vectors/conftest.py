"""A vector folder with all its segments."""

import shutil
from pathlib import Path

import pytest

from tests.storage.index.vectors.segment_files import fill


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder to copy from: building its segments takes most of the time of a test."""
    return fill(tmp_path_factory.mktemp("filled"))


@pytest.fixture
def folder(tmp_path: Path, filled: Path) -> Path:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    return tmp_path
