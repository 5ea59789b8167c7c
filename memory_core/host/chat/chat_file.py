"""The host's saved chats: their folders and file names, and their current and older formats."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
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
_SUFFIX = ".json"
_UNNAMED = "None"
_GENERATED_NAME = re.compile(r"\d{8}-\d\d-\d\d-\d\d")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFolder:
    """The chat folder of one character, or of instruct mode if `character` is None."""

    path: Path
    character: str | None = None

    @property
    def parent(self) -> Path:
        return self.path.parent


def folder_of(user_data: Path, character: str | None) -> ChatFolder | None:
    """Returns the character's folder, or None for a name that is no valid folder name."""
    logs = user_data / "logs"
    if character is None:
        return ChatFolder(path=logs / "instruct")
    if character in ("", ".", "..") or any(mark in character for mark in "/\\\0"):
        return None
    try:
        os.fsencode(character)
    except UnicodeEncodeError:
        return None
    return ChatFolder(path=logs / "chat" / character, character=character)


def character_of(folder: Path) -> str | None:
    """Returns the character whose chats the folder contains: the reverse of folder_of()."""
    return None if folder.parent.name == "logs" else folder.name


def user_data_of(folder: Path) -> Path:
    """Returns the user data folder above a chat folder."""
    logs = folder.parent if character_of(folder) is None else folder.parent.parent
    return logs.parent  # the root itself, if the folder is too near to it


def list_chats(folder: Path) -> Iterator[tuple[str, FileStamp]]:
    """Yields the name and stamp of every chat file. May raise OSError at any step."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.endswith(_SUFFIX) or entry.name.startswith("."):
                continue
            status = _stat(entry)
            if status and stat.S_ISREG(status.st_mode):
                yield entry.name, FileStamp(status.st_mtime_ns, status.st_size)


def _stat(entry: "os.DirEntry[str]") -> os.stat_result | None:
    """Returns None for a file deleted meanwhile and for a link to itself."""
    try:
        return entry.stat()
    except OSError as exc:
        if exc.errno in (errno.ENOENT, errno.ELOOP):
            return None
        raise


def folder_identity(folder: Path) -> str:
    """Returns the device and inode of the folder and its parent. Raises OSError.

    They distinguish the folder from others at its path, such as an unmounted disk's mount point.
    """
    return f"{_device_and_inode(folder)} in {_device_and_inode(folder.parent)}"


def was_child_of(parent: Path, identity: str) -> bool:
    """Returns whether the folder of this identity was in this same parent. Raises OSError."""
    return identity.endswith(f" in {_device_and_inode(parent)}")


def _device_and_inode(folder: Path) -> str:
    status = folder.stat()
    return f"{status.st_dev}:{status.st_ino}"


def has_chats(user_data: Path) -> bool:
    """Returns whether the user data folder holds any chat. Raises OSError."""
    logs = user_data / "logs"
    characters = logs / "chat"
    folders = [logs / "instruct", *(characters.iterdir() if characters.is_dir() else ())]
    return any(True for folder in folders if folder.is_dir() for _ in list_chats(folder))


def conversation_of(name: str) -> str:
    """Returns the host's name of the chat in this file."""
    return name.removesuffix(_SUFFIX)


def is_unnamed(name: str) -> bool:
    """Returns whether this is the shared file of chats whose page lost their id.

    The host overwrites one such chat with the next. A page loses the id when a search hides the
    chat, or when the connection breaks.
    """
    return conversation_of(name) == _UNNAMED


def is_host_generated(name: str) -> bool:
    """Returns whether the host generated the name, as for new, branched and uploaded chats."""
    return _GENERATED_NAME.fullmatch(conversation_of(name)) is not None


def archived_name(name: str, moment: float) -> str:
    """Returns a new name for the memories of a deleted chat; no file can have it."""
    return f"{conversation_of(name)}/{moment:.0f}{_SUFFIX}"


def find_renamed_folder(missing: ChatFolder, known: Sequence[tuple[str, FileStamp]]) -> str | None:
    """Returns the name of the sibling folder with most of the missing folder's files, or None."""
    wanted = dict(known)
    if not wanted:
        return None
    for sibling in sorted(folder for folder in missing.parent.iterdir() if folder.is_dir()):
        same = sum(wanted.get(name) == stamp for name, stamp in list_chats(sibling))
        if 2 * same > len(wanted):
            return sibling.name
    return None
