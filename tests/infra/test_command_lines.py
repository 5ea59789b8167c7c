"""Paths in commands that people copy."""

import shlex

from memory_core.infra.command_lines import as_argument
from tests.cases import for_each


@for_each("path", ["/home/ana/my textgen/a.zip", "/home/ana/textgen/a.zip"])
def test_path_is_one_word_of_a_command(path: str) -> None:
    assert shlex.split(f"restore {as_argument(path)}") == ["restore", path]


def test_path_without_a_blank_stays_as_it_is() -> None:
    assert as_argument(r"C:\textgen\a.zip") == r"C:\textgen\a.zip"
