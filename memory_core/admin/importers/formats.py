"""Whose files can be read, the most particular first, and which of them a file is."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from .base import Reader, refused
from .chatgpt import ChatGPT
from .chatmemory import ChatMemory
from .csv_jsonl import Plain
from .mem0 import Mem0
from .open_persistent_memory import OpenPersistentMemory
from .sillytavern import SillyTavern
from .text_input import opened, reading
from .wawawario_ltm import LongTermMemoryDatabase

_ALL: tuple[Reader, ...] = (
    LongTermMemoryDatabase(),
    OpenPersistentMemory(),
    SillyTavern(),
    ChatGPT(),
    ChatMemory(),
    Mem0(),
    Plain(),
)
READERS: Mapping[str, Reader] = MappingProxyType({reader.name: reader for reader in _ALL})


def recognise(path: Path) -> Reader | None:
    """The reader for this file or folder, None if there is none; ImportFailed if it is not there,
    is empty or may not be read.
    """
    with reading(path):
        path.lstat()
        is_folder = path.is_dir()
        if is_folder and not any(path.iterdir()):
            raise refused(path, "is an empty folder", "Name the folder that holds the chats")
    if not is_folder:
        with opened(path):
            pass
    return next((reader for reader in READERS.values() if reader.recognises(path)), None)
