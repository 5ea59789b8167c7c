"""What an embedder says of a message, before what is usual in a namespace.

A cosine means something else for every model and every message, so it is never used as it is: it
is told in standard deviations from what a sample of the namespace's own exchanges gives. And a
model that does not know a language gives numbers all the same: how far it can be believed in this
one is measured apart from any history (probes.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..infra.deadlines import Deadline
from ..providers.embedders.base import Embedder, Vectors, unit
from ..storage.contract import MemoryStore
from .language_mix import Shares, language_shares
from .query import Query
from .term_counts import Table

SAMPLE = 512
UNMEASURED = 0.5  # half believed, until it is known how well the model knows a language
_FEW = 8
_USUAL = (0.2, 0.12)  # mean and spread of MiniLM's cosines between turns of one chat
_LEAST_SPREAD = 1e-3
_TEN = 10.0
_NEARER = 2  # beside the two sides

Pair = tuple[Vectors | None, Vectors | None]
Usual = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Backdrop:
    """A sample of exchanges: unit vectors of both sides, shape (n, dim) each, and which share of
    what they say is in which language.
    """

    user: Vectors
    assistant: Vectors
    languages: Shares

    def usual(self, vector: Vectors) -> "UsualCosines":
        """Returns what is usual of the sample's cosines with a message."""
        user, assistant = self.user @ vector, self.assistant @ vector
        turns = (user, assistant, np.maximum(user, assistant))
        return UsualCosines(turns=tuple(map(_spread, turns)), sums=_spread(user + assistant))


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualCosines:
    """Mean and spread of a sample's cosines with a message: of the users' turns, the answers and
    the nearer turns; and of both turns' sums.
    """

    turns: tuple[Usual, ...]
    sums: Usual


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """A message's vector, shape (dim,), before its backdrop.

    `trust` is how far the embedder can be believed about it, 0 … 1; `note` says so in plain words
    where that is little.
    """

    vector: Vectors
    backdrop: Backdrop
    trust: float = UNMEASURED
    note: str = ""

    def nearness(self, cosines: Table, asked: Sequence[int | None]) -> tuple[Table, Table]:
        """For each exchange how much nearer than usual its turn of the one asked about lies, or
        else the nearer one; and how much nearer both together. 1 is ten standard deviations.

        `cosines` are those of both turns, shape (n, 2), nan where there is no vector; `asked` may
        be empty where nobody is asked about.
        """
        lacks = np.isnan(cosines)
        counts = 2 - lacks.sum(axis=1)
        near = self._near_sides(cosines)
        turns = near[_NEARER]
        if asked:
            rows = [_NEARER if side is None else side for side in asked]
            turns = near[rows, np.arange(len(cosines))]
        sums = 2 * np.where(lacks, 0.0, cosines).sum(axis=1) / np.maximum(1, counts)
        return turns, _above(sums, self._usual.sums) * (counts > 0)

    def near_by_side(self, cosines: Table) -> Table:
        """For each exchange how much nearer than usual either turn lies, shape (2, n)."""
        return self._near_sides(cosines)[:_NEARER]

    def _near_sides(self, cosines: Table) -> Table:
        """Of the user's turns, the answers and the nearer turns; what is no vector lies afar."""
        user, assistant = np.where(np.isnan(cosines), -1.0, cosines).T
        turns = (user, assistant, np.maximum(user, assistant))
        each = zip(turns, self._usual.turns, strict=True)
        return np.array([_above(turn, usual) for turn, usual in each])

    @cached_property
    def _usual(self) -> UsualCosines:
        return self.backdrop.usual(self.vector)


def embedded(query: Query, embedder: Embedder, *, timeout_s: float) -> Vectors:
    """The message's vector, drawn towards what was said before it. Raises EmbedderUnavailable."""
    patience = Deadline(timeout_s)
    own = embedder.embed_query(query.voiced, timeout_s=patience.left)
    if not query.context:
        return own
    before = embedder.embed_query(query.said_before, timeout_s=patience.left)
    return unit(own + query.pull_of_context * before)


def backdrop_of(store: MemoryStore, dim: int) -> Backdrop:
    """From a fixed sample of what is stored and embedded."""
    ids = store.embedded_pairs(SAMPLE)
    entries = store.get(ids)
    rows, said = list[Pair](), list[str]()
    for memory_id, pair in store.vectors(ids).items():  # a damaged file may lack some
        exchange = entries[memory_id].memory.exchange if memory_id in entries else None
        if exchange is not None and all(row is not None for row in pair):
            rows.append(pair)
            said += (exchange.user, exchange.assistant)
    return Backdrop(
        user=np.array([it[0] for it in rows], dtype=np.float32).reshape(-1, dim),
        assistant=np.array([it[1] for it in rows], dtype=np.float32).reshape(-1, dim),
        languages=language_shares(said),
    )


def _spread(values: NDArray[Any]) -> Usual:
    if values.size < _FEW:
        return _USUAL
    return float(values.mean()), max(_LEAST_SPREAD, float(values.std()))


def _above(cosines: Table, usual: Usual) -> Table:
    mean, spread = usual
    return np.asarray(np.maximum(0.0, (cosines - mean) / spread) / _TEN)
