"""A vector folder with all its segments."""

from pathlib import Path

import pytest

from tests.storage.index.vectors.segment_files import fill


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return fill(tmp_path)
