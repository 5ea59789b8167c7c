"""Scores passages by the words of a message: BM25 over a passage and its neighbours.

Scores are shares of the message, 0 … 1, so that weights and thresholds fit short and long messages
alike. The sum over the words is divided by the sum of their weights. The divisor is at least
MIN_MASS, so that one common word cannot match a message in full. A word that is common in
everyday chat weighs less, however rare the memories make it (text/lexicon.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..storage.contract import Column, PassageColumns, Table
from ..text.bm25 import K1, B
from ..text.lexicon import word_weights
from .passages import QueryExpansion
from .query import Query

# Neighbouring passages count in part, because an answer seldom repeats the question's words.
CONTEXT_SHARE = 0.3
OTHER_SIDE = 0.7  # factor for the other side, if a question is about one speaker
MIN_MASS = 1.5
_MIN_COVERED_MASS = 0.5  # MIN_MASS for a short request, which has one informative word
UNKNOWN = 0.3  # share of its weight that a word counts if no memory contains it
CONTEXT_MASS = 0.75  # most weight, in rare words, that the context may add to a message


class TermCounts:
    """Tables of word counts: rows are passages, columns are words.

    Neighbours count if they are loaded. `counted` has a column for each term in `known.forms`,
    shape (2, passages, terms). `sides` has one for each word, with its related forms; `own` has the
    counts of both sides together. All are small integers, which are copied faster than floats.
    """

    def __init__(self, passages: PassageColumns, known: QueryExpansion, counted: Column) -> None:
        self.passages = passages
        self.column = {word: index for index, word in enumerate(known.words)}
        columns = [self.column[word] for word in known.forms.values()]
        self.sides: Column = counted.astype(np.int16)
        if columns != list(range(len(self.column))):
            self.sides = np.zeros((*counted.shape[:2], len(self.column)), dtype=np.int16)
            for index, column in enumerate(columns):
                self.sides[:, :, column] += counted[:, :, index].astype(np.int16)
        self.own: Column = self.sides[0] + self.sides[1]

    def with_context(self, addressed_sides: Sequence[int | None]) -> Table:
        """Returns the weighted counts of each passage and its neighbours, shape (passages, words).

        `addressed_sides` has for each passage the side that the question is about, or None; it is
        empty if the question is about neither speaker.
        """
        own = self.own
        if addressed_sides:
            user = np.array([OTHER_SIDE if side == 1 else 1.0 for side in addressed_sides])
            assistant = np.array([OTHER_SIDE if side == 0 else 1.0 for side in addressed_sides])
            own = user[:, None] * self.sides[0] + assistant[:, None] * self.sides[1]
        table: Table = CONTEXT_SHARE * self._neighbour_sum(self.own).astype(np.float64)
        table += own
        return table

    def lengths(self) -> Table:
        """Returns the lengths in terms, including the neighbours' share, shape (passages,)."""
        own = self.passages.lengths
        return np.asarray(own + CONTEXT_SHARE * self._neighbour_sum(own))

    def _neighbour_sum(self, table: Column) -> Column:
        """Returns the sum of both neighbours' rows."""
        padded = np.concatenate((table, np.zeros_like(table, shape=(1, *table.shape[1:]))))
        found = padded[self.passages.before]
        found += padded[self.passages.after]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalScore:
    """Scores per passage, each of shape (n,).

    `share`: the part of the message that it matches; `related`: the part that it matches better by
    related words than by its own; `topics`: the part of the message's topics; `session`: the part
    that its whole session matches (all 0 … 1). `found`: summed weight of the matched words, in rare
    words, without the context. `covered`: the largest share of the message's words that one passage
    has itself, each counted once.
    """

    share: Table
    related: Table
    topics: Table
    session: Table
    found: Table
    covered: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _PartWeights:
    """The weight of each word for one part of the message: its own words, and with the context.

    `mass` is the sum of the weights with the context, at least MIN_MASS.
    """

    own: Table
    with_context: Table
    mass: float


