"""Searches by words, vectors and dates, and scores every candidate by all of them.

    score = 1.7 words + 0.5 topics + 0.3 sitting + date + trust · (1.1 turn + 0.7 exchange)
            + (1 - trust) · 1.7 related + 0.1 detail + 0.05 recency

`words` and `sitting` (the whole session) are shares of the message, see lexical_score.py. `turn`
and `exchange` come from the embedder, see vector_score.py. `date` is the nearness of a date in the
message to the memory's own time (0.6) or to a time that it mentions (0.9). The better one counts,
and the score's parts say which. The vectors of a memory also tell small talk, which gets as little
as 0.4 of its score: the part `informative` is what it loses, see informative.py. Memories made of
others have more parts, see derived_memories.py. The weights were tuned on the development half of
LoCoMo, those of dates and `exchange` on everyday chat; see docs/recall.md.
"""

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from math import isnan

import numpy as np

from ..storage.contract import NO_FILTER, FullTextIndex, SearchFilter, Table
from ..storage.store import MemoryStore
from ..text.dates.find_dates import DateRange
from .corrections import with_corrections
from .date_score import DateScore
from .derived_memories import (
    EVEN_WEIGHTS,
    DerivedHits,
    KindWeights,
    find_derived_hits,
    with_sources,
)
from .fact_versions import SUCCESSOR, with_newer_versions
from .lexical_score import MIN_MASS, OTHER_SIDE, LexicalScorer
from .overview import with_own_subject
from .passages import (
    PassageData,
    QueryExpansion,
    expand_query,
    find_by_dates,
    find_by_words,
    load_passages,
    with_short_sides_blank,
)
from .query import Query
from .results import NO_FEATURES, Candidate, NeedFeatures
from .standing_facts import with_standing_facts
from .value_bonus import add_value_bonus
from .vector_score import QueryVector

