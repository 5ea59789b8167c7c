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

from ..storage.contract import NO_FILTER, Column, MemoryStore, PassageColumns, SearchFilter
from ..text.dates.find_dates import DateRange, proximity
from ..text.search_terms import drop_contained_pairs
from .evidence import NeedFeatures
from .lexical_score import LEAST_MASS, LexicalScorer
from .query import Query
from .query_expansion import QueryExpansion, expand_query
from .results import Candidate
from .term_counts import OTHER_SIDE, Table
from .too_short import long_sides
from .vector_score import QueryVector

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
class SearchScope:
    """How far to look: at most `limit` candidates, among these only; messages with fewer than
    `min_letters` are passed over.
    """

    limit: int
    search_filter: SearchFilter = NO_FILTER
    min_letters: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The best candidates, best first, and what speaks for the message's wanting any. `note` says
    in plain words what the trace shall tell of the search.
    """

    candidates: list[Candidate]
    need_features: NeedFeatures
    note: str = ""

    def excluding(self, ids: Container[str]) -> "SearchResult":
        kept = [candidate for candidate in self.candidates if candidate.memory.id not in ids]
        return replace(self, candidates=kept)


def search(
    store: MemoryStore, query: Query, meaning: QueryVector | None, reach: SearchScope
) -> SearchResult:
    """Without a meaning, by words and dates alone."""
    with store.consistent_read():
        return _search(store, query, meaning, reach)


def _search(
    store: MemoryStore, query: Query, meaning: QueryVector | None, reach: SearchScope
) -> SearchResult:
    known = expand_query(store, [*query.words, *query.context_words, *query.topics])
    hits = _search_words(store, query, known, reach)
    others = [
        *_search_vectors(store, meaning, reach),
        *_search_dates(store, query, reach),
        *query.carried_over_scores,
    ]
    passages = store.passages(hits, others)
    weighed = passages.ids[: passages.weighed_count]
    may_come = (
        None if reach.search_filter.is_all else set(store.filter_ids(weighed, reach.search_filter))
    )
    found = _load_passages(store, query, meaning, passages, known)
    if reach.min_letters > 1:
        found = _without_short(store, found, reach.min_letters)
    board = ScoreTable(query, found, known, meaning)
    candidates = _fetch_candidates(store, board, reach, may_come)
    note = meaning.note if meaning else ""
    return SearchResult(candidates=candidates, need_features=board.need_features, note=note)


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageData:
    """The passages, and what the store says of them beside that: how often they hold the words,
    who speaks and which times they speak of (as far as the query wants to know), the cosines.
    """

    passages: PassageColumns
    term_counts: Column
    names: Mapping[str, tuple[str, str]]
    mentioned_times: Mapping[str, Sequence[tuple[float, float]]]
    cosines: Column


def _load_passages(
    store: MemoryStore,
    query: Query,
    meaning: QueryVector | None,
    passages: PassageColumns,
    known: QueryExpansion,
) -> PassageData:
    ids = passages.ids
    nothing = np.full((passages.weighed_count, 2), np.nan)
    return PassageData(
        passages=passages,
        term_counts=store.term_counts(passages, list(known.forms)),
        names=store.speaker_names(ids) if query.addressed_speaker is not None else {},
        mentioned_times=store.mentioned_times(ids) if query.dates else {},
        cosines=store.cosines(passages, meaning.vector) if meaning else nothing,
    )


def _without_short(store: MemoryStore, found: PassageData, min_letters: int) -> PassageData:
    """As if nobody had said what has fewer letters."""
    ids = found.passages.ids
    long = long_sides(ids, store.get(ids), min_letters)
    cosines = np.where(long[: len(found.cosines)], found.cosines, np.nan)
    return replace(found, term_counts=found.term_counts * long.T[:, :, None], cosines=cosines)


class ScoreTable:
    """All passages at hand with their score, in parts; by their index."""

    def __init__(
        self, query: Query, found: PassageData, known: QueryExpansion, meaning: QueryVector | None
    ) -> None:
        self._query = query
        self._required_dates = query.required_dates
        self._now = query.now.timestamp() if query.now else None
        self._corpus = known.corpus
        self._data = found
        self._query_vector = meaning
        self.passages = found.passages
        self.ids = found.passages.ids
        self._addressed_sides = self._find_addressed_sides()
        self._lexical_scorer = LexicalScorer(
            query,
            found.passages,
            known,
            term_counts=found.term_counts,
            addressed_sides=self._addressed_sides,
        )
        self._lexical_score = self._lexical_scorer.score()
        self._said_at, self._happened_at = self._dates()
        self._columns = self._weighted_columns()
        self._scores = np.sum(list(self._columns.values()), axis=0)

    def best(self, limit: int, may_come: Container[str] | None) -> list[int]:
        """Those of the weighed that may come, best first; a score lent by an earlier message puts
        none before a direct hit.
        """
        weighed = self.passages.weighed_count
        keys = [-self._scores[:weighed]]
        if self._query.carried_over_scores:
            keys.insert(0, np.array([-self.carried_over(index) for index in range(weighed)]))
        if self._query.required_dates:
            keys.append(np.array([self.is_outside_dates(index) for index in range(weighed)]))
        order = np.lexsort(keys).tolist()
        return [index for index in order if may_come is None or self.ids[index] in may_come][:limit]

    def is_outside_dates(self, at: int) -> bool:
        """Whether it was neither said nor speaks of the only times that will do."""
        return bool(self._required_dates) and max(self._nearness(at, self._required_dates)) < 1.0

    def carried_over(self, at: int) -> float:
        return self._query.carried_over_scores.get(self.ids[at], 0.0)

    def parts(self, best: Sequence[int]) -> list[dict[str, float]]:
        """What adds up to the scores of these; without what says nothing."""
        table = np.stack([column[best] for column in self._columns.values()], axis=1).tolist()
        named = (zip(self._columns, row, strict=True) for row in table)
        return [{name: value for name, value in parts if value} for parts in named]

    def cosines(self, best: Sequence[int]) -> list[float | None]:
        """Those of the nearer turn of each of these."""
        nearer = np.fmax(*self._data.cosines[best].T).tolist()
        return [None if isnan(cosine) else cosine for cosine in nearer]

    def sides(self, best: Sequence[int]) -> list[int | None]:
        """Which side of each of these matches better by itself, if one does."""
        scores = WEIGHTS["words"] * self._lexical_scorer.sides(best)
        if self._query_vector:
            trust = self._query_vector.trust
            near = self._query_vector.similarity_by_side(self._data.cosines[best])
            scores = scores + WEIGHTS["turn"] * trust * near
        if self._addressed_sides:
            about = np.array([self._addressed_sides[index] for index in best], dtype=object)
            scores = scores * np.where([about == 1, about == 0], OTHER_SIDE, 1.0)
        return [None if user == answer else int(answer > user) for user, answer in scores.T]

    @property
    def need_features(self) -> NeedFeatures:
        words = self._lexical_scorer.weights(self._query.words)
        held = {word for word in words if self._corpus.document_frequency.get(word)}
        found = float(self._lexical_score.found.max(initial=0.0))
        own = drop_contained_pairs(words)
        return NeedFeatures(
            share=found / max(LEAST_MASS, sum(words.values())),
            found=found,
            known=sum(words[word] for word in own & held),
            unknown=len(own - held),
            rare=any(
                self._corpus.document_frequency[word] <= self._rare_frequency for word in held
            ),
            proper=not held.isdisjoint(self._query.proper_words),
            asks_back=self._query.names_a_past_time,
            named=self._query.addressed_speaker is not None,
            trust=self._query_vector.trust if self._query_vector else 0.0,
        )

    @property
    def _rare_frequency(self) -> float:
        return max(_FEW, _FEW_SHARE * self._corpus.size)

    def _weighted_columns(self) -> dict[str, Table]:
        columns = {
            "words": self._lexical_score.share,
            "topics": self._lexical_score.topics,
            "sitting": self._lexical_score.session,
            "said_at": self._said_at,
            "happened_at": self._happened_at,
        }
        if self._query_vector:
            trust = self._query_vector.trust
            weighed = self.passages.weighed_count
            near = self._query_vector.similarity_above_baseline(
                self._data.cosines, self._addressed_sides[:weighed]
            )
            turn, exchange = (
                np.pad(similarity, (0, len(self.ids) - weighed)) for similarity in near
            )
            columns |= {"turn": trust * turn, "exchange": trust * exchange}
        answers = np.sum(list(columns.values()), axis=0) > 0.0
        columns["detail"] = answers * np.minimum(self.passages.lengths, _DETAILED) / _DETAILED
        columns["recency"] = answers * self._recency()
        return {name: WEIGHTS[name] * column for name, column in columns.items()}

    def _recency(self) -> Table:
        """Ranks the passages by when they were said: 1 for the latest, towards 0 for the oldest."""
        said = np.nan_to_num(self.passages.said_at, nan=-np.inf)
        known = np.sort(said[np.isfinite(said)])
        return np.searchsorted(known, said, side="right") / max(1, len(known))

    def _find_addressed_sides(self) -> list[int | None]:
        """Of each passage; of none where the message asks about neither."""
        if self._query.addressed_speaker is None:
            return []
        nobody = ("", "")
        names = (self._data.names.get(memory_id, nobody) for memory_id in self.ids)
        return [self._query.addressed_side(speakers) for speakers in names]

    def _dates(self) -> tuple[Table, Table]:
        """How near to a time that the message names each was said, or is what it speaks of: the
        nearer counts, the other is 0.
        """
        times = self._query.dates
        if not times:
            return np.zeros(len(self.ids)), np.zeros(len(self.ids))
        near = np.array([self._nearness(index, times) for index in range(len(self.ids))]).reshape(
            -1, 2
        )
        said_nearer = near[:, 0] >= near[:, 1]
        return near[:, 0] * said_nearer, near[:, 1] * ~said_nearer

    def _nearness(self, at: int, named: Sequence[DateRange]) -> tuple[float, float]:
        """Of when it was said, and of what it speaks of, to these times: 0 … 1.

        Nothing was said in the time to come, however near it is.
        """
        times = [(date_range.start.timestamp(), date_range.end.timestamp()) for date_range in named]
        begun = [span for span in times if self._now is not None and span[0] <= self._now]
        said = float(self.passages.said_at[at])
        happened = self._data.mentioned_times.get(self.ids[at], ())
        return (
            0.0 if isnan(said) else proximity((said, said), begun),
            max((proximity(span, times) for span in happened), default=0.0),
        )


def _search_words(
    store: MemoryStore, query: Query, known: QueryExpansion, reach: SearchScope
) -> list[str]:
    """What the words find, the message's own first."""
    limit = max(1, 2 * reach.limit // max(1, len(query.parts)))
    asked = [known.with_forms(words) for words in (*query.parts, query.context_words, query.topics)]
    found = [
        store.search_words(terms, limit=limit, only=reach.search_filter) for terms in asked if terms
    ]
    return list(dict.fromkeys(chain.from_iterable(found)))


def _search_vectors(
    store: MemoryStore, meaning: QueryVector | None, reach: SearchScope
) -> list[str]:
    if meaning is None:
        return []
    return store.search_vectors(meaning.vector, limit=reach.limit, only=reach.search_filter)


def _search_dates(store: MemoryStore, query: Query, reach: SearchScope) -> list[str]:
    """What was said at a time that the message names, or speaks of it."""
    found = (
        store.search_dates(
            named.start.timestamp(),
            named.end.timestamp(),
            limit=reach.limit,
            only=reach.search_filter,
        )
        for named in query.dates
    )
    return list(dict.fromkeys(chain.from_iterable(found)))


def _fetch_candidates(
    store: MemoryStore, board: ScoreTable, reach: SearchScope, may_come: Container[str] | None
) -> list[Candidate]:
    """The best as memories, in their order; any may have been forgotten since."""
    best = board.best(reach.limit, may_come)
    fetched = store.fetch_memories(board.passages, best)
    told = zip(best, board.parts(best), board.cosines(best), board.sides(best), strict=True)
    return [
        Candidate(
            memory=it.memory,
            score=sum(parts.values()),
            parts=parts,
            cosine=cosine,
            carried_over=board.carried_over(at),
            is_outside_dates=board.is_outside_dates(at),
            key=it.key,
            chat_key=it.chat_key,
            matching_side=side,
        )
        for at, parts, cosine, side in told
        if (it := fetched.get(at))
    ]
