"""What the extension has written, read from its JSONL files as docs/ describe them."""

import json
from pathlib import Path
from typing import Any

Pair = tuple[str, str]


def exchanges(storage: Path, conversation: str) -> list[Pair]:
    """The living exchanges of a conversation, in its order, whoever's it is."""
    living: dict[str, dict[str, Any]] = {}
    for line in _lines(storage, f"{conversation}.jsonl"):
        if line["op"] == "remove":
            living.pop(line["id"], None)
        else:
            living[line["id"]] = living.get(line["id"], {}) | line
    ordered = sorted(living.values(), key=lambda line: line["place"])
    return [(line["user"], line["assistant"]) for line in ordered]


def conversation_with(storage: Path, words: str) -> str:
    """The name of the conversation in which this was said; empty: it is not written yet."""
    for path in storage.glob("*/*/conversations/*.jsonl"):
        if words in path.read_text(encoding="utf-8"):
            return path.stem
    return ""


def times_added(storage: Path, words: str) -> int:
    """How many exchanges were ever added for these words."""
    lines = _lines(storage, "*.jsonl")
    return sum(line["op"] == "add" and words in line["user"] for line in lines)


def namespaces(storage: Path) -> set[str]:
    return {f"{it.parent.name}/{it.name}" for it in storage.glob("*/*") if it.is_dir()}


def files_with(folder: Path, words: str) -> list[Path]:
    """All files, of whatever kind, in which these words stand."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return [path for path in found if words.encode() in path.read_bytes()]


def _lines(storage: Path, name: str) -> list[dict[str, Any]]:
    texts = [path.read_text("utf-8") for path in storage.glob(f"*/*/conversations/{name}")]
    return [json.loads(line) for text in texts for line in text.splitlines() if line.endswith("}")]
