"""A file that the system has not cached."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.infra.page_cache import DISK, cached_pages, written


@pytest.fixture
def uncached() -> Iterator[Path]:
    """Yields the path of such a file that the system has not cached."""
    with TemporaryDirectory(dir=DISK) as folder:
        path = written(Path(folder) / "words")
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        if cached_pages(path):
            pytest.skip(f"{DISK} keeps its files in memory")
        yield path
