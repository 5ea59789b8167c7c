"""Search casts wide: words, meaning, dates and neighbours bring the candidates; then each is
weighed by all of them.

    score = 1.7 words + 0.5 topics + 0.3 sitting + 0.7 date + trust · (1.1 turn + 0.4 exchange)
            + 0.1 detail + 0.05 recency

Words and sitting are shares of the message (words.py), turn and exchange are what the embedder
says (meaning.py). date is how near to a time that the message names a memory was said, or lies what
it speaks of, whichever is nearer; the score's parts tell which. The weights were tuned on the
development half of LoCoMo; docs/recall.md.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isnan

import numpy as np

from ..storage.contract import ALL, Column, MemoryStore, Only, Passages
from ..text.dates.find_dates import Named, proximity
from ..text.search_terms import whole
from .evidence import Evidence
from .lexical_score import LEAST_MASS, Words
from .query import Query
from .query_expansion import Vocabulary, vocabulary
from .results import Candidate
from .term_counts import OTHER_SIDE, Table
from .too_short import long_sides
from .vector_score import Meaning

WEIGHTS = {
    "words": 1.7,
    "topics": 0.5,
    "sitting": 0.3,
    "said_at": 0.7,
    "happened_at": 0.7,
    "turn": 1.1,
    "exchange": 0.4,
    "detail": 0.1,
    "recency": 0.05,
}
_DETAILED = 40  # terms: more say no more about how much there is to remember
_FEW, _FEW_SHARE = 2, 0.01  # memories, or of all


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far to look: at most `limit` candidates, among these only; messages with fewer than
    `min_letters` are passed over.
    """

    limit: int
    only: Only = ALL
    min_letters: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """The best candidates, best first, and what speaks for the message's wanting any. `note` says
    in plain words what the trace shall tell of the search.
    """

    candidates: list[Candidate]
    evidence: Evidence
    note: str = ""

    def without(self, ids: Container[str]) -> "Sought":
        kept = [it for it in self.candidates if it.memory.id not in ids]
        return replace(self, candidates=kept)


def search(store: MemoryStore, query: Query, meaning: Meaning | None, reach: Reach) -> Sought:
    """Without a meaning, by words and dates alone."""
    with store.moment():
        return _searched(store, query, meaning, reach)


