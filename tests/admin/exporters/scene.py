"""A namespace with every kind of memory and event, and functions to compare it."""

import zipfile
from pathlib import Path
from typing import Any

from memory_core.admin.backup.writer import write_backup
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from tests.builders import DAY, NOW, SPACE, asked, said

FORGOTTEN = "The safe opens with Kumquat"
QUESTIONS = ("What is my dog called?", "Where does my sister live?", "What must Ana not eat?")


def fill(memory: LongTermMemory, space: Namespace = SPACE) -> dict[str, str]:
    """Fills the namespace; returns ids by a word."""
    monday = [
        said("My dog is called Bruno", ts=NOW - DAY),
        said("My sister lives in Lyon", ts=NOW - DAY + 1),
        said("I will not stay here", ts=NOW - DAY + 2),
        said(FORGOTTEN, ts=NOW - DAY + 3),
    ]
    memory.reconcile(space, "monday", monday, whole=True)
    memory.reconcile(space, "monday", [*monday[:2], monday[3]], whole=True)
    memory.reconcile(space, "Monday's branch", monday[:2], whole=True)
    ids = {
        entry.exchange.user: entry.id
        for entry in memory.latest(space, Page(limit=9))
        if entry.exchange
    }
    found = {
        "dog": ids["My dog is called Bruno"],
        "sister": ids["My sister lives in Lyon"],
        "undated": memory.remember(space, "tuesday", said("Nobody knows when", ts=None)),
        "nuts": memory.add_note(space, "Ana must not eat nuts", kind=MemoryKind.DIARY, pinned=True),
        "page": memory.add_note(space, "Kumquat was her word", kind=MemoryKind.DIARY, pinned=False),
        "safe": ids[FORGOTTEN],
    }
    memory.pin(space, found["dog"])
    memory.edit(space, found["sister"], {"user": "My sister lives in Lyon, at the river"})
    memory.forget(space, [found["safe"], found["page"]])
    return found


def seen(memory: LongTermMemory, space: Namespace = SPACE) -> dict[str, Any]:
    """Returns everything visible in a namespace, except for its names."""
    ids = sorted(entry.id for entry in memory.latest(space, Page(limit=1000)))
    entries = memory.get_records(space, ids)
    counts = memory.counts(space)
    return {
        "entries": [entries[memory_id] for memory_id in ids],
        "standing": [entry.id for entry in memory.always_in_prompt(space)],
        "live": counts["live"],
        "forgotten": counts["forgotten"],
        "recalled": [recalled_bytes(memory, space, question) for question in QUESTIONS],
    }


def recalled_bytes(memory: LongTermMemory, space: Namespace, question: str) -> bytes:
    """Returns the recalled candidates with their scores, as bytes."""
    found = memory.recall(space, asked(question))
    return repr([candidate.candidate for candidate in found.kept]).encode()


def exported(memory: LongTermMemory, path: Path, *spaces: Namespace) -> Path:
    write_backup(path, memory.root, spaces or [SPACE], now=NOW)
    return path


def unpacked(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {info.filename: archive.read(info) for info in archive.infolist()}


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def files(root: Path) -> dict[str, bytes]:
    """Returns the logs and state files below a storage folder, without indexes and locks."""
    found = [
        path for path in root.rglob("*") if path.is_file() and path.suffix in (".jsonl", ".json")
    ]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}
