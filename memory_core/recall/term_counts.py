"""How often each word of a query stands in each passage, and around it, as one table."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..storage.contract import Column, PassageColumns
from .query_expansion import QueryExpansion

# What was said just before and after belongs to it: an answer seldom repeats the question's words.
CONTEXT_SHARE = 0.3
OTHER_SIDE = 0.7  # of a question about one of the two speakers

Table = NDArray[np.float64]


class TermCounts:
    """Rows are passages, columns are words; neighbours count where they are at hand as well.

    `counted` has a column for each of the terms in known.forms, shape (2, passages, terms).
    """

    def __init__(self, passages: PassageColumns, known: QueryExpansion, counted: Column) -> None:
        self.passages = passages
        self.column = {word: index for index, word in enumerate(known.words)}
        self._counted = counted
        self._words = [self.column[word] for word in known.forms.values()]

    @cached_property
    def own(self) -> Table:
        """Of both sides together."""
        return np.asarray(self.sides[0] + self.sides[1])

    def with_context(self, asked: Sequence[int | None]) -> Table:
        """Of the passage and its surroundings, where `asked` names for each passage the side that
        the question is about, if any; empty where it is about neither.
        """
        own = self.own
        if asked:
            user = np.array([OTHER_SIDE if side == 1 else 1.0 for side in asked])
            assistant = np.array([OTHER_SIDE if side == 0 else 1.0 for side in asked])
            own = user[:, None] * self.sides[0] + assistant[:, None] * self.sides[1]
        return np.asarray(own + CONTEXT_SHARE * self._neighbour_sum(self.own))

    @cached_property
    def lengths(self) -> Table:
        """In terms, with the share that the surroundings have in around()."""
        own = self.passages.lengths.astype(np.float64).reshape(-1, 1)
        return np.asarray((own + CONTEXT_SHARE * self._neighbour_sum(own))[:, 0])

    @cached_property
    def sides(self) -> Table:
        """Of each side, shape (2, passages, words). Another form counts as the word that it stands
        for.
        """
        table = self._counted.astype(np.float64)
        if self._words == list(range(len(self.column))):
            return table
        sides = np.zeros((*table.shape[:2], len(self.column)))
        for at, column in enumerate(self._words):
            sides[:, :, column] += table[:, :, at]
        return sides

    def _neighbour_sum(self, table: Table) -> Table:
        """The sum of both neighbours' rows."""
        padded = np.vstack([table, np.zeros((1, table.shape[1]))])
        return np.asarray(padded[self.passages.before] + padded[self.passages.after])
