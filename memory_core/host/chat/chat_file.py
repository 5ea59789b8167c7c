"""Reads the host's saved chats, in the current and in older file formats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...domain.errors import HostError
from ...infra import regular_files
from ...infra.durable_files import naming_errors
from ...infra.json_codec import load_json
from ...prompt.window import ChatRow
from .codec import from_host

_INODE_MASK = (1 << 63) - 1
_MAX_BYTES = 2**30
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
class FileStamp:
    """Modification time and size of a file: they change with every write.

    `inode` stays through a rename and is no part of the comparison; 0 means unknown.
    """

    mtime_ns: int
    size: int
    inode: int = field(default=0, compare=False)


def file_stamp(path: Path) -> FileStamp | None:
    """Returns the stamp of the file, or None if the file does not exist."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: no file can have such a name
        return None
    return FileStamp(status.st_mtime_ns, status.st_size, status.st_ino & _INODE_MASK)


def read_rows(path: Path) -> tuple[ChatRow, ...]:
    """Returns the rows of a saved chat.

    Raises HostError for a missing or half-written file and for one that is no chat.
    Raises StorageFailed if the disk fails.
    """
    try:
        history = load_json(_read_bytes(path))
        return from_host("", {}, _to_history(history), True).rows
    except _UNREADABLE as exc:
        raise HostError(f"{path.name} cannot be read as a chat: {exc}") from exc


def _read_bytes(path: Path) -> bytes:
    """Returns the content, empty for a missing file. Raises HostError, StorageFailed."""
    with naming_errors(path):
        try:
            return regular_files.read_regular_file(path, largest=_MAX_BYTES)
        except FileNotFoundError:
            return b""
        except regular_files.NotRegularFileError as exc:
            raise HostError(f"{path.name} cannot be read as a chat: {exc}") from exc


def _to_history(saved: Mapping[str, Any]) -> Mapping[str, Any]:
    rows: Sequence[Any] = saved["internal"] if "internal" in saved else saved["data"]
    return {"internal": rows, "metadata": saved.get("metadata") or {}}
