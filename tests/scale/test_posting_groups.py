"""Postings of full blocks are merged, and nothing that is found changes by it."""

from collections.abc import Iterator
from itertools import count

import pytest

from memory_core.storage.log.events import EventType
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.store import PostgresStore
from memory_core.storage.store import MemoryStore
from tests.builders import added, said
from tests.scale.small_blocks import BLOCK, GROUP, use_small_blocks
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import change

COUNT = 2 * BLOCK * GROUP + 1
PLACES = "SELECT term, block FROM postings ORDER BY term, block"
ALL, FEW, ONE = "harbour", "lantern", "walrus"
_NUMBERS = count()


@pytest.fixture
def store(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresStore]:
    use_small_blocks(monkeypatch)
    opened = PostgresStore(database, f"groups/{next(_NUMBERS)}")
    yield opened
    opened.close()


def text_of(number: int) -> str:
    words = [ALL, *([FEW] if number % BLOCK == 0 else []), *([ONE] if number == 1 else [])]
    return " ".join(words)


def fill(store: MemoryStore) -> None:
    numbers = range(1, COUNT + 1)
    store.apply([added(n, f"id{n}", said(text_of(n), ALL)) for n in numbers], {"talk": 1})


def merge(store: PostgresStore) -> None:
    while store.maintain():
        pass


def blocks(store: PostgresStore, database: Database, term: str) -> list[int]:
    rows = database.rows(store._namespace, PLACES)
    return [block for held, block in rows if held == term]


def found(store: MemoryStore) -> dict[str, list[str]]:
    return {word: store.fulltext.search([word], limit=COUNT) for word in (ALL, FEW, ONE)}


def test_postings_of_full_blocks_become_one_row(store: PostgresStore, database: Database) -> None:
    fill(store)
    before = found(store)
    merge(store)
    assert blocks(store, database, ALL) == [-2, -1, 2 * GROUP]
    assert blocks(store, database, ONE) == [0]
    assert found(store) == before
    assert store.fulltext.corpus([ALL]).document_frequency == {ALL: COUNT}
    assert not store.maintain()


def test_merged_memory_that_changes_is_found_by_its_new_words_alone(store: PostgresStore) -> None:
    oracle = InMemoryStore()
    for one in (store, oracle):
        fill(one)
    merge(store)
    for one in (store, oracle):
        one.apply([change(EventType.REMOVE, "id3", seq=COUNT + 1)], {})
        one.apply([change(EventType.REVISE, "id4", seq=COUNT + 2, user=ONE, assistant=ONE)], {})
    assert found(store) == found(oracle)
    merge(store)
    assert found(store) == found(oracle)


def test_namespace_made_anew_is_merged_anew(store: PostgresStore, database: Database) -> None:
    fill(store)
    merge(store)
    store.clear()
    fill(store)
    assert blocks(store, database, ALL) == list(range(2 * GROUP + 1))
    merge(store)
    assert blocks(store, database, ALL) == [-2, -1, 2 * GROUP]
