"""Every store reports where it differs from the events that it was built from."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.storage.consistency import find_inconsistencies
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event, EventType
from memory_core.storage.log.projection import MemoryRecord, apply_events
from memory_core.storage.store import MemoryStore
from tests.builders import NOW, added, said
from tests.storage.index.in_memory.store import InMemoryStore

LINES: Sequence[Event] = [
    added(1, "a", said("My dog is called Bruno")),
    added(2, "b", said("I work as a beekeeper", ts=None)),
    added(3, "c", said("", "Nothing was asked.")),
    added(4, "d", said("forget this")),
    Event(seq=5, op=EventType.FORGET, id="d", ts=NOW, fields={"sealed": "x"}),
    Event(
        seq=6, op=EventType.NOTE, id="e", ts=NOW, fields={"kind": "knowledge", "text": "no nuts"}
    ),
    Event(seq=7, op=EventType.REMOVE, id="c", ts=NOW, log="talk"),
]


@pytest.fixture(params=["local", "in memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryStore]:
    made: MemoryStore = LocalStore(tmp_path) if request.param == "local" else InMemoryStore()
    made.apply(LINES, {"": 1})
    yield made
    made.close()


def test_store_that_matches_its_events_has_no_inconsistencies(store: MemoryStore) -> None:
    assert (find_inconsistencies(store, apply_events(LINES)), store.find_damage()) == ({}, [])


def _later(entry: MemoryRecord) -> MemoryRecord:
    return replace(entry, memory=replace(entry.memory, ts=NOW + 1))


def _said_otherwise(entry: MemoryRecord) -> MemoryRecord:
    exchange = said("My cat is called Bruno in truth")
    return replace(entry, memory=replace(entry.memory, exchange=exchange))


@pytest.mark.parametrize(
    ("memory_id", "change", "what"),
    [
        ("a", _later, "have another time"),
        ("a", _said_otherwise, "are found by other words than their own"),
        ("d", lambda record: replace(record, forgotten_at=None), "cannot be found by words"),
        ("b", lambda record: replace(record, forgotten_at=NOW), "can be found, but are gone"),
        ("e", lambda record: replace(record, seq=9), "are not what their lines say"),
    ],
)
def test_records_that_differ_from_their_events_are_reported(
    store: MemoryStore, memory_id: str, change: Callable[[MemoryRecord], MemoryRecord], what: str
) -> None:
    entries = apply_events(LINES)
    entries[memory_id] = change(entries[memory_id])
    assert memory_id in find_inconsistencies(store, entries)[what]


def test_missing_records_are_reported(store: MemoryStore) -> None:
    line = added(9, "new", said("never applied"))
    assert find_inconsistencies(store, apply_events([*LINES, line]))["are missing"] == ["new"]
