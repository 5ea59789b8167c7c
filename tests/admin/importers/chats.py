"""A user_data folder with chats in it, in every format that text-generation-webui ever wrote."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.source import ImportSource
from memory_core.admin.importers.textgen import TextgenReader
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory

GREETING = ["<|BEGIN-VISIBLE-CHAT|>", "Good morning!"]
MIRA = Namespace("default", "Mira")

Row = Sequence[Any]


def history(rows: Sequence[Row], stamps: Mapping[int, str] | None = None) -> dict[str, Any]:
    """Today's format; `stamps` are the times of rows by their index."""
    metadata = {f"user_{row}": {"timestamp": stamp} for row, stamp in (stamps or {}).items()}
    return {"internal": list(rows), "visible": list(rows), "metadata": metadata}


def old_history(rows: Sequence[Row]) -> dict[str, Any]:
    return {"data": list(rows), "data_visible": list(rows)}


def save(folder: Path, name: str, saved: object) -> Path:
    """Below `logs/`."""
    path = folder / "logs" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(saved), encoding="utf-8")
    return path


def source(path: Path, user: str = "default", character: str = "") -> ImportSource:
    return ImportSource(
        reader=TextgenReader(), path=path, owner=MemoryOwner(user=user, character=character)
    )


def said(memory: LongTermMemory, space: Namespace, conversation: str) -> list[tuple[str, str]]:
    found = memory.conversation(space, conversation, 10_000)
    return [(entry.exchange.user, entry.exchange.assistant) for entry in found if entry.exchange]
