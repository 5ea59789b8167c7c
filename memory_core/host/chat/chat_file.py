"""The host's saved chat: rows as they stand in the file, whatever its age."""

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
    """What changes whenever the file is written.

    `file` is its number on the disk, which it keeps under another name; 0 where there is none.
    """

    mtime_ns: int
    size: int
    inode: int = field(default=0, compare=False)


def file_stamp(path: Path) -> FileStamp | None:
    """None where there is no such file (any more)."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # ValueError: no file can have such a name
        return None
    return FileStamp(found.st_mtime_ns, found.st_size, found.st_ino & _INODE_MASK)


def read_rows(path: Path) -> tuple[ChatRow, ...]:
    """Raises HostError for a file that is gone, half-written or no chat, StorageFailed for one
    that cannot be read now.
    """
    try:
        history = load_json(_read_bytes(path))
        return from_host("", {}, _to_history(history), True).rows
    except _UNREADABLE as exc:
        raise HostError(f"{path.name} cannot be read as a chat: {exc}") from exc


def _read_bytes(path: Path) -> bytes:
    """Nothing where there is no file. Raises NotOrdinaryError, StorageFailed."""
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
