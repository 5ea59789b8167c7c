"""A namespace in which everything has happened, and ways to look at what became of it."""

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
    """Names what it made: ids by a word."""
    monday = [
        said("My dog is called Bruno", ts=NOW - DAY),
        said("My sister lives in Lyon", ts=NOW - DAY + 1),
        said("I will not stay here", ts=NOW - DAY + 2),
        said(FORGOTTEN, ts=NOW - DAY + 3),
    ]
    memory.reconcile(space, "monday", monday, whole=True)
    memory.reconcile(space, "monday", [*monday[:2], monday[3]], whole=True)
    memory.reconcile(space, "Monday's branch", monday[:2], whole=True)
    ids = {it.exchange.user: it.id for it in memory.latest(space, Page(limit=9)) if it.exchange}
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
    """All that anybody can see of a namespace, but for its names."""
    ids = sorted(it.id for it in memory.latest(space, Page(limit=1000)))
    entries = memory.get_records(space, ids)
    counts = memory.counts(space)
    return {
        "entries": [entries[it] for it in ids],
        "standing": [it.id for it in memory.always_in_prompt(space)],
        "live": counts["live"],
        "forgotten": counts["forgotten"],
        "recalled": [recalled_bytes(memory, space, it) for it in QUESTIONS],
    }


def recalled_bytes(memory: LongTermMemory, space: Namespace, question: str) -> bytes:
    """What recall finds, with its scores, as bytes."""
    found = memory.recall(space, asked(question))
    return repr([it.candidate for it in found.kept]).encode()


def exported(memory: LongTermMemory, path: Path, *spaces: Namespace) -> Path:
    write_backup(path, memory.root, spaces or [SPACE], now=NOW)
    return path


def unpacked(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {it.filename: archive.read(it) for it in archive.infolist()}


def packed(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def files(root: Path) -> dict[str, bytes]:
    """The truth below a storage folder; what is derived and the locks are left out."""
    found = [it for it in root.rglob("*") if it.is_file() and it.suffix in (".jsonl", ".json")]
    return {it.relative_to(root).as_posix(): it.read_bytes() for it in found}
