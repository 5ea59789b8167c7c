"""Lists the readers of foreign files, the most specific first, and finds the one for a file."""

import json
import os
import zipfile
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from pathlib import Path

from ...domain.errors import ImportFailed, UnknownFormat
from ...storage.manifest import MANIFEST
from .base import Reader, import_error
from .chatgpt import ChatGPTReader
from .chatmemory import ChatMemoryReader
from .csv_jsonl import TableReader
from .mem0 import Mem0Reader
from .open_persistent_memory import OpenPersistentMemoryReader
from .sillytavern import SillyTavernReader
from .text_input import open_file, translate_read_errors
from .textgen import TextgenReader
from .wawawario_ltm import LongTermMemoryReader
from .zip_input import DAMAGED_ZIP_ERRORS

_FOREIGN_READERS: tuple[Reader, ...] = (
    LongTermMemoryReader(),
    OpenPersistentMemoryReader(),
    SillyTavernReader(),
    ChatGPTReader(),
    ChatMemoryReader(),
    Mem0Reader(),
    TableReader(),
)
READERS: Mapping[str, Reader] = {reader.name: reader for reader in _FOREIGN_READERS}
# The first that recognises a path reads it.
ALL_READERS: Mapping[str, Reader] = {TextgenReader.name: TextgenReader(), **READERS}
_MAX_COMPARED = 200
_BACKUP_DEPTH = 3
_MAX_MANIFEST_BYTES = 64 << 20
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


def find_reader(path: Path) -> Reader:
    """Returns the reader for a file or folder. Raises ImportFailed if none fits."""
    host = ALL_READERS[TextgenReader.name]
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
    return ", ".join(ALL_READERS)


def is_backup(path: Path) -> bool:
    """Returns True for a zip with the manifest of a backup of ours, even of a damaged one."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any("backup" in json.loads(data) for data in _manifests(archive))
    except (*DAMAGED_ZIP_ERRORS, TypeError):
        return False


def _manifests(archive: zipfile.ZipFile) -> Iterator[bytes]:
    """Yields the manifests, of _MAX_MANIFEST_BYTES at most altogether."""
    left = _MAX_MANIFEST_BYTES
    for info in archive.infolist():
        if left > 0 and _may_be_manifest(info.filename):
            with archive.open(info) as file:
                data = file.read(left)
            left -= len(data)
            yield data


def _may_be_manifest(name: str) -> bool:
    parts = name.split("/")
    return parts[-1] == MANIFEST and len(parts) in (1, _BACKUP_DEPTH)
