"""docs/settings.md agrees with the code."""

import subprocess
import sys
from pathlib import Path

from memory_core.config.loader import describe

PROJECT = Path(__file__).parents[2]


def test_settings_page_agrees_with_the_code() -> None:
    command = [sys.executable, str(PROJECT / "docs" / "make_settings.py"), "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_every_setting_has_a_default_that_is_allowed_and_a_description() -> None:
    for field in describe():
        field.from_json(field.default)
        assert field.description.endswith((".", "1"))


def test_no_two_settings_share_a_variable() -> None:
    names = [field.environment_name for field in describe()]
    assert len(set(names)) == len(names)
