"""Fixtures of the commands' tests."""

import pytest


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands find no models."""
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")
