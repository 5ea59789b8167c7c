"""Where the host saves its chats: which folder holds whose, and what lies in it now."""

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .chat_file import FileStamp

_SUFFIX = ".json"
_UNNAMED = "None"
_GENERATED_NAME = re.compile(r"\d{8}-\d\d-\d\d-\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFolder:
    """The chats of one character; of instruct mode where `character` is None."""

    path: Path
    character: str | None = None

    @property
    def parent(self) -> Path:
        return self.path.parent


def folder_of(user_data: Path, character: str | None) -> ChatFolder | None:
    """None for a name that the host can give no folder of its own."""
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
    """Whose chats lie there: the reverse of folder_of()."""
    return None if folder.parent.name == "logs" else folder.name


def user_data_of(folder: Path) -> Path:
    """Below which they lie."""
    return folder.parents[1 if character_of(folder) is None else 2]


def list_chats(folder: Path) -> Iterator[tuple[str, FileStamp]]:
    """The name and stamp of every chat file there. Raises OSError, also in mid-way."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if not entry.name.endswith(_SUFFIX) or entry.name.startswith("."):
                continue
            found = _stat(entry)
            if found and stat.S_ISREG(found.st_mode):
                yield entry.name, FileStamp(found.st_mtime_ns, found.st_size)


def _stat(entry: "os.DirEntry[str]") -> os.stat_result | None:
    """None for what was deleted just now, and for a link to itself."""
    try:
        return entry.stat()
    except OSError as exc:
        if exc.errno in (errno.ENOENT, errno.ELOOP):
            return None
        raise


def folder_identity(folder: Path) -> str:
    """Tells this very folder from another one at the same path, such as the empty one below a disk
    that is not mounted; ends with the same of its parent. Raises OSError.
    """
    return f"{_device_and_inode(folder)} in {_device_and_inode(folder.parent)}"


def was_child_of(parent: Path, identity: str) -> bool:
    """Whether a folder of this place lay in this very parent. Raises OSError."""
    return identity.endswith(f" in {_device_and_inode(parent)}")


def _device_and_inode(folder: Path) -> str:
    found = folder.stat()
    return f"{found.st_dev}:{found.st_ino}"


def has_chats(user_data: Path) -> bool:
    """Whether any chat at all lies there. Raises OSError."""
    logs = user_data / "logs"
    characters = logs / "chat"
    folders = [logs / "instruct", *(characters.iterdir() if characters.is_dir() else ())]
    return any(True for folder in folders if folder.is_dir() for _ in list_chats(folder))


def conversation_of(name: str) -> str:
    """What the host calls the chat in a file of this name."""
    return name.removesuffix(_SUFFIX)


def is_unnamed(name: str) -> bool:
    """Whether the host saves here any chat whose page has lost its id, one over the other: where a
    search shows the chat no more, or the page was cut off.
    """
    return conversation_of(name) == _UNNAMED


def is_host_generated(name: str) -> bool:
    """Whether the host named the chat, as it does with every new one, branch and upload."""
    return _GENERATED_NAME.fullmatch(conversation_of(name)) is not None


def archived_name(name: str, moment: float) -> str:
    """A name for what is kept of a deleted chat, once another one has its name: no file's."""
    return f"{conversation_of(name)}/{moment:.0f}{_SUFFIX}"


def find_renamed_folder(missing: ChatFolder, known: Sequence[tuple[str, FileStamp]]) -> str | None:
    """The folder beside a vanished one that holds most of its files as they were: its new name."""
    wanted = dict(known)
    if not wanted:
        return None
    for sibling in sorted(folder for folder in missing.parent.iterdir() if folder.is_dir()):
        same = sum(wanted.get(name) == stamp for name, stamp in list_chats(sibling))
        if 2 * same > len(wanted):
            return sibling.name
    return None
