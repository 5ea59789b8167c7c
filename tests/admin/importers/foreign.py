"""Shared by the readers' tests: functions that make files and read them."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memory_core.admin.importers.base import ImportChat, MemoryOwner
from memory_core.admin.importers.formats import READERS, recognise
from memory_core.domain.records import Exchange

OWNER = MemoryOwner(user="ana", character="Mira")


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode(encoding))
    return path


def write_json(path: Path, value: Any) -> Path:
    return write(path, json.dumps(value))


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    return write(path, "".join(json.dumps(row) + "\n" for row in rows))


def read(path: Path, owner: MemoryOwner = OWNER) -> list[ImportChat]:
    """All chats, by the reader that knows the file."""
    reader = recognise(path)
    assert reader is not None, "nobody knows this file"
    return list(reader.read(path, owner))


def read_as(name: str, path: Path) -> list[ImportChat]:
    return list(READERS[name].read(path, OWNER))


def sides(exchanges: Sequence[Exchange]) -> list[tuple[str, str]]:
    return [(exchange.user, exchange.assistant) for exchange in exchanges]


def said(chats: Sequence[ImportChat]) -> list[tuple[str, str]]:
    return [pair for chat in chats for pair in sides(chat.exchanges)]
