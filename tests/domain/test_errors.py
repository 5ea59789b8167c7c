"""Advice in messages leads somewhere."""

import re
from pathlib import Path

from memory_core.domain.errors import missing_package

PROJECT = Path(__file__).resolve().parents[2]


def test_a_missing_package_is_named_with_an_install_page_that_exists() -> None:
    advice = missing_package(ImportError("no zarr", name="zarr"))
    pages = re.findall(r"[\w/]+\.md", advice)
    assert advice.startswith("zarr is not installed")
    assert pages
    assert all((PROJECT / page).is_file() for page in pages)
