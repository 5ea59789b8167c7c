"""Table of the references of derived memories: sources, subject, key, superseding memory.

It finds derived memories without reading all rows. Forgotten memories are not in it.
"""

import sqlite3
from collections.abc import Iterator, Sequence

from ....domain.derivations import NO_DERIVATION
from ...contract import DerivedFilter
from ...log.projection import MemoryRecord, MemoryStatus
from .database import LIST, as_json_list

SOURCE, SUBJECT, KEY, SUPERSEDED_BY = "source", "subject", "key", "superseded_by"

ANY_NOTE = "SELECT 1 FROM entries INDEXED BY by_kind WHERE kind != 'exchange' LIMIT 1"
_REFERS = f"row IN (SELECT row FROM derivation_refs WHERE relation = ? AND target IN {LIST})"  # noqa: S608

Reference = tuple[str, str]


def replace_references(db: sqlite3.Connection, row: int, entry: MemoryRecord) -> None:
    """Replaces the references of one changed record."""
    db.execute("DELETE FROM derivation_refs WHERE row = ?", (row,))
    add_references(db, [(row, entry)])


def add_references(db: sqlite3.Connection, fresh: Sequence[tuple[int, MemoryRecord]]) -> None:
    """Adds the references of new records."""
    db.executemany(
        "INSERT OR IGNORE INTO derivation_refs VALUES (?, ?, ?)",
        [(*reference, row) for row, entry in fresh for reference in references_of(entry)],
    )


def references_of(entry: MemoryRecord) -> tuple[Reference, ...]:
    """Returns the references of a record, as pairs of relation and target."""
    if entry.status is MemoryStatus.FORGOTTEN:
        return ()
    memory, derived = entry.memory, entry.memory.derived or NO_DERIVATION
    named = (
        *((SOURCE, source) for source in memory.sources),
        (SUBJECT, derived.subject.casefold()),
        (KEY, derived.key.casefold()),
        (SUPERSEDED_BY, derived.superseded_by),
    )
    return tuple((relation, target) for relation, target in named if target)


def derived_condition(only: DerivedFilter) -> tuple[str, tuple[object, ...]]:
    """Returns a condition on a row of `entries` with its values."""
    parts = list(_conditions(only))
    values = (value for _, own in parts for value in own)
    return " AND ".join(["kind != 'exchange'", *(sql for sql, _ in parts)]), tuple(values)


def _conditions(only: DerivedFilter) -> Iterator[tuple[str, tuple[object, ...]]]:
    if only.ids is not None:
        yield f"id IN {LIST}", (as_json_list(sorted(only.ids)),)
    targets = {
        SOURCE: None if only.sources is None else sorted(only.sources),
        SUBJECT: None if only.subject is None else [only.subject.casefold()],
        KEY: None if only.key is None else [only.key.casefold()],
        SUPERSEDED_BY: None if only.superseded_by is None else sorted(only.superseded_by),
    }
    for relation, names in targets.items():
        if names is not None:
            yield _REFERS, (relation, as_json_list(names))
