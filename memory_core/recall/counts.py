"""How often each word of a query stands in each passage, and around it, as one table."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..stores.base import Passage
from .vocabulary import Vocabulary

# What was said just before and after belongs to it: an answer seldom repeats the question's words.
AROUND = 0.3
OTHER_SIDE = 0.7  # of a question about one of the two speakers

Table = NDArray[np.float64]


class Counts:
    """Rows are passages, columns are words; neighbours count where they are at hand as well."""

    def __init__(self, passages: Sequence[Passage], known: Vocabulary) -> None:
        self.passages = passages
        self.column = {word: at for at, word in enumerate(known.words)}
        self._columns = {it: self.column[word] for it, word in known.forms.items()}
        self.row = {it.id: at for at, it in enumerate(passages)}

    @cached_property
    def own(self) -> Table:
        """Of both sides together."""
        return self._sides[0] + self._sides[1]

    def around(self, asked: Sequence[int | None]) -> Table:
        """Of the passage and its surroundings, where `asked` names for each passage the side that
        the question is about, if any.
        """
        user = np.array([OTHER_SIDE if side == 1 else 1.0 for side in asked])
        assistant = np.array([OTHER_SIDE if side == 0 else 1.0 for side in asked])
        own = user[:, None] * self._sides[0] + assistant[:, None] * self._sides[1]
        return np.asarray(own + AROUND * (self._beside(self.own)))

    @cached_property
    def lengths(self) -> Table:
        """In terms, with the share that the surroundings have in around()."""
        own = np.array([[float(it.length)] for it in self.passages]).reshape(-1, 1)
        return np.asarray((own + AROUND * self._beside(own))[:, 0])

    @cached_property
    def _sides(self) -> tuple[Table, Table]:
        tables = np.zeros((2, len(self.passages), len(self.column)))
        for at, passage in enumerate(self.passages):
            for side, words in enumerate(passage.terms):
                for word in words:
                    if word in self._columns:
                        tables[side, at, self._columns[word]] += 1.0
        return tables[0], tables[1]

    def _beside(self, table: Table) -> Table:
        """The sum of both neighbours' rows."""
        padded = np.vstack([table, np.zeros((1, table.shape[1]))])
        before = [self._at(it.before) for it in self.passages]
        after = [self._at(it.after) for it in self.passages]
        return np.asarray(padded[before] + padded[after])

    def _at(self, memory_id: str | None) -> int:
        return self.row.get(memory_id, -1) if memory_id else -1