class LexicalScorer:
    """Scores passages for one query by its words.

    `term_counts` has shape (2, passages, terms). `addressed_sides` has for each passage the side
    that the query asks about; empty if the query asks about neither speaker.
    """

    def __init__(
        self,
        query: Query,
        passages: PassageColumns,
        known: QueryExpansion,
        *,
        term_counts: Column,
        addressed_sides: Sequence[int | None],
    ) -> None:
        self._query = query
        self._corpus = known.corpus
        self._related_words = known.related
        factors = word_weights(known.words, query.text)
        weights = known.corpus.weights(known.words)
        self._weight = {word: factors[word] * weights[word] for word in known.words}
        self._counts = TermCounts(passages, known, term_counts)
        self._addressed_sides = addressed_sides
        self.message_weights = {word: self._weight[word] for word in query.words}
        self._message_vector = self._vector(self.message_weights)
        self._parts = [self._part_weights(words) for words in query.parts]
        topics = {word: self._weight[word] for word in query.topics}
        self._topics = self._vector(topics)
        self._topic_mass = max(MIN_MASS, sum(topics.values()))

    def score(self) -> LexicalScore:
        counts = self._counts
        table = counts.with_context(self._addressed_sides)
        mean = (1.0 + 2 * CONTEXT_SHARE) * (self._corpus.mean_length or 1.0)
        saturated = _apply_saturation(table, (counts.lengths() / mean)[:, None])
        zeros = np.zeros(len(counts.passages.ids))
        present = (counts.own > 0.0) @ self._message_vector
        message_mass = max(_MIN_COVERED_MASS, self._mass(self.message_weights))
        return LexicalScore(
            share=np.max([zeros, *self._part_shares(saturated)], axis=0),
            related=self._related(saturated),
            topics=np.asarray(saturated @ self._topics / self._topic_mass),
            session=self._score_session(),
            found=np.max([zeros, *(saturated @ part.own for part in self._parts)], axis=0),
            covered=float(present.max(initial=0.0)) / message_mass,
        )

    def sides(self, rows: Sequence[int]) -> Table:
        """Returns the share of the query that each side matches alone, shape (2, n)."""
        mass = max(MIN_MASS, sum(self.message_weights.values()))
        sides = self._counts.sides[:, rows]
        return np.asarray(sides / (sides + K1) @ self._message_vector / mass)

    def own_shares(self, rows: Sequence[int]) -> Table:
        """Returns the shares of the words, related words and topics that passages match without
        their neighbours, shape (3, n).
        """
        own, lengths = self._counts.own[rows], self._counts.passages.lengths[rows]
        relative = lengths / (self._corpus.mean_length or 1.0)
        saturated = _apply_saturation(own, np.asarray(relative)[:, None])
        words = np.max([np.zeros(len(rows)), *self._part_shares(saturated)], axis=0)
        topics = saturated @ self._topics / self._topic_mass
        return np.stack([words, self._related(saturated), topics])

    def _part_shares(self, saturated: Table) -> list[Table]:
        """Returns the share of each part, with the context, that passages match."""
        return [np.asarray(saturated @ part.with_context / part.mass) for part in self._parts]

    def _part_weights(self, words: Sequence[str]) -> _PartWeights:
        """Scales the context's words down so as not to drown those of the message."""
        own = {word: self._weight[word] for word in words}
        context = {
            word: share * self._weight[word]
            for word, share in self._query.context_words.items()
            if word not in own
        }
        scale = min(1.0, CONTEXT_MASS / (sum(context.values()) or 1.0))
        weights = own | {word: scale * weight for word, weight in context.items()}
        return _PartWeights(
            own=self._vector(own),
            with_context=self._vector(weights),
            mass=max(MIN_MASS, self._mass(weights)),
        )

    def _mass(self, weights: Mapping[str, float]) -> float:
        """Returns the sum. A word that no memory contains counts little: "write", "card"."""
        known = self._corpus.document_frequency
        return sum(w if known.get(word) else UNKNOWN * w for word, w in weights.items())

    def _related(self, saturated: Table) -> Table:
        """Returns what the best related word of each word adds to the share of the message."""
        total = np.zeros(len(saturated))
        column, weight = self._counts.column, self._weight
        for word, related in self._related_words.items():
            shares = [near * min(weight[word], weight[term]) for term, near in related.items()]
            others = saturated[:, [column[term] for term in related]] * np.array(shares)
            own = weight[word] * saturated[:, column[word]]
            total += np.maximum(0.0, others.max(axis=1, initial=0.0) - own)
        return np.asarray(total / max(MIN_MASS, self._mass(self.message_weights)))

    def _vector(self, weights: Mapping[str, float]) -> Table:
        return np.array([weights.get(word, 0.0) for word in self._counts.column])

    def _score_session(self) -> Table:
        """Scores the matching exchanges of a session as one text, for each of its passages."""
        passages = self._counts.passages
        _, rows = np.unique(passages.sessions, return_inverse=True)
        count = int(rows.max(initial=-1)) + 1
        lengths = np.bincount(rows, passages.lengths, minlength=count)
        table = np.zeros((count, len(self._counts.column)))
        matching = rows[: passages.found_count]
        if len(matching):
            order = matching.argsort(kind="stable")
            ordered = matching[order]
            starts = np.concatenate(([0], (ordered[1:] != ordered[:-1]).nonzero()[0] + 1))
            sessions = ordered[starts]
            own = self._counts.own[order]
            table[sessions] = np.add.reduceat(own, starts, axis=0, dtype=np.float64)
        relative = np.asarray(lengths / max(1.0, lengths.mean()) if count else lengths)
        mass = max(1e-9, sum(self.message_weights.values()))
        scores = _apply_saturation(table, relative[:, None]) @ self._message_vector / mass
        return np.asarray(scores[rows])


def _apply_saturation(table: Table, lengths: Table) -> Table:
    """Applies BM25's term saturation; `lengths` are relative to the mean length."""
    total = table + K1 * (1.0 - B + B * lengths)
    return np.divide(table, total, out=total)
