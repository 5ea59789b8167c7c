"""Fixtures of the automatic backup's tests."""

from pathlib import Path

import pytest

from tests.admin.rolling.scene import Scene


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)
