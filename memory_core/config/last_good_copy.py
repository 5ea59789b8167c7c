"""The settings file as it could be read last, for the day when it cannot.

It may hold keys, so it is its owner's alone, and it goes with the file.
"""

from contextlib import suppress
from pathlib import Path

from ..domain.errors import ConfigError, StorageFailed
from ..infra import durable_files, regular_files
from .json_file import JsonObject, parse


def keep(copy: Path, data: bytes) -> None:
    """Where it cannot be written, an earlier one could be in the way: none is better."""
    try:
        if not (copy.exists() and regular_files.content(copy) == data):
            durable_files.make_folder(copy.parent)
            durable_files.replace(copy, data)
    except (OSError, StorageFailed):
        drop(copy)


def drop(copy: Path) -> None:
    with suppress(OSError):
        copy.unlink()


def last(copy: Path) -> JsonObject | None:
    """None where none was kept."""
    try:
        return parse(regular_files.content(copy))
    except (OSError, ConfigError):
        return None
