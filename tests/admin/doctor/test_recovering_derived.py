"""The doctor's events bring a derived memory back with all that is known of it."""

from dataclasses import replace
from pathlib import Path

from memory_core.admin.doctor.recover_lines import restoring_events
from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.storage.log.events import Event
from memory_core.storage.log.projection import MemoryRecord, apply_events
from tests.builders import NOW, SPACE, open_memory
from tests.memory.derived_scene import LISBON, PORTO, observe, remember


def _record(tmp_path: Path) -> MemoryRecord:
    memory = open_memory(tmp_path)
    told = Derivation(made_by=EXTRACTIVE, subject="Ana", key="home", event_from=NOW)
    old = observe(memory, "Ana lives in Porto.", remember(memory, PORTO), derived=told)
    new = observe(memory, "Ana lives in Lisbon.", remember(memory, LISBON))
    DerivedMemories(memory).supersede(SPACE, old, new)
    return memory.get_record(SPACE, old)


def _after(known: MemoryRecord, logged: MemoryRecord | None) -> MemoryRecord:
    events = [
        Event(seq=100 + n, op=new.op, id=new.id, ts=new.ts, fields=new.fields, log=new.log)
        for n, new in enumerate(restoring_events(known, logged))
    ]
    before = {known.memory.id: logged} if logged else {}
    return apply_events(events, before)[known.memory.id]


def test_lost_note_comes_back_with_sources_and_derivation(tmp_path: Path) -> None:
    known = _record(tmp_path)
    assert _after(known, None).memory == known.memory


def test_lost_supersession_comes_back(tmp_path: Path) -> None:
    known = _record(tmp_path)
    assert known.memory.derived is not None
    holding = replace(known.memory.derived, superseded_by="", valid_to=None)
    logged = replace(known, memory=replace(known.memory, derived=holding))
    assert _after(known, logged).memory == known.memory


def test_withdrawn_memory_stays_withdrawn(tmp_path: Path) -> None:
    known = _record(tmp_path)
    withdrawn = replace(known, forgotten_at=NOW, tombstone_hash="5ea1", is_withdrawn=True)
    found = _after(withdrawn, known)
    assert (found.forgotten_at, found.is_withdrawn) == (NOW, True)
