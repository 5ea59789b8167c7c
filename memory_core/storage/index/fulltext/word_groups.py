"""Finds the rows that hold at least one term of each group, on one side or on both."""

from collections.abc import Sequence

import numpy as np

from ...contract import Side
from .postings import Array, LivePostings, are_in_sorted

WordGroups = Sequence[Sequence[str]]


def rows_with_each(source: LivePostings, groups: WordGroups, side: Side | None) -> Array:
    """Returns the rows of this source that hold a term of each group; `groups` is not empty."""
    found = [_positions_with_any(source, group, side) for group in groups]
    found.sort(key=len)
    both = found[0]
    for positions in found[1:]:
        both = np.intersect1d(both, positions, assume_unique=True)
    return source.postings.columns.numbers[both]


def _positions_with_any(source: LivePostings, group: Sequence[str], side: Side | None) -> Array:
    terms = [term for term in source.terms(list(group)).values() if term >= 0]
    found = [_positions(source, term, side) for term in terms]
    if len(found) == 1:
        return found[0]
    return np.unique(np.concatenate(found)) if found else np.empty(0, dtype="<u4")


def _positions(source: LivePostings, term: int, side: Side | None) -> Array:
    if side is None:
        return source.positions_with_term(term)
    first, last = source.postings.run(term)
    counts = source.postings.user if side is Side.USER else source.postings.assistant
    source.postings.read_ahead.request_run(first, last)
    source.postings.read_ahead.request_counts(first, last)
    positions = source.postings.at[first:last][counts[first:last] > 0]
    return positions[~are_in_sorted(positions, source.deleted_positions)]