WEIGHTS = {
    "words": 1.7,
    "related": 1.7,
    "topics": 0.5,
    "sitting": 0.3,
    "said_at": 0.6,
    "happened_at": 0.9,
    "turn": 1.1,
    "exchange": 0.7,
    "detail": 0.1,
    "recency": 0.05,
}
_MAX_LOSS = 0.6  # of the score of what is nothing but small talk
_DETAILED_TERMS = 40  # terms; longer passages do not count as more detailed
_MAX_SOURCES = 4  # sources of derived memories that are scored, for each candidate wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchScope:
    """The limits of a search: at most `limit` candidates that match the filter.

    Messages shorter than `min_letters` are skipped. `kind_weights` are factors of the scores of
    derived memories.
    """

    limit: int
    search_filter: SearchFilter = NO_FILTER
    min_letters: int = 1
    kind_weights: KindWeights = field(default_factory=lambda: EVEN_WEIGHTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """The candidates, best first, and features for estimating the need for a memory.

    `note` is a plain remark on the search for the trace.
    """

    candidates: list[Candidate]
    need_features: NeedFeatures
    note: str = ""

    def excluding(self, ids: Container[str]) -> "SearchResult":
        kept = [candidate for candidate in self.candidates if candidate.memory.id not in ids]
        return replace(self, candidates=kept)


def search(
    store: MemoryStore, query: Query, query_vector: QueryVector | None, scope: SearchScope
) -> SearchResult:
    """Returns the best candidates of a store; without a vector, by words and dates alone.

    Statements about a part of the user's life that it asks for come before what its words find.
    """
    knows_language = query_vector is not None and query_vector.trust >= 1.0
    expansion = expand_query(store.fulltext, query, with_related_words=not knows_language)
    limit, only = scope.limit, scope.search_filter
    hits = find_by_words(store.fulltext, query, expansion, limit=limit, only=only)
    near = store.vectors.search(query_vector.vector, limit=limit, only=only) if query_vector else []
    dated = find_by_dates(store.catalog, query, limit=limit, only=only) if query.dates else []
    other_ids = [*near, *dated, *query.carried_over_scores]
    derived = find_derived_hits(store.catalog, query, [*hits, *other_ids], scope.kind_weights)
    sources = derived.source_ids[: _MAX_SOURCES * limit] if derived.memories else []
    passages = store.fulltext.passages(hits, [*other_ids, *derived.replaces, *sources])
    ids = passages.ids[: passages.weighed_count]
    allowed_ids = None if only == NO_FILTER else store.catalog.live_seqs(ids, only)
    data = load_passages(store, query, query_vector, passages, expansion, derived)
    if scope.min_letters > 1:
        data = with_short_sides_blank(store, data, scope.min_letters)
    scores = ScoreTable(query, data, expansion, query_vector)
    candidates = _fetch_candidates(store.fulltext, scores, scope, allowed_ids)
    note = query_vector.note if query_vector else ""
    if query.wants_a_value:
        candidates = add_value_bonus(candidates)
    candidates = with_newer_versions(candidates, store.fulltext, query, only)
    candidates = with_standing_facts(candidates, store.fulltext, query, only)
    if query.own_subject:
        candidates = with_own_subject(candidates, store, query, only)
    candidates = with_corrections(candidates, store, passages, only)
    return SearchResult(candidates=candidates, need_features=scores.need_features, note=note)


class ScoreTable:
    """The scores of all loaded passages, in parts, by passage index."""

    def __init__(
        self,
        query: Query,
        data: PassageData,
        expansion: QueryExpansion,
        query_vector: QueryVector | None,
    ) -> None:
        self._query = query
        self.carried_over = query.carried_over_scores
        self._required_dates = query.required_dates
        self._now = query.now.timestamp() if query.now else None
        self._corpus = expansion.corpus
        self._data = data
        self._query_vector = query_vector
        self._trust = query_vector.trust if query_vector else 0.0
        self.passages = data.passages
        self.ids = data.passages.ids
        asks_of_a_speaker = query.addressed_speaker is not None
        self._addressed_sides = self._find_addressed_sides() if asks_of_a_speaker else []
        self._lexical_scorer = LexicalScorer(
            query,
            data.passages,
            expansion,
            term_counts=data.term_counts,
            addressed_sides=self._addressed_sides,
        )
        self._lexical_score = self._lexical_scorer.score()
        zeros = np.zeros(len(self.ids))
        self._said_at, self._happened_at = self._dates() if query.dates else (zeros, zeros)
        self._columns = self._weighted_columns()
        total = np.sum(list(self._columns.values()), axis=0)
        self._factors = self._informative_factors()
        self._scores = self._factors * total
        self._columns["informative"] = self._scores - total
        self.outdated_ids = data.derived.outdated
        if data.derived.memories:
            self._add_derived_scores(data.derived)

    def _add_derived_scores(self, derived: DerivedHits) -> None:
        self.outdated_ids |= derived.outdated_sources(self.ids, self._scores)
        lifted = derived.with_replaced(self.ids, self._scores)
        self._columns[SUCCESSOR], self._scores = lifted - self._scores, lifted
        self._columns["derived"] = derived.adjustments(self.ids, self._scores)
        self._scores = self._scores + self._columns["derived"]

    def best(self, limit: int, allowed_ids: Container[str] | None) -> list[int]:
        """Returns the indices of the best allowed passages, best first.

        A carried-over score never puts a memory before a direct hit.
        """
        weighed = self.passages.weighed_count
        keys = [-self._scores[:weighed]]
        if carried := self.carried_over:
            keys.insert(0, np.array([-carried.get(name, 0.0) for name in self.ids[:weighed]]))
        if self._required_dates:
            keys.append(np.array(self.are_outside_dates(range(weighed))))
        ranked = np.lexsort(keys) if len(keys) > 1 else keys[0].argsort(kind="stable")
        order: list[int] = ranked.tolist()
        if allowed_ids is not None:
            order = [index for index in order if self.ids[index] in allowed_ids]
        return order[:limit]

    def are_outside_dates(self, which: Sequence[int]) -> list[bool]:
        """Returns whether neither its own time nor a mentioned one is among the required dates."""
        if not self._required_dates:
            return [False] * len(which)
        nearest = self._nearness(self._required_dates).max(axis=0)
        outside: list[bool] = (nearest[list(which)] < 1.0).tolist()
        return outside

    def parts(self, best: Sequence[int]) -> list[dict[str, float]]:
        """Returns the non-zero parts that add up to the scores of these passages."""
        names = list(self._columns)
        rows = np.array([column[best] for column in self._columns.values()]).T.tolist()
        return [{name: part for name, part in zip(names, row, strict=True) if part} for row in rows]

    def cosines(self, best: Sequence[int]) -> list[float | None]:
        """Returns the cosine of each passage's nearer side, or None without a vector."""
        nearer = np.fmax(*self._data.cosines[best].T).tolist()
        return [None if isnan(cosine) else cosine for cosine in nearer]

    def own_scores(self, best: Sequence[int]) -> list[float]:
        """Returns the score that each passage earned without its neighbours and its session."""
        words, related, topics = self._lexical_scorer.own_shares(best)
        own = WEIGHTS["words"] * words + WEIGHTS["topics"] * topics
        own = own + WEIGHTS["related"] * (1.0 - self._trust) * related
        for name in ("said_at", "happened_at", "turn", "exchange"):
            if name in self._columns:
                own = own + self._columns[name][best]
        if self._data.derived.memories:
            own = self._data.derived.with_replaced([self.ids[index] for index in best], own)
        scores: list[float] = (self._factors[best] * own).tolist()
        return scores

    def sides(self, best: Sequence[int]) -> list[int | None]:
        """Returns the better matching side of each passage: 0 user, 1 answer, None if equal."""
        scores = WEIGHTS["words"] * self._lexical_scorer.sides(best)
        if self._query_vector:
            scores = scores + WEIGHTS["turn"] * self._trust * self._near_by_side[:, best]
        if self._addressed_sides:
            about = np.array([self._addressed_sides[index] for index in best], dtype=object)
            scores = scores * np.where([about == 1, about == 0], OTHER_SIDE, 1.0)
        both = zip(*scores.tolist(), strict=True)
        return [None if user == answer else int(answer > user) for user, answer in both]

    @property
    def need_features(self) -> NeedFeatures:
        words = self._lexical_scorer.message_weights
        found = float(self._lexical_score.found.max(initial=0.0))
        return NeedFeatures(
            share=found / max(MIN_MASS, sum(words.values())),
            found=found,
            covered=self._lexical_score.covered,
            is_known=any(map(self._corpus.document_frequency.get, words)),
            asks_back=self._query.names_a_past_time,
            trust=self._trust,
            wording=self._query_vector.wording if self._query_vector else NO_FEATURES.wording,
        )

    def _weighted_columns(self) -> dict[str, Table]:
        columns = {
            "words": self._lexical_score.share,
            "related": (1.0 - self._trust) * self._lexical_score.related,
            "topics": self._lexical_score.topics,
            "sitting": self._lexical_score.session,
            "said_at": self._said_at,
            "happened_at": self._happened_at,
        }
        if self._query_vector:
            weighed = self.passages.weighed_count
            turn, exchange, self._near_by_side = self._query_vector.similarities(
                self._data.cosines, self._addressed_sides[:weighed]
            )
            columns |= {"turn": self._trusted(turn), "exchange": self._trusted(exchange)}
        columns = {name: column for name, column in columns.items() if np.count_nonzero(column)}
        answers = np.sum(list(columns.values()), axis=0) > 0.0
        columns["detail"] = (
            answers * np.minimum(self.passages.lengths, _DETAILED_TERMS) / _DETAILED_TERMS
        )
        times = np.where(np.isnan(self.passages.said_at), -np.inf, self.passages.said_at)
        known = np.sort(times[times > -np.inf])
        ranks = np.searchsorted(known, times, side="right") / max(1, len(known))
        columns["recency"] = answers * ranks  # 1 for the latest, towards 0 for the oldest
        return {name: WEIGHTS[name] * column for name, column in columns.items()}

    def _informative_factors(self) -> Table:
        """Returns the factor of each score: 1, and less for small talk, as far as it is known."""
        informative, factors = self._data.informative, np.ones(len(self.ids))
        if informative is not None:
            factors[: len(informative)] -= self._trust * _MAX_LOSS * (1.0 - informative)
        return factors

    def _trusted(self, weighed: Table) -> Table:
        """Returns a column of the weighed passages times the trust; the others have 0."""
        beyond = np.zeros(len(self.ids) - len(weighed), weighed.dtype)
        return np.concatenate((self._trust * weighed, beyond))

    def _find_addressed_sides(self) -> list[int | None]:
        """Returns each passage's side of the speaker that the query asks about."""
        unknown, derived = ("", ""), self._data.derived
        return [
            derived.addressed_side(self._query, memory_id)
            if memory_id in derived.memories
            else self._query.addressed_side(self._data.names.get(memory_id, unknown))
            for memory_id in self.ids
        ]

    def _dates(self) -> tuple[Table, Table]:
        """Returns the nearness of the query's dates to each passage's time, and to mentioned times.

        Only the one that adds more to the score counts; the other is 0. A message that reports or
        plans what happens on a day does not ask what was said then, so only mentioned times count.
        """
        said, mentioned = self._nearness(self._query.dates)
        if self._query.is_about_the_future:
            return np.zeros(len(self.ids)), mentioned
        is_said = WEIGHTS["said_at"] * said > WEIGHTS["happened_at"] * mentioned
        return said * is_said, mentioned * ~is_said

    def _nearness(self, dates: Sequence[DateRange]) -> Table:
        """Returns DateScore.nearness() of all passages for these dates."""
        score = DateScore(dates, self._now)
        return score.nearness(self.passages.said_at, self.ids, self._data.mentioned_times)


def _fetch_candidates(
    fulltext: FullTextIndex,
    scores: ScoreTable,
    scope: SearchScope,
    allowed_ids: Container[str] | None,
) -> list[Candidate]:
    """Loads the best passages as candidates, without those forgotten in the meantime."""
    best = scores.best(scope.limit, allowed_ids)
    live = fulltext.live_memories([scores.ids[index] for index in best])
    fetched = {stored.memory.id: stored for stored in live}
    scored = zip(
        best,
        scores.parts(best),
        scores.own_scores(best),
        scores.cosines(best),
        scores.sides(best),
        scores.are_outside_dates(best),
        strict=True,
    )
    candidates = [
        Candidate(
            memory=stored.memory,
            score=sum(parts.values()),
            parts=parts,
            own_score=own,
            cosine=cosine,
            carried_over=scores.carried_over.get(stored.memory.id, 0.0),
            is_outside_dates=is_outside,
            key=stored.key,
            chat_key=stored.chat_key,
            matching_side=side,
        )
        for index, parts, own, cosine, side, is_outside in scored
        if (stored := fetched.get(scores.ids[index]))
    ]
    if scores.outdated_ids or any([candidate.memory.derived for candidate in candidates]):
        return with_sources(candidates, fulltext, scores.passages, scores.outdated_ids)
    return candidates
