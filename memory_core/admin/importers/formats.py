"""Lists the readers of foreign files, the most specific first, and finds the one for a file."""

import os
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from ...domain.errors import ImportFailed, UnknownFormat
from .base import Reader, import_error
from .chatgpt import ChatGPT
from .chatmemory import ChatMemory
from .csv_jsonl import TableReader
from .mem0 import Mem0
from .open_persistent_memory import OpenPersistentMemory
from .own_backups import is_backup
from .sillytavern import SillyTavern
from .text_input import open_file, translate_read_errors
from .textgen import TextgenReader
from .wawawario_ltm import LongTermMemoryDatabase

_ALL_READERS: tuple[Reader, ...] = (
    LongTermMemoryDatabase(),
    OpenPersistentMemory(),
    SillyTavern(),
    ChatGPT(),
    ChatMemory(),
    Mem0(),
    TableReader(),
)
READERS: Mapping[str, Reader] = MappingProxyType({reader.name: reader for reader in _ALL_READERS})
_MAX_COMPARED = 200
_PROGRAM = Path(__file__).resolve().parents[3]
_MAX_ENTRIES = 10_000


def recognise(path: Path) -> Reader | None:
    """Returns the reader for this file or folder, or None.

    Raises ImportFailed if the path does not exist, is empty or cannot be read.
    """
    with translate_read_errors(path):
        path.lstat()
        is_folder = path.is_dir()
        if is_folder and not any(path.iterdir()):
            raise import_error(path, "is an empty folder", "Name the folder that holds the chats")
    if not is_folder:
        with open_file(path):
            pass
    return next((reader for reader in READERS.values() if reader.recognises(path)), None)


def files_of_other_formats(folder: Path, reader: Reader, read: Collection[Path]) -> list[Path]:
    """Returns the unread files directly in the folder that another reader recognises."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and path not in read)
    return [path for path in files[:_MAX_COMPARED] if _is_of_another(path, reader)]


def _is_of_another(path: Path, reader: Reader) -> bool:
    try:
        return not reader.recognises(path) and recognise(path) is not None
    except ImportFailed:
        return False


def all_readers(*, executes_commands: bool = True) -> Mapping[str, Reader]:
    """Returns the readers by name; the first that recognises a path reads it."""
    return {TextgenReader.name: TextgenReader(executes_commands=executes_commands), **READERS}


def find_reader(path: Path, *, executes_commands: bool = True) -> Reader:
    """Returns the reader for a file or folder. Raises ImportFailed if none fits."""
    host = TextgenReader(executes_commands=executes_commands)
    if host.recognises(path):
        return host
    _refuse_wide(path)
    reader = recognise(path)
    if reader is None:
        if is_backup(path):
            raise UnknownFormat(
                f"{path} is a backup of this program: `python -m memory_core restore` reads it"
            )
        problem = f"{path} has no known format; if it is one of these, name it: {_names()}"
        raise UnknownFormat(problem)
    return reader


def _refuse_wide(path: Path) -> None:
    """Raises ImportFailed for huge folders: they may hold unrelated files that look like chats."""
    with translate_read_errors(path):
        is_above = Path(os.path.realpath(path)) in _PROGRAM.parents
    if is_above:
        raise ImportFailed(
            f"{path} is no user_data of text-generation-webui: it has no saved chats in logs, and "
            "it holds this program itself. Name the folder that holds the chats"
        )
    entries = (name for _, folders, files in os.walk(path) for name in (*folders, *files))
    if next(islice(entries, _MAX_ENTRIES, None), None) is not None:
        raise ImportFailed(
            f"{path} holds more than {_MAX_ENTRIES:,} files and folders, and no saved chats of "
            f"text-generation-webui. Name the folder that holds the chats, or the kind: {_names()}"
        )


def _names() -> str:
    return ", ".join(all_readers())
