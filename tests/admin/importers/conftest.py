"""Fixtures of the readers' tests."""

import time
from collections.abc import Iterator

import pytest


@pytest.fixture
def in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time is not UTC, wherever the tests run."""
    if not hasattr(time, "tzset"):
        pytest.skip("the system's local time cannot be changed")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()
