"""Runs commands that print their result as JSON."""

import json
from typing import Any

import pytest

from memory_core.ui.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict[str, Any]:
    """Returns the result of a command that ends with this code."""
    assert main([*arguments, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found
