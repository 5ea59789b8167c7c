"""Each kind of file finds its reader and is imported completely, and only once."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.formats import READERS, recognise
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import Page
from tests.admin.importers.foreign import OWNER, write_json, write_lines
from tests.admin.importers.test_chatgpt import small
from tests.admin.importers.test_chatmemory import history
from tests.admin.importers.test_csv_jsonl import AS_PAIRS, table
from tests.admin.importers.test_mem0 import fact
from tests.admin.importers.test_open_persistent_memory import pair
from tests.admin.importers.test_sillytavern import HEADER, by_char, by_user
from tests.admin.importers.test_wawawario_ltm import TALK, database, dump

Make = Callable[[Path], Path]

SAMPLES: Mapping[str, tuple[str, Make]] = {
    "database": ("long_term_memory", lambda folder: database(folder / "mira", TALK)),
    "databases": (
        "long_term_memory",
        lambda folder: database(folder / "bot_memories", TALK).parent,
    ),
    "dump": ("long_term_memory", lambda folder: dump(folder / "mira.csv", TALK)),
    "log": (
        "openpersistentmemory",
        lambda folder: write_lines(folder / "c1.jsonl", [pair(1, "a")]),
    ),
    "tavern": (
        "sillytavern",
        lambda folder: write_lines(folder / "a.jsonl", [HEADER, by_user("a"), by_char("b")]),
    ),
    "conversations": (
        "chatgpt",
        lambda folder: write_json(folder / "conversations.json", [small()]),
    ),
    "history": (
        "chatmemory",
        lambda folder: write_json(folder / "h.json", {"messages": history()}),
    ),
    "facts": (
        "mem0",
        lambda folder: write_json(folder / "m.json", {"results": [fact("a"), fact("b")]}),
    ),
    "csv": ("plain", lambda folder: table(folder / "a.csv", AS_PAIRS)),
    "jsonl": ("plain", lambda folder: write_lines(folder / "a.jsonl", AS_PAIRS)),
}


def texts(memory: LongTermMemory) -> list[tuple[Namespace, str]]:
    page = Page(limit=100)
    return [
        (space, entry.text) for space in memory.namespaces() for entry in memory.latest(space, page)
    ]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_file_finds_its_reader(tmp_path: Path, sample: str) -> None:
    name, make = SAMPLES[sample]
    reader = recognise(make(tmp_path))
    assert reader is READERS[name]
    assert reader.name == name


def test_every_reader_has_a_sample() -> None:
    assert {name for name, _ in SAMPLES.values()} == set(READERS)


@pytest.mark.parametrize("sample", SAMPLES)
def test_second_import_of_a_file_adds_nothing(
    tmp_path: Path, memory: LongTermMemory, sample: str
) -> None:
    name, make = SAMPLES[sample]
    files = tmp_path / "files"
    files.mkdir()
    source = ImportSource(reader=READERS[name], path=make(files), owner=OWNER)
    first = import_chats(memory, source)
    once = texts(memory)
    again = import_chats(memory, source)
    assert first.failures == []
    assert once
    assert (texts(memory), again.added, again.changed, again.removed) == (once, 0, 0, 0)
