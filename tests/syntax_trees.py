"""Parses the files of the project, for tests that read the code."""

import ast
import gc
from collections.abc import Sequence
from pathlib import Path


def parse_all(paths: Sequence[Path]) -> list[ast.Module]:
    """Returns the syntax tree of each file, in the order of the paths."""
    gc.disable()  # it would search all trees again and again, three quarters of the time
    try:
        return [ast.parse(path.read_text(encoding="utf-8"), str(path)) for path in paths]
    finally:
        gc.enable()
