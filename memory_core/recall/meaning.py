"""What an embedder says of a message, and how far it can be believed here.

A cosine means something else for every model and every message, so it is never used as it is: it
is told in standard deviations from what a sample of the namespace's own exchanges gives. And a
model that does not know a language gives numbers all the same; whether it knows this one shows in
whether a message's own reply lies nearer to it than other replies do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..deadlines import Deadline
from ..embedders.base import Embedder, Vectors, unit
from ..stores.base import MemoryStore
from .counts import Table
from .query import Query
from .scripts import main_script, scripts_in

SAMPLE = 512
_KNOWS_NOTHING, _KNOWS_ALL = 0.70, 0.82  # share of other replies that lie farther than the own
_AT_FIRST, _AT_FIRST_PAIRS = 0.76, 10  # half believed, until there are pairs to judge by
_FEW = 8
_USUAL = (0.2, 0.12)  # mean and spread of MiniLM's cosines between turns of one chat
_LEAST_SPREAD = 1e-3
_TEN = 10.0

Pair = tuple[Vectors | None, Vectors | None]
Usual = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Backdrop:
    """A sample of exchanges: unit vectors of both sides, shape (n, dim) each, and in which script
    the user wrote.
    """

    user: Vectors
    assistant: Vectors
    scripts: Sequence[str]

    def trust(self, text: str) -> float:
        """How far the embedder can be believed about a message in these scripts, 0 … 1."""
        letters = scripts_in(text)
        believed = (count * self._trust.get(it, _trusted([])) for it, count in letters.items())
        return sum(believed) / letters.total() if letters else _trusted([])

    def usual(self, vector: Vectors, side: int | None) -> tuple[Usual, Usual]:
        """Mean and spread of the sample's cosines with a message: turns of this side, or else the
        nearer ones; and of both turns' sums.
        """
        user, assistant = self.user @ vector, self.assistant @ vector
        turns = np.maximum(user, assistant) if side is None else (user, assistant)[side]
        return _spread(turns), _spread(user + assistant)

    @cached_property
    def _all(self) -> Table:
        return np.asarray(self.user @ self.assistant.T, dtype=np.float64)

    @cached_property
    def _trust(self) -> Mapping[str, float]:
        """By script; a pair tells the more, the fewer other replies lie nearer than its own."""
        own = np.diag(self._all)
        others = max(1, len(self._all) - 1)
        farther = (self._all < own[:, None]).sum(axis=1) / others
        by_script: dict[str, list[float]] = {}
        for script, share in zip(self.scripts, farther.tolist(), strict=True):
            by_script.setdefault(script, []).append(share)
        return {script: _trusted(shares) for script, shares in by_script.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """A message's vector, shape (dim,), before its backdrop."""

    vector: Vectors
    backdrop: Backdrop

    def nearness(self, cosines: Table, asked: Sequence[int | None]) -> tuple[Table, Table]:
        """For each exchange how much nearer than usual its turn of the one asked about lies, or
        else the nearer one; and how much nearer both together. 1 is ten standard deviations.

        `cosines` are those of both turns, shape (n, 2), nan where there is no vector; `asked` may
        be empty where nobody is asked about.
        """
        sides = np.array([-1 if side is None else side for side in asked] or -1, dtype=int)
        sides = np.broadcast_to(sides, len(cosines))
        lacks = np.isnan(cosines)
        known = ~lacks.all(axis=1)
        lowest = np.where(lacks, -1.0, cosines)
        turns, both = np.zeros(len(cosines)), np.zeros(len(cosines))
        for side in set(sides[known].tolist()):
            which = known & (sides == side)
            turn, exchange = self.backdrop.usual(self.vector, None if side < 0 else side)
            turns[which] = _above(
                lowest[which].max(axis=1) if side < 0 else lowest[which, side], turn
            )
            sums = np.where(lacks[which], 0.0, cosines[which]).sum(axis=1)
            both[which] = _above(2 * sums / (~lacks[which]).sum(axis=1), exchange)
        return turns, both


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
            said.append(main_script(exchange.user))
    return Backdrop(
        user=np.array([it[0] for it in rows], dtype=np.float32).reshape(-1, dim),
        assistant=np.array([it[1] for it in rows], dtype=np.float32).reshape(-1, dim),
        scripts=said,
    )


def _trusted(shares: Sequence[float]) -> float:
    known = sum(shares) + _AT_FIRST * _AT_FIRST_PAIRS
    mean = known / (len(shares) + _AT_FIRST_PAIRS)
    return min(1.0, max(0.0, (mean - _KNOWS_NOTHING) / (_KNOWS_ALL - _KNOWS_NOTHING)))


def _spread(values: NDArray[Any]) -> Usual:
    if values.size < _FEW:
        return _USUAL
    return float(values.mean()), max(_LEAST_SPREAD, float(values.std()))


def _above(cosines: Table, usual: Usual) -> Table:
    mean, spread = usual
    return np.asarray(np.maximum(0.0, (cosines - mean) / spread) / _TEN)
