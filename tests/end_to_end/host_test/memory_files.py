"""Reads the extension's JSONL files as docs/ describe them."""

import json
from pathlib import Path
from typing import Any

from memory_core.domain.namespaces import encode

Pair = tuple[str, str]


def exchanges(storage: Path, conversation: str) -> list[Pair]:
    """Returns the live exchanges of a conversation in order, of any namespace."""
    said: dict[str, dict[str, Any]] = {}
    places: dict[str, float] = {}
    for log, line in _lines(storage, "*.jsonl"):
        if line["op"] in ("add", "edit"):
            said[line["id"]] = said.get(line["id"], {}) | line
        if log == encode(conversation):
            if line["op"] == "remove":
                places.pop(line["id"], None)
            elif "place" in line:
                places[line["id"]] = line["place"]
    ordered = sorted(places, key=lambda memory_id: places[memory_id])
    return [(said[it]["user"], said[it]["assistant"]) for it in ordered]


def conversation_with(storage: Path, words: str) -> str:
    """Returns the name of the conversation with this message, or an empty text."""
    for path in storage.glob("*/*/conversations/*.jsonl"):
        if words in path.read_text(encoding="utf-8"):
            return path.stem
    return ""


def times_added(storage: Path, words: str) -> int:
    """Returns the number of exchanges ever added with these words."""
    lines = _lines(storage, "*.jsonl")
    return sum(line["op"] == "add" and words in line["user"] for _, line in lines)


def is_forgotten(storage: Path, words: str) -> bool:
    """Returns True if all exchanges with these words have a tombstone or are erased."""
    notes = (path.read_text("utf-8") for path in storage.glob("*/*/notes.jsonl"))
    lines = [json.loads(line) for text in notes for line in text.splitlines()]
    forgotten = {line["id"] for line in lines if line["op"] == "forget"}
    added = [line for _, line in _lines(storage, "*.jsonl") if line["op"] == "add"]
    return forgotten >= {line["id"] for line in added if words in line["user"]}


def namespaces(storage: Path) -> set[str]:
    return {f"{path.parent.name}/{path.name}" for path in storage.glob("*/*") if path.is_dir()}


def files_with(folder: Path, words: str) -> list[Path]:
    """Returns all files of any kind that contain these words."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in found if words.encode() in path.read_bytes()]


def _lines(storage: Path, name: str) -> list[tuple[str, dict[str, Any]]]:
    """Returns (conversation, line) in the order of writing, namespace by namespace."""
    found = [
        (str(path.parent), path.stem, json.loads(line))
        for path in storage.glob(f"*/*/conversations/{name}")
        for line in path.read_text("utf-8").splitlines()
        if line.endswith("}")
    ]
    found.sort(key=lambda entry: (entry[0], entry[2]["seq"]))
    return [(log, line) for _, log, line in found]
