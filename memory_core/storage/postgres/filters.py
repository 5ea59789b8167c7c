"""Turns filters into SQL conditions on a row of `memories`, which the queries call `m`."""

from collections.abc import Iterator

from ...domain.records import MemoryKind
from ..contract import DerivedFilter, SearchFilter
from ..index.catalog.rows import Condition, joined_conditions, wanted_references
from .names import stored_name, text_array

_SCOPED_KIND = MemoryKind.KNOWLEDGE.value
_REFERS = (
    "EXISTS (SELECT 1 FROM derivation_refs AS r WHERE r.namespace = m.namespace AND r.row = m.row "
    "AND r.relation = %s AND r.target = ANY(%s::text[]))"
)


def search_condition(only: SearchFilter) -> Condition:
    """Returns a condition with its values; always true for an empty filter."""
    return joined_conditions(("true", ()), *_search_conditions(only))


def derived_condition(only: DerivedFilter) -> Condition:
    """Returns a condition with its values, for memories that are not exchanges."""
    return joined_conditions(("m.kind <> 'exchange'", ()), *_derived_conditions(only))


def _search_conditions(only: SearchFilter) -> Iterator[Condition]:
    if only.since is not None:
        yield "m.ts >= %s", (only.since,)
    if only.until is not None:
        yield "m.ts < %s", (only.until,)
    if only.kinds:
        yield "m.kind = ANY(%s::text[])", ([kind.value for kind in only.kinds],)
    if only.conversation:
        yield (
            "EXISTS (SELECT 1 FROM places AS p WHERE p.namespace = m.namespace "
            "AND p.row = m.row AND p.conversation = %s)",
            (stored_name(only.conversation),),
        )
    if only.until_seq is not None:
        yield "m.first_seq <= %s", (only.until_seq,)
    if only.applies_in is not None:
        yield (
            "(m.kind <> %s OR m.conversation IN ('', %s))",
            (_SCOPED_KIND, stored_name(only.applies_in)),
        )


def _derived_conditions(only: DerivedFilter) -> Iterator[Condition]:
    if only.kinds:
        yield "m.kind = ANY(%s::text[])", ([kind.value for kind in only.kinds],)
    if only.ids is not None:
        yield "m.id = ANY(%s::text[])", (text_array(map(stored_name, only.ids)),)
    for relation, targets in wanted_references(only):
        yield _REFERS, (relation, text_array(map(stored_name, targets)))
