"""A memory of every kind with every field survives an export and its import elsewhere.

What a format cannot carry stands in docs/imports.md.
"""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from memory_core.admin.exporters.export import ENDINGS, ExportFormat, export_namespace
from memory_core.admin.exporters.live_memories import live_memories
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.derivations import Derivation, Flag
from memory_core.domain.records import Exchange, Memory, MemoryKind
from memory_core.memory.diary import Diary
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import NOW, SPACE, open_memory, said
from tests.memory.derived_scene import observe

TABLES = [ExportFormat.JSONL, ExportFormat.CSV]
FULL = Derivation(
    made_by="model",
    subject="Zoe",
    key="home",
    value="Porto",
    search_words="Portugal",
    event_from=NOW,
    event_to=NOW + 1,
    valid_from=NOW,
    valid_to=NOW + 9,
    flag=Flag.FICTION,
    is_rejected=True,
)
# Ids of other memories, which differ elsewhere.
OF_THIS_STORAGE = {"id", "position", "sources", "derived"}


def fill(memory: LongTermMemory) -> None:
    full = Exchange(
        user="My dog is called Bruno",
        assistant="A fine name.",
        user_name="Ana",
        assistant_name="Mira",
        ts=NOW + 0.25,
        channel="web",
        metadata={"source": {"pages": [1, 2]}},
    )
    dog = memory.remember(SPACE, "monday", full)
    memory.pin(SPACE, dog)
    memory.remember(SPACE, "monday", said("Nobody knows when", "", ts=None))
    sister = memory.remember(SPACE, "tues/day", said("My sister lives in Lyon", ts=NOW + 5))
    for kind in set(MemoryKind) - {MemoryKind.EXCHANGE}:
        memory.add_note(SPACE, f"A {kind}", kind=kind, pinned=False)
        memory.add_note(SPACE, f"A pinned {kind}", kind=kind, pinned=True)
    for name in ("monday", "without messages"):
        text, kind = f"Only in {name}", MemoryKind.KNOWLEDGE
        memory.add_note(SPACE, text, kind=kind, pinned=True, conversation=name)
    Diary(memory).write(SPACE, date(2025, 6, 1), "A day at sea.")
    porto = observe(memory, "Zoe lives in Porto.", dog, derived=FULL)
    lyon = observe(memory, "Zoe lives in Lyon.", sister)
    observe(memory, "Zoe moves often.", porto, lyon, kind=MemoryKind.INSIGHT)


def seen(memory: LongTermMemory) -> dict[str, Mapping[str, Any]]:
    """Returns text → all fields of each memory, with the texts of others in place of their ids."""
    memories = list(live_memories(memory, SPACE))
    texts = {one.id: one.text for one in memories}
    return {one.text: _fields(one, texts) for one in memories}


def _fields(memory: Memory, texts: Mapping[str, str]) -> Mapping[str, Any]:
    own = {one.name: getattr(memory, one.name) for one in fields(memory)}
    own = {name: value for name, value in own.items() if name not in OF_THIS_STORAGE}
    derived = memory.derived.to_fields() if memory.derived else {}
    # Readers of tables name conversations anew.
    own["conversation"] = memory.conversation.removeprefix("plain-")
    return own | derived | {"made of": sorted(texts[name] for name in memory.sources)}


def exported(memory: LongTermMemory, form: ExportFormat, folder: Path) -> ImportSource:
    path = folder / f"all{ENDINGS[form]}"
    export_namespace(memory, SPACE, form, path)
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    return ImportSource(reader=TableReader(), path=path, owner=owner)


@pytest.mark.parametrize("form", TABLES)
def test_every_field_survives_an_export_and_its_import_elsewhere(
    tmp_path: Path, form: ExportFormat
) -> None:
    memory, other = open_memory(tmp_path / "one"), open_memory(tmp_path / "two")
    fill(memory)
    source = exported(memory, form, tmp_path)
    assert import_chats(other, source).failures == []
    expected, found = seen(memory), seen(other)
    assert found.keys() == expected.keys()
    assert {text: found[text] for text in found if found[text] != expected[text]} == {}


def test_table_whose_times_a_spreadsheet_rounded_has_its_dates(tmp_path: Path) -> None:
    memory, other = open_memory(tmp_path / "one"), open_memory(tmp_path / "two")
    memory.remember(SPACE, "monday", said("My dog is called Bruno", ts=NOW + 0.25))
    source = exported(memory, ExportFormat.CSV, tmp_path)
    rounded = source.path.read_text("utf-8").replace(repr(NOW + 0.25), "1.79E+09")
    source.path.write_text(rounded, encoding="utf-8")
    import_chats(other, source)
    assert [one.ts for one in live_memories(other, SPACE)] == [NOW]


@pytest.mark.parametrize("form", TABLES)
def test_importing_the_export_again_adds_nothing_and_pins_nothing(
    tmp_path: Path, form: ExportFormat
) -> None:
    memory, other = open_memory(tmp_path / "one"), open_memory(tmp_path / "two")
    fill(memory)
    source = exported(memory, form, tmp_path)
    import_chats(other, source)
    for one in list(live_memories(other, SPACE)):
        other.unpin(SPACE, one.id)
    for known in (memory, other):
        before = seen(known)
        done = import_chats(known, source)
        assert (done.added, done.changed, done.notes) == (0, 0, 0)
        assert seen(known).keys() == before.keys()
    assert [one.text for one in live_memories(other, SPACE) if one.pinned] == []
