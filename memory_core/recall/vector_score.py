"""Scores exchanges by their vectors, relative to the usual similarity in a namespace.

Raw cosines are not comparable between models or messages. They are expressed in standard deviations
above the cosines of a sample of the namespace's exchanges. A model also returns numbers for a
language that it does not know, so its knowledge of each language is measured separately
(languages.py).
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..domain.errors import StorageError
from ..infra.deadlines import Deadline
from ..infra.lru_cache import cached_property
from ..providers.embedders.base import Embedder, Vectors, unit
from ..storage.contract import Side, Table, VectorPair
from ..storage.store import MemoryStore
from .cue_by_meaning import UNKNOWN_WORDING, Wording
from .languages import Shares, language_shares
from .query import Query
from .vector_regression import VectorRegression

SAMPLE = 512
UNMEASURED = 0.5  # trust in a model whose knowledge of the language is not measured yet
_MIN_SAMPLE = 8
_HALF = np.dtype("<f2")  # as vectors are stored
_DEFAULT_BASELINE = (0.2, 0.12)  # mean and spread of MiniLM's cosines between turns of one chat
_MIN_SPREAD = 1e-3
_TEN = 10.0
_NEARER = 2  # index of the nearer side, after user and assistant

MeanAndSpread = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class SimilarityBaseline:
    """A sample of exchanges: unit vectors of both sides, shape (n, dim), and their languages."""

    user: Vectors
    assistant: Vectors
    languages: Shares

    def mean_and_spread(self, vector: Vectors) -> "BaselineCosines":
        """Returns the mean and spread of the sample's cosines with a message."""
        user, assistant = self.user @ vector, self.assistant @ vector
        *turns, sums = _mean_and_spread(
            np.stack((user, assistant, np.maximum(user, assistant), user + assistant))
        )
        return BaselineCosines(turns=tuple(turns), sums=sums)


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineCosines:
    """Mean and spread of a sample's cosines with a message.

    `turns`: of user sides, answers, and the nearer side of each; `sums`: of both sides' sums.
    """

    turns: tuple[MeanAndSpread, ...]
    sums: MeanAndSpread


@dataclass(frozen=True, kw_only=True)
class QueryVector:
    """A message's vector, shape (dim,), and the baseline to compare it with.

    `trust` is how well the embedder knows the message's language, 0 … 1. `note` says in plain words
    that it is low, else it is empty. `wording` is what the vector of the message alone says of it.
    `informative` tells from the vector of a memory whether it informs, if that was learned.
    """

    vector: Vectors
    baseline: SimilarityBaseline
    trust: float = UNMEASURED
    note: str = ""
    wording: Wording = UNKNOWN_WORDING
    informative: VectorRegression | None = None

    def similarities(
        self, cosines: Table, addressed_sides: Sequence[int | None]
    ) -> tuple[Table, Table, Table]:
        """Returns each exchange's similarity above the baseline: of the side that counts, of both
        together, and of each side, shape (2, n).

        The side that counts is the addressed one, or else the nearer one. 1 means ten standard
        deviations. `cosines` of both sides have shape (n, 2), nan where there is no vector, which
        makes a side the least similar. `addressed_sides` has n entries, or none if the message asks
        about neither speaker.
        """
        missing = np.isnan(cosines)
        user, assistant = np.where(missing, -1.0, cosines).T
        sides = (user, assistant, np.maximum(user, assistant))
        each = zip(sides, self._baseline_cosines.turns, strict=True)
        by_side = np.array([_above_baseline(side, baseline) for side, baseline in each])
        turns = by_side[_NEARER]
        if addressed_sides:
            rows = [_NEARER if side is None else side for side in addressed_sides]
            turns = by_side[rows, np.arange(len(cosines))]
        counts = 2 - missing.sum(axis=1)
        sums = 2 * np.where(missing, 0.0, cosines).sum(axis=1) / np.maximum(1, counts)
        both = _above_baseline(sums, self._baseline_cosines.sums) * (counts > 0)
        return turns, both, by_side[:_NEARER]

    @cached_property
    def _baseline_cosines(self) -> BaselineCosines:
        return self.baseline.mean_and_spread(self.vector)


def embed_query_text(
    query: Query, embedder: Embedder, *, timeout_s: float
) -> tuple[Vectors, Vectors]:
    """Returns the unit vectors of a message alone, and mixed with its context, of shape (dim,).

    Raises EmbedderUnavailable.
    """
    deadline = Deadline(timeout_s)
    vector = embedder.embed_query(query.text_for_embedder, timeout_s=deadline.remaining_s)
    if not query.context:
        return vector, vector
    context = embedder.embed_query(query.context_text, timeout_s=deadline.remaining_s)
    return vector, unit(vector + query.context_weight * context)


def sample_baseline(store: MemoryStore, dim: int) -> SimilarityBaseline:
    """Returns the baseline from a fixed sample of the embedded exchanges.

    The store saves the baseline of a full sample, so the next start need not read all vectors.
    """
    kept = _decoded(store.vectors.kept_sample(), dim)
    if kept is not None:
        return kept
    ids = store.vectors.embedded_pairs(SAMPLE)
    entries = store.catalog.get(ids)
    rows, texts = list[VectorPair](), list[str]()
    for memory_id, pair in store.vectors.get(ids).items():  # a damaged file may lack some
        exchange = entries[memory_id].memory.exchange if memory_id in entries else None
        if exchange is not None and all(row is not None for row in pair):
            rows.append(pair)
            texts += (exchange.user, exchange.assistant)
    baseline = SimilarityBaseline(
        user=np.array([pair[0] for pair in rows], dtype=np.float32).reshape(-1, dim),
        assistant=np.array([pair[1] for pair in rows], dtype=np.float32).reshape(-1, dim),
        languages=language_shares(texts),
    )
    if len(rows) == SAMPLE:
        with suppress(StorageError):  # the disk may be full or read-only
            store.vectors.keep_sample(ids, _encoded(baseline))
    return baseline


def _encoded(baseline: SimilarityBaseline) -> bytes:
    """Returns the languages as a line of JSON, then the vectors as float16, as they are stored."""
    vectors = np.stack((baseline.user, baseline.assistant)).astype(_HALF)
    return json.dumps(dict(baseline.languages)).encode() + b"\n" + vectors.tobytes()


def _decoded(content: bytes, dim: int) -> SimilarityBaseline | None:
    """Returns None if there are no vectors of this width."""
    languages, _, vectors = content.partition(b"\n")
    if len(vectors) != len(Side) * SAMPLE * dim * _HALF.itemsize:
        return None
    rows = np.frombuffer(vectors, dtype=_HALF).astype(np.float32)
    user, assistant = rows.reshape(len(Side), SAMPLE, dim)
    return SimilarityBaseline(user=user, assistant=assistant, languages=json.loads(languages))


def _mean_and_spread(values: NDArray[Any]) -> list[MeanAndSpread]:
    """Returns the mean and spread of each row."""
    if values.shape[1] < _MIN_SAMPLE:
        return [_DEFAULT_BASELINE] * len(values)
    spreads = (max(_MIN_SPREAD, spread) for spread in values.std(axis=1).tolist())
    return list(zip(values.mean(axis=1).tolist(), spreads, strict=True))


def _above_baseline(cosines: Table, baseline: MeanAndSpread) -> Table:
    mean, spread = baseline
    return np.asarray(np.maximum(0.0, (cosines - mean) / spread) / _TEN)
