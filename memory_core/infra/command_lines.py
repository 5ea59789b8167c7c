"""Writes paths as parts of a command that people copy."""

from pathlib import Path


def as_argument(path: Path | str) -> str:
    """Returns the path, in quotation marks if it has a blank: both sh and cmd.exe take it so."""
    text = str(path)
    return f'"{text}"' if any(map(str.isspace, text)) else text
