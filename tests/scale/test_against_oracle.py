"""The store in PostgreSQL agrees with the in-memory store after any sequence of changes."""

from functools import partial
from itertools import count

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule, run_state_machine_as_test

from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.store import PostgresStore
from tests.fuzzing import examples
from tests.scale.small_blocks import use_small_blocks
from tests.storage.index.test_against_oracle import DERIVED_FILTERS, Stores

_NUMBERS = count()
LEFT_OVER = """SELECT w.row FROM {} AS w JOIN memories AS m USING (namespace, row)
    WHERE m.state <> 'live'"""
TOTALS = "SELECT live, length FROM namespaces"
COUNTED = "SELECT count(*), coalesce(sum(length), 0)::int8 FROM memories WHERE state = 'live'"
EMPTY = "SELECT term FROM postings WHERE length(data) = 0"
FORGOTTEN_REFERENCES = """SELECT r.row FROM derivation_refs AS r
    JOIN memories AS m USING (namespace, row) WHERE m.state = 'forgotten'"""


class PostgresStores(Stores):
    """`local` is the store in PostgreSQL here."""

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self.namespace = f"oracle/{next(_NUMBERS)}"
        self.open_anew()

    def open_anew(self) -> None:
        self.local.close()
        self.local = PostgresStore(self.database, self.namespace)

    def found(self, sql: str) -> list[tuple[object, ...]]:
        return self.database.rows(self.namespace, sql)

    @rule()
    def reopen(self) -> None:
        self.open_anew()
        self.choose_model()
        self.embed_rest()

    @rule(steps=st.integers(1, 3))
    def seal(self, steps: int) -> None:
        for _ in range(steps):
            self.local.maintain()
        self.embed_rest()  # wiped vectors of texts that come back

    @invariant()
    def nothing_is_left_over(self) -> None:
        for table in ("wanted_vectors", "mentioned_times"):
            assert self.found(LEFT_OVER.format(table)) == []
        assert self.found(EMPTY) == []
        assert self.found(TOTALS) in ([], self.found(COUNTED))

    @invariant()
    def derived_memories_are_the_same(self) -> None:
        for only in DERIVED_FILTERS:
            assert self.local.catalog.find_derived(only) == self.oracle.catalog.find_derived(only)
        assert self.found(FORGOTTEN_REFERENCES) == []


@pytest.mark.parametrize("has_small_blocks", [False, True])
def test_stores_agree_after_any_sequence_of_changes(
    has_small_blocks: bool, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    if has_small_blocks:
        use_small_blocks(monkeypatch)
    run_state_machine_as_test(
        partial(PostgresStores, database),
        settings=settings(
            max_examples=examples(5),
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
