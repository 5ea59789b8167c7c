"""Counts each word of a query in each passage and its neighbours, as one table."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..storage.contract import Column, PassageColumns
from .query_expansion import QueryExpansion

# Neighbouring passages belong to it: an answer seldom repeats the question's words.
CONTEXT_SHARE = 0.3
OTHER_SIDE = 0.7  # factor for the other side, if a question is about one speaker

Table = NDArray[np.float64]


class TermCounts:
    """Tables of word counts: rows are passages, columns are words.

    Neighbours count if they are loaded. `counted` has a column for each term in `known.forms`,
    shape (2, passages, terms).
    """

    def __init__(self, passages: PassageColumns, known: QueryExpansion, counted: Column) -> None:
        self.passages = passages
        self.column = {word: index for index, word in enumerate(known.words)}
        self._counted = counted
        self._words = [self.column[word] for word in known.forms.values()]

    @cached_property
    def own(self) -> Table:
        """Counts of both sides together, shape (passages, words)."""
        return np.asarray(self.sides[0] + self.sides[1])

    def with_context(self, addressed_sides: Sequence[int | None]) -> Table:
        """Returns the weighted counts of each passage and its neighbours, shape (passages, words).

        `addressed_sides` has for each passage the side that the question is about, or None; it is
        empty if the question is about neither speaker.
        """
        own = self.own
        if addressed_sides:
            user = np.array([OTHER_SIDE if side == 1 else 1.0 for side in addressed_sides])
            assistant = np.array([OTHER_SIDE if side == 0 else 1.0 for side in addressed_sides])
            own = user[:, None] * self.sides[0] + assistant[:, None] * self.sides[1]
        return np.asarray(own + CONTEXT_SHARE * self._neighbour_sum(self.own))

    @cached_property
    def lengths(self) -> Table:
        """Lengths in terms, including the neighbours' share, shape (passages,)."""
        own = self.passages.lengths.astype(np.float64).reshape(-1, 1)
        return np.asarray((own + CONTEXT_SHARE * self._neighbour_sum(own))[:, 0])

    @cached_property
    def sides(self) -> Table:
        """Counts of each side, shape (2, passages, words). A related form counts as its word."""
        table = self._counted.astype(np.float64)
        if self._words == list(range(len(self.column))):
            return table
        sides = np.zeros((*table.shape[:2], len(self.column)))
        for index, column in enumerate(self._words):
            sides[:, :, column] += table[:, :, index]
        return sides

    def _neighbour_sum(self, table: Table) -> Table:
        """Returns the sum of both neighbours' rows."""
        padded = np.vstack([table, np.zeros((1, table.shape[1]))])
        return np.asarray(padded[self.passages.before] + padded[self.passages.after])