def _searched(store: MemoryStore, query: Query, meaning: Meaning | None, reach: Reach) -> Sought:
    known = vocabulary(store, [*query.words, *query.context_words, *query.topics])
    hits = _worded(store, query, known, reach)
    others = [*_near(store, meaning, reach), *_dated(store, query, reach), *query.sticky]
    passages = store.passages(hits, others)
    weighed = passages.ids[: passages.weighed]
    may_come = None if reach.only.is_all else set(store.among(weighed, reach.only))
    found = _found(store, query, meaning, passages, known)
    if reach.min_letters > 1:
        found = _without_short(store, found, reach.min_letters)
    board = Board(query, found, known, meaning)
    candidates = _fetched(store, board, reach, may_come)
    note = meaning.note if meaning else ""
    return Sought(candidates=candidates, evidence=board.evidence, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The passages, and what the store says of them beside that: how often they hold the words,
    who speaks and which times they speak of (as far as the query wants to know), the cosines.
    """

    passages: Passages
    counted: Column
    names: Mapping[str, tuple[str, str]]
    happened: Mapping[str, Sequence[tuple[float, float]]]
    cosines: Column


def _found(
    store: MemoryStore,
    query: Query,
    meaning: Meaning | None,
    passages: Passages,
    known: Vocabulary,
) -> Found:
    ids = passages.ids
    nothing = np.full((passages.weighed, 2), np.nan)
    return Found(
        passages=passages,
        counted=store.counted(passages, list(known.forms)),
        names=store.names(ids) if query.asked_about is not None else {},
        happened=store.happened(ids) if query.times else {},
        cosines=store.cosines(passages, meaning.vector) if meaning else nothing,
    )


def _without_short(store: MemoryStore, found: Found, min_letters: int) -> Found:
    """As if nobody had said what has fewer letters."""
    ids = found.passages.ids
    long = long_sides(ids, store.get(ids), min_letters)
    cosines = np.where(long[: len(found.cosines)], found.cosines, np.nan)
    return replace(found, counted=found.counted * long.T[:, :, None], cosines=cosines)


class Board:
    """All passages at hand with their score, in parts; by their index."""

    def __init__(
        self, query: Query, found: Found, known: Vocabulary, meaning: Meaning | None
    ) -> None:
        self._query = query
        self._only_within = query.only_within
        self._now = query.now.timestamp() if query.now else None
        self._corpus = known.corpus
        self._found = found
        self._meaning = meaning
        self.passages = found.passages
        self.ids = found.passages.ids
        self._asked = self._sides_asked_about()
        self._words = Words(query, found.passages, known, counted=found.counted, asked=self._asked)
        self._matched = self._words.matched()
        self._said_at, self._happened_at = self._dates()
        self._columns = self._weighted()
        self._scores = np.sum(list(self._columns.values()), axis=0)

    def best(self, limit: int, may_come: Container[str] | None) -> list[int]:
        """Those of the weighed that may come, best first; a score lent by an earlier message puts
        none before a direct hit.
        """
        weighed = self.passages.weighed
        keys = [-self._scores[:weighed]]
        if self._query.sticky:
            keys.insert(0, np.array([-self.lent(at) for at in range(weighed)]))
        if self._query.only_within:
            keys.append(np.array([self.is_outside(at) for at in range(weighed)]))
        order = np.lexsort(keys).tolist()
        return [at for at in order if may_come is None or self.ids[at] in may_come][:limit]

    def is_outside(self, at: int) -> bool:
        """Whether it was neither said nor speaks of the only times that will do."""
        return bool(self._only_within) and max(self._nearness(at, self._only_within)) < 1.0

    def lent(self, at: int) -> float:
        return self._query.sticky.get(self.ids[at], 0.0)

    def parts(self, best: Sequence[int]) -> list[dict[str, float]]:
        """What adds up to the scores of these; without what says nothing."""
        table = np.stack([column[best] for column in self._columns.values()], axis=1).tolist()
        named = (zip(self._columns, row, strict=True) for row in table)
        return [{name: value for name, value in parts if value} for parts in named]

    def cosines(self, best: Sequence[int]) -> list[float | None]:
        """Those of the nearer turn of each of these."""
        nearer = np.fmax(*self._found.cosines[best].T).tolist()
        return [None if isnan(it) else it for it in nearer]

    def sides(self, best: Sequence[int]) -> list[int | None]:
        """Which side of each of these matches better by itself, if one does."""
        scores = WEIGHTS["words"] * self._words.sides(best)
        if self._meaning:
            trust = self._meaning.trust
            near = self._meaning.near_by_side(self._found.cosines[best])
            scores = scores + WEIGHTS["turn"] * trust * near
        if self._asked:
            about = np.array([self._asked[at] for at in best], dtype=object)
            scores = scores * np.where([about == 1, about == 0], OTHER_SIDE, 1.0)
        return [None if user == answer else int(answer > user) for user, answer in scores.T]

    @property
    def evidence(self) -> Evidence:
        words = self._words.weights(self._query.words)
        held = {word for word in words if self._corpus.held.get(word)}
        found = float(self._matched.found.max(initial=0.0))
        own = whole(words)
        return Evidence(
            share=found / max(LEAST_MASS, sum(words.values())),
            found=found,
            known=sum(words[it] for it in own & held),
            unknown=len(own - held),
            rare=any(self._corpus.held[it] <= self._few for it in held),
            proper=not held.isdisjoint(self._query.proper_words),
            asks_back=self._query.asks_back,
            named=self._query.asked_about is not None,
            trust=self._meaning.trust if self._meaning else 0.0,
        )

    @property
    def _few(self) -> float:
        return max(_FEW, _FEW_SHARE * self._corpus.size)

    def _weighted(self) -> dict[str, Table]:
        columns = {
            "words": self._matched.share,
            "topics": self._matched.topics,
            "sitting": self._matched.sitting,
            "said_at": self._said_at,
            "happened_at": self._happened_at,
        }
        if self._meaning:
            trust = self._meaning.trust
            weighed = self.passages.weighed
            near = self._meaning.nearness(self._found.cosines, self._asked[:weighed])
            turn, exchange = (np.pad(it, (0, len(self.ids) - weighed)) for it in near)
            columns |= {"turn": trust * turn, "exchange": trust * exchange}
        answers = np.sum(list(columns.values()), axis=0) > 0.0
        columns["detail"] = answers * np.minimum(self.passages.lengths, _DETAILED) / _DETAILED
        columns["recency"] = answers * self._recency()
        return {name: WEIGHTS[name] * column for name, column in columns.items()}

    def _recency(self) -> Table:
        """Ranks the passages by when they were said: 1 for the latest, towards 0 for the oldest."""
        said = np.nan_to_num(self.passages.said, nan=-np.inf)
        known = np.sort(said[np.isfinite(said)])
        return np.searchsorted(known, said, side="right") / max(1, len(known))

    def _sides_asked_about(self) -> list[int | None]:
        """Of each passage; of none where the message asks about neither."""
        if self._query.asked_about is None:
            return []
        nobody = ("", "")
        names = (self._found.names.get(it, nobody) for it in self.ids)
        return [self._query.side_asked_about(it) for it in names]

    def _dates(self) -> tuple[Table, Table]:
        """How near to a time that the message names each was said, or is what it speaks of: the
        nearer counts, the other is 0.
        """
        times = self._query.times
        if not times:
            return np.zeros(len(self.ids)), np.zeros(len(self.ids))
        near = np.array([self._nearness(at, times) for at in range(len(self.ids))]).reshape(-1, 2)
        said_nearer = near[:, 0] >= near[:, 1]
        return near[:, 0] * said_nearer, near[:, 1] * ~said_nearer

    def _nearness(self, at: int, named: Sequence[Named]) -> tuple[float, float]:
        """Of when it was said, and of what it speaks of, to these times: 0 … 1.

        Nothing was said in the time to come, however near it is.
        """
        times = [(it.start.timestamp(), it.end.timestamp()) for it in named]
        begun = [it for it in times if self._now is not None and it[0] <= self._now]
        said = float(self.passages.said[at])
        happened = self._found.happened.get(self.ids[at], ())
        return (
            0.0 if isnan(said) else proximity((said, said), begun),
            max((proximity(it, times) for it in happened), default=0.0),
        )


def _worded(store: MemoryStore, query: Query, known: Vocabulary, reach: Reach) -> list[str]:
    """What the words find, the message's own first."""
    limit = max(1, 2 * reach.limit // max(1, len(query.parts)))
    asked = [known.widened(it) for it in (*query.parts, query.context_words, query.topics)]
    found = [store.search_words(it, limit=limit, only=reach.only) for it in asked if it]
    return list(dict.fromkeys(chain.from_iterable(found)))


def _near(store: MemoryStore, meaning: Meaning | None, reach: Reach) -> list[str]:
    if meaning is None:
        return []
    return store.search_vectors(meaning.vector, limit=reach.limit, only=reach.only)


def _dated(store: MemoryStore, query: Query, reach: Reach) -> list[str]:
    """What was said at a time that the message names, or speaks of it."""
    found = (
        store.within(it.start.timestamp(), it.end.timestamp(), limit=reach.limit, only=reach.only)
        for it in query.times
    )
    return list(dict.fromkeys(chain.from_iterable(found)))


def _fetched(
    store: MemoryStore, board: Board, reach: Reach, may_come: Container[str] | None
) -> list[Candidate]:
    """The best as memories, in their order; any may have been forgotten since."""
    best = board.best(reach.limit, may_come)
    fetched = store.fetched(board.passages, best)
    told = zip(best, board.parts(best), board.cosines(best), board.sides(best), strict=True)
    return [
        Candidate(
            memory=it.memory,
            score=sum(parts.values()),
            parts=parts,
            cosine=cosine,
            lent=board.lent(at),
            is_outside=board.is_outside(at),
            key=it.key,
            chat_key=it.chat_key,
            side=side,
        )
        for at, parts, cosine, side in told
        if (it := fetched.get(at))
    ]
