"""Turns a search filter into SQL conditions."""

from collections.abc import Iterator

from ....domain.records import MemoryKind
from ...contract import SearchFilter
from .database import LIST, as_json_list

_SCOPED_KIND = MemoryKind.KNOWLEDGE.value

Condition = tuple[str, tuple[object, ...]]


def sql_condition(only: SearchFilter) -> Condition:
    """Returns a condition on a row of `entries` with its values; always true for an empty filter.

    The plus signs keep SQLite from using an index on these columns: another condition is selective.
    """
    found = list(_conditions(only))
    values = (value for _, own in found for value in own)
    return " AND ".join(["1", *(sql for sql, _ in found)]), tuple(values)


def _conditions(only: SearchFilter) -> Iterator[Condition]:
    if only.since is not None:
        yield "+entries.ts >= ?", (only.since,)
    if only.until is not None:
        yield "+entries.ts < ?", (only.until,)
    if only.kinds:
        yield f"+entries.kind IN {LIST}", (as_json_list(sorted(only.kinds)),)
    if only.conversation:
        yield (
            "EXISTS (SELECT 1 FROM positions WHERE positions.row = entries.row "
            "AND positions.conversation = ?)",
            (only.conversation,),
        )
    if only.until_seq is not None:
        yield "+entries.first_seq <= ?", (only.until_seq,)
    if only.applies_in is not None:
        yield (
            "(+entries.kind != ? OR +entries.conversation IN ('', ?))",
            (_SCOPED_KIND, only.applies_in),
        )


def index_conditions(only: SearchFilter) -> Iterator[Condition]:
    """Yields each condition that has an index, as a SELECT of the rows that match it."""
    if only.conversation:
        yield "SELECT row FROM positions WHERE conversation = ?", (only.conversation,)
    if only.since is not None or only.until is not None:
        since, until = (only.since, "ts >= ?"), (only.until, "ts < ?")
        ends = [(value, sql) for value, sql in (since, until) if value is not None]
        asked = " AND ".join(sql for _, sql in ends)
        live = "SELECT row FROM entries INDEXED BY by_state WHERE state = 'live' AND "
        yield live + asked, tuple(value for value, _ in ends)
    if only.kinds and MemoryKind.EXCHANGE not in only.kinds:
        rare = "SELECT row FROM entries INDEXED BY by_kind WHERE kind != 'exchange' AND kind IN "
        yield rare + LIST, (as_json_list(sorted(only.kinds)),)
    if only.until_seq is not None:
        yield (
            "SELECT row FROM entries INDEXED BY by_first_seq WHERE first_seq <= ?",
            (only.until_seq,),
        )
