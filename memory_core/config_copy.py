"""The settings file as it could be read last, for the day when it cannot.

It may hold keys, so it is its owner's alone, and it goes with the file.
"""

from contextlib import suppress
from pathlib import Path

from . import durable, ordinary
from .config_file import JsonObject, parse
from .errors import ConfigError, StorageFailed


def keep(copy: Path, data: bytes) -> None:
    """Where it cannot be written, an earlier one could be in the way: none is better."""
    try:
        if not (copy.exists() and ordinary.content(copy) == data):
            durable.make_folder(copy.parent)
            durable.replace(copy, data)
    except (OSError, StorageFailed):
        drop(copy)


def drop(copy: Path) -> None:
    with suppress(OSError):
        copy.unlink()


def last(copy: Path) -> JsonObject | None:
    """None where none was kept."""
    try:
        return parse(ordinary.content(copy))
    except (OSError, ConfigError):
        return None
