"""The host's saved chat: rows as they stand in the file, whatever its age."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...domain.errors import HostError
from ...infra import regular_files
from ...infra.durable_files import naming
from ...infra.json_codec import loaded
from ...prompt.window import Row
from .codec import from_host

_POSITIVE = (1 << 63) - 1
_LARGEST = 2**30
_UNREADABLE = (
    ValueError,
    KeyError,
    TypeError,
    IndexError,
    AttributeError,
    RecursionError,
    HostError,
)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What changes whenever the file is written.

    `file` is its number on the disk, which it keeps under another name; 0 where there is none.
    """

    mtime_ns: int
    size: int
    file: int = field(default=0, compare=False)


def stamp(path: Path) -> Stamp | None:
    """None where there is no such file (any more)."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: no file can have such a name
        return None
    return Stamp(found.st_mtime_ns, found.st_size, found.st_ino & _POSITIVE)


def read_rows(path: Path) -> tuple[Row, ...]:
    """Raises HostError for a file that is gone, half-written or no chat, StorageFailed for one
    that cannot be read now.
    """
    try:
        history = loaded(_content(path))
        return from_host("", {}, _history(history), True).rows
    except _UNREADABLE as exc:
        raise HostError(f"{path.name} cannot be read as a chat: {exc}") from exc


def _content(path: Path) -> bytes:
    """Nothing where there is no file. Raises NotOrdinaryError, StorageFailed."""
    with naming(path):
        try:
            return regular_files.content(path, largest=_LARGEST)
        except FileNotFoundError:
            return b""
        except regular_files.NotOrdinaryError as exc:
            raise HostError(f"{path.name} cannot be read as a chat: {exc}") from exc


def _history(saved: Mapping[str, Any]) -> Mapping[str, Any]:
    rows: Sequence[Any] = saved["internal"] if "internal" in saved else saved["data"]
    return {"internal": rows, "metadata": saved.get("metadata") or {}}
