"""Exact top-k search by BM25 over postings in several parts (Turtle and Flood 1995, "MaxScore").

Words are read in the order of their maximum score. Once the remaining words cannot lift a new text
into the best, their long postings are not read: only the candidates are looked up in them.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from .postings import DTYPES, Array, LivePostings, intersect_sorted, saturation

_LOOKUP_THRESHOLD = 16_384  # with fewer postings left, reading them is cheaper than the check


class QueryTerm(NamedTuple):
    """A query word in one part: the span of its postings, its weight and its maximum score."""

    first: int
    last: int
    weight: float
    max_score: float
    document_frequency: int


def best_texts(
    sources: Sequence[LivePostings],
    weights: Mapping[str, float],
    mean: float,
    limit: int,
    rows: Array | None = None,
) -> tuple[Array, Array]:
    """Returns rows and short ids of the best texts of all parts, best first, of equal scores the
    lower row first; only of `rows`, if given.
    """
    found, ids = np.empty(0, DTYPES["numbers"]), np.empty(0, DTYPES["ids"])
    scores, least = np.empty(0, np.float32), 0.0
    for source in sources:
        search = MaxscoreSearch(source, weights, mean, rows)
        if 0.0 < search.max_score >= least:
            positions, own = search.best(limit, least)
            source.postings.read_ahead.request_columns(positions)
            columns = source.postings.columns
            found = np.concatenate((found, columns.numbers[positions]))
            ids = np.concatenate((ids, columns.ids[positions]))
            scores = np.concatenate((scores, own))
            best = np.lexsort((found, -scores))[:limit]
            found, ids, scores = found[best], ids[best], scores[best]
            least = float(scores[-1]) if len(scores) == limit else 0.0
    return found, ids


class MaxscoreSearch:
    """Scores the texts of one part, as far as their scores can matter. None exceeds `max_score`."""

    def __init__(
        self,
        source: LivePostings,
        weights: Mapping[str, float],
        mean: float,
        rows: Array | None = None,
    ) -> None:
        self._source, self._postings = source, source.postings
        self._lengths = source.postings.columns.lengths
        self._words = _query_terms(source, weights, mean)
        self._mean = mean
        left = accumulate((word.max_score for word in reversed(self._words)), initial=0.0)
        self._left = [*left][::-1]
        self.max_score = self._left[0]
        self._rows = rows

    def best(self, limit: int, min_score: float) -> tuple[Array, Array]:
        """Returns positions and scores above `min_score`, about `limit` of them at most."""
        self._scores = np.zeros(self._postings.size, dtype=np.float32)
        self._excluded = self._source.deleted_positions
        if self._rows is not None:
            self._excluded = np.ones(self._postings.size, dtype=bool)
            self._excluded[self._source.positions(self._rows)[1]] = False
        done, count = len(self._words), sum([word.document_frequency for word in self._words])
        if 0 < count <= _LOOKUP_THRESHOLD:
            self._add_all()
        else:
            done, min_score = self._scan_terms(limit, min_score, count)
        self._scores[self._excluded] = 0.0
        positions = (self._scores > max(0.0, min_score - self._left[done])).nonzero()[0]
        scores = self._scores[positions]
        for number in range(done, len(self._words)):
            scores += self._look_up_scores(self._words[number], positions)
            stays = scores >= min_score - self._left[number + 1]
            positions, scores = positions[stays], scores[stays]
        if len(positions) > limit:
            top = (-scores).argpartition(limit - 1)[:limit]
            top.sort()
            positions, scores = positions[top], scores[top]
        return positions, scores

    def _scan_terms(self, limit: int, min_score: float, ahead: int) -> tuple[int, float]:
        """Returns how many words had to be read in full, and the threshold after them.

        `ahead` is the number of all postings.
        """
        for number, word in enumerate(self._words):
            if min_score > self._left[number]:
                return number, min_score
            positions = self._add(word)
            ahead -= word.document_frequency
            if ahead > _LOOKUP_THRESHOLD:
                min_score = max(min_score, self._kth(limit, positions))
        return len(self._words), min_score

    def _add_all(self) -> None:
        """Adds the scores of all words at once, which saves most of the time for rare ones."""
        spans = [slice(word.first, word.last) for word in self._words]
        for word in self._words:
            self._postings.read_ahead.request_counts(word.first, word.last)
        at, user, assistant = (
            np.concatenate([column[span] for span in spans])
            for column in (self._postings.at, self._postings.user, self._postings.assistant)
        )
        weights = np.array([word.weight for word in self._words], dtype=np.float32)
        each = weights.repeat([word.document_frequency for word in self._words])
        values = saturation(user, assistant, self._lengths[at].astype(np.float32), self._mean)
        np.add.at(self._scores, at, values * each)

    def _add(self, word: QueryTerm) -> Array:
        """Adds a word's scores; returns the positions that hold it."""
        span = slice(word.first, word.last)
        self._postings.read_ahead.request_counts(word.first, word.last)
        positions = self._postings.at[span]
        self._scores[positions] += self._value(word, span, positions)
        return positions

    def _value(self, word: QueryTerm, span: slice | Array, positions: Array) -> Array:
        user, assistant = self._postings.user[span], self._postings.assistant[span]
        lengths = self._lengths[positions].astype(np.float32)
        return saturation(user, assistant, lengths, self._mean) * np.float32(word.weight)

    def _kth(self, limit: int, positions: Array) -> float:
        """Returns the limit-th best score so far among the texts at these positions."""
        if len(positions) < limit:
            return 0.0
        self._scores[self._excluded] = 0.0
        return float(np.partition(self._scores[positions], -limit)[-limit])

    def _look_up_scores(self, word: QueryTerm, positions: Array) -> Array:
        """Returns the score that a word adds to each of these positions."""
        added = np.zeros(len(positions), dtype=np.float32)
        which, near = intersect_sorted(self._postings.at[word.first : word.last], positions)
        near += word.first
        self._postings.read_ahead.request_counts_at(near)
        added[which] = self._value(word, near, positions[which])
        return added


def _query_terms(
    source: LivePostings, weights: Mapping[str, float], mean: float
) -> list[QueryTerm]:
    """Returns the words that occur in this part, highest maximum score first."""
    postings, terms = source.postings, source.terms(list(weights))
    stretch = max(1.0, mean / postings.mean)  # among shorter texts each text counts as longer
    found = []
    for word, weight in weights.items():
        term = terms[word]
        if term >= 0:
            peak = min(1.0, float(postings.peaks[term]) * stretch)
            first, last = postings.run(term)
            postings.read_ahead.request_run(first, last)
            found.append(QueryTerm(first, last, weight, weight * peak * 1.0001, last - first))
    return sorted(found, key=lambda word: (-word.max_score, word.document_frequency))
