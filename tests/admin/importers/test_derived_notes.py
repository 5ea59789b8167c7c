"""Derived memories survive an export as JSONL and its import, with sources and validity."""

import json
from pathlib import Path

from memory_core.admin.exporters.export import ExportFormat, export_namespace
from memory_core.admin.importers.base import MemoryOwner
from memory_core.admin.importers.csv_jsonl import TableReader
from memory_core.admin.importers.engine import import_chats
from memory_core.admin.importers.source import ImportSource
from memory_core.domain.derivations import EXTRACTIVE, Derivation, Flag
from memory_core.domain.records import Memory, MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import DerivedFilter
from tests.builders import NOW, SPACE, open_memory
from tests.memory.derived_scene import observe, remember

TOLD = Derivation(
    made_by=EXTRACTIVE, subject="Zoe", key="home", value="Porto", event_from=NOW, flag=Flag.FICTION
)


def _export(memory: LongTermMemory, path: Path) -> Path:
    export_namespace(memory, SPACE, ExportFormat.JSONL, path)
    return path


def _import(memory: LongTermMemory, path: Path) -> int:
    owner = MemoryOwner(user=SPACE.user, character=SPACE.character)
    return import_chats(memory, ImportSource(reader=TableReader(), path=path, owner=owner)).notes


def _by_text(memory: LongTermMemory) -> dict[str, Memory]:
    found = DerivedMemories(memory).find(SPACE, DerivedFilter())
    return {memory.text: memory for memory in found}


def _filled(folder: Path) -> LongTermMemory:
    memory = open_memory(folder)
    sources = [remember(memory, text) for text in ("I live in Porto", "Now in Lisbon")]
    old = observe(memory, "Porto.", sources[0], derived=TOLD)
    new = observe(memory, "Lisbon.", sources[1])
    observe(memory, "Moves.", old, new, kind=MemoryKind.INSIGHT)
    DerivedMemories(memory).supersede(SPACE, old, new)
    return memory


def test_imported_export_has_derived_memories_with_sources_and_validity(tmp_path: Path) -> None:
    first, other = _filled(tmp_path / "one"), open_memory(tmp_path / "two")
    path = _export(first, tmp_path / "all.jsonl")
    assert _import(other, path) == 3
    found = _by_text(other)
    porto, lisbon, insight = (found[text] for text in ("Porto.", "Lisbon.", "Moves."))
    assert porto.derived == Derivation(
        **{**_as_kwargs(TOLD), "superseded_by": lisbon.id, "valid_to": NOW}
    )
    assert set(insight.sources) == {porto.id, lisbon.id}
    [source] = porto.sources
    assert other.get_record(SPACE, source).memory.text.startswith("Ana: I live in Porto")
    assert _import(other, path) == 0
    other.forget(SPACE, [source])
    assert set(_by_text(other)) == {"Lisbon."}


def _as_kwargs(derived: Derivation) -> dict[str, object]:
    return {name: getattr(derived, name) for name in derived.to_fields()}


def test_derived_note_without_its_sources_is_left_out(tmp_path: Path) -> None:
    memory = _filled(tmp_path / "one")
    lines = _export(memory, tmp_path / "all.jsonl").read_text(encoding="utf-8").splitlines()
    path = tmp_path / "some.jsonl"
    kept = [line for line in lines if json.loads(line).get("user") != "I live in Porto"]
    path.write_text("\n".join(kept) + "\n", encoding="utf-8")
    other = open_memory(tmp_path / "two")
    assert _import(other, path) == 1
    assert set(_by_text(other)) == {"Lisbon."}


def test_unreadable_derivation_leaves_an_ordinary_note(tmp_path: Path) -> None:
    row = {"kind": "observation", "text": "A note.", "derived": {"event_from": "soon"}}
    path = tmp_path / "odd.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    memory = open_memory(tmp_path / "one")
    assert _import(memory, path) == 1
    assert _by_text(memory)["A note."].derived is None
