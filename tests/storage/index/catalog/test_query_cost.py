"""Questions that are asked again and again must not read the whole catalog each time."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.domain.records import MemoryKind
from memory_core.storage.contract import DerivedFilter
from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import Event, EventType
from tests.builders import NOW, added, said

EXCHANGES, ASKED = 3_000, 100
STEP, MOST_STEPS = 100, 60  # instructions of SQLite's machine; reading each row takes 100 of these


def _note(seq: int) -> Event:
    fields = {"text": "Ana has a cat.", "kind": MemoryKind.KNOWLEDGE.value}
    return Event(seq=seq, op=EventType.NOTE, id="note", ts=NOW, fields=fields)


@pytest.mark.parametrize("ids", [frozenset({*(f"id{n}" for n in range(1, ASKED)), "note"}), None])
@pytest.mark.parametrize("notes", [[], [_note(EXCHANGES + 1)]], ids=["no notes", "a note"])
def test_derived_memories_are_found_without_reading_every_exchange(
    tmp_path: Path, notes: list[Event], ids: frozenset[str] | None
) -> None:
    store = _store_of_exchanges(tmp_path, notes)
    found = list[str]()
    steps = _steps(
        store,
        lambda: found.extend(
            memory.id for memory in store.catalog.find_derived(DerivedFilter(ids=ids))
        ),
    )
    assert found == [note.id for note in notes]
    assert steps <= MOST_STEPS
    store.close()


def test_rows_are_counted_again_after_a_write_only(tmp_path: Path) -> None:
    store = _store_of_exchanges(tmp_path, [])
    first = store.counts()
    assert _steps(store, store.counts) <= MOST_STEPS
    store.apply([_note(EXCHANGES + 1)], {})
    assert store.counts()["live"] == first["live"] + 1
    store.close()


def _store_of_exchanges(folder: Path, notes: list[Event]) -> LocalStore:
    store = LocalStore(folder / "index")
    store.apply([added(n, f"id{n}", said(str(n))) for n in range(1, EXCHANGES + 1)] + notes, {})
    return store


def _steps(store: LocalStore, read: Callable[[], object]) -> int:
    """Returns how many hundred instructions the catalog's connection ran."""
    counted = list[int]()
    with store._database.read_connection() as connection:
        connection.set_progress_handler(lambda: counted.append(1), STEP)
        read()
        connection.set_progress_handler(None, STEP)
    return len(counted)
