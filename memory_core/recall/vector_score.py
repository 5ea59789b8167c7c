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

VectorPair = tuple[Vectors | None, Vectors | None]
MeanAndSpread = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class SimilarityBaseline:
    """A sample of exchanges: unit vectors of both sides, shape (n, dim) each, and which share of
    what they say is in which language.
    """

    user: Vectors
    assistant: Vectors
    languages: Shares

    def mean_and_spread(self, vector: Vectors) -> "BaselineCosines":
        """Returns what is usual of the sample's cosines with a message."""
        user, assistant = self.user @ vector, self.assistant @ vector
        turns = (user, assistant, np.maximum(user, assistant))
        return BaselineCosines(
            turns=tuple(map(_mean_and_spread, turns)), sums=_mean_and_spread(user + assistant)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineCosines:
    """Mean and spread of a sample's cosines with a message: of the users' turns, the answers and
    the nearer turns; and of both turns' sums.
    """

    turns: tuple[MeanAndSpread, ...]
    sums: MeanAndSpread


@dataclass(frozen=True, kw_only=True)
class QueryVector:
    """A message's vector, shape (dim,), before its backdrop.

    `trust` is how far the embedder can be believed about it, 0 … 1; `note` says so in plain words
    where that is little.
    """

    vector: Vectors
    baseline: SimilarityBaseline
    trust: float = UNMEASURED
    note: str = ""

    def similarity_above_baseline(
        self, cosines: Table, asked: Sequence[int | None]
    ) -> tuple[Table, Table]:
        """For each exchange how much nearer than usual its turn of the one asked about lies, or
        else the nearer one; and how much nearer both together. 1 is ten standard deviations.

        `cosines` are those of both turns, shape (n, 2), nan where there is no vector; `asked` may
        be empty where nobody is asked about.
        """
        lacks = np.isnan(cosines)
        counts = 2 - lacks.sum(axis=1)
        near = self._similarities(cosines)
        turns = near[_NEARER]
        if asked:
            rows = [_NEARER if side is None else side for side in asked]
            turns = near[rows, np.arange(len(cosines))]
        sums = 2 * np.where(lacks, 0.0, cosines).sum(axis=1) / np.maximum(1, counts)
        return turns, _above_baseline(sums, self._baseline_cosines.sums) * (counts > 0)

    def similarity_by_side(self, cosines: Table) -> Table:
        """For each exchange how much nearer than usual either turn lies, shape (2, n)."""
        return self._similarities(cosines)[:_NEARER]

    def _similarities(self, cosines: Table) -> Table:
        """Of the user's turns, the answers and the nearer turns; what is no vector lies afar."""
        user, assistant = np.where(np.isnan(cosines), -1.0, cosines).T
        turns = (user, assistant, np.maximum(user, assistant))
        each = zip(turns, self._baseline_cosines.turns, strict=True)
        return np.array([_above_baseline(turn, usual) for turn, usual in each])

    @cached_property
    def _baseline_cosines(self) -> BaselineCosines:
        return self.baseline.mean_and_spread(self.vector)


def embed_query_text(query: Query, embedder: Embedder, *, timeout_s: float) -> Vectors:
    """The message's vector, drawn towards what was said before it. Raises EmbedderUnavailable."""
    patience = Deadline(timeout_s)
    own = embedder.embed_query(query.text_for_embedder, timeout_s=patience.remaining_s)
    if not query.context:
        return own
    before = embedder.embed_query(query.context_text, timeout_s=patience.remaining_s)
    return unit(own + query.context_weight * before)


def sample_baseline(store: MemoryStore, dim: int) -> SimilarityBaseline:
    """From a fixed sample of what is stored and embedded."""
    ids = store.embedded_pairs(SAMPLE)
    entries = store.get(ids)
    rows, said = list[VectorPair](), list[str]()
    for memory_id, pair in store.vectors(ids).items():  # a damaged file may lack some
        exchange = entries[memory_id].memory.exchange if memory_id in entries else None
        if exchange is not None and all(row is not None for row in pair):
            rows.append(pair)
            said += (exchange.user, exchange.assistant)
    return SimilarityBaseline(
        user=np.array([pair[0] for pair in rows], dtype=np.float32).reshape(-1, dim),
        assistant=np.array([pair[1] for pair in rows], dtype=np.float32).reshape(-1, dim),
        languages=language_shares(said),
    )


def _mean_and_spread(values: NDArray[Any]) -> MeanAndSpread:
    if values.size < _FEW:
        return _USUAL
    return float(values.mean()), max(_LEAST_SPREAD, float(values.std()))


def _above_baseline(cosines: Table, usual: MeanAndSpread) -> Table:
    mean, spread = usual
    return np.asarray(np.maximum(0.0, (cosines - mean) / spread) / _TEN)
