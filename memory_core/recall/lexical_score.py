"""Scores passages by the words of a message: BM25 over a passage and its neighbours.

Scores are shares of the message, 0 … 1, so that weights and thresholds fit short and long messages
alike. The sum over the words is divided by the sum of their weights. The divisor is at least
MIN_MASS, so that one common word cannot match a message in full. A word that is common in
everyday chat weighs less, however rare the memories make it (text/common_words.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..infra.cached_property import cached_property
from ..storage.contract import Column, PassageColumns, Table
from ..text.bm25 import K1, B
from ..text.common_words import word_weights
from .find_ids import QueryExpansion
from .query import Query

# Neighbouring passages count in part, because an answer seldom repeats the question's words.
CONTEXT_SHARE = 0.3
OTHER_SIDE = 0.7  # factor for the other side, if a question is about one speaker
MIN_MASS = 1.5
_MIN_COVERED_MASS = 0.5  # MIN_MASS for a short request, which has one informative word
UNKNOWN = 0.3  # share of its weight that a word counts if no memory contains it
CONTEXT_MASS = 0.75  # most weight, in rare words, that the context may add to a message
_TENTH = 9  # the tenth best


class TermCounts:
    """Tables of word counts: rows are passages, columns are words.

    Neighbours count if they are loaded. `counted` has a column for each term in `known.forms`,
    shape (2, passages, terms).
    """

    def __init__(self, passages: PassageColumns, known: QueryExpansion, counted: Column) -> None:
        self.passages = passages
        self.column = {word: index for index, word in enumerate(known.words)}
        self._counted = counted
        self._words = [self.column[word] for word in known.forms.values()]

    @cached_property
    def own(self) -> Table:
        """Counts of both sides together, shape (passages, words)."""
        return np.asarray(self.sides[0] + self.sides[1])

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
        return np.asarray(own + CONTEXT_SHARE * self._neighbour_sum(self.own))

    @cached_property
    def lengths(self) -> Table:
        """Lengths in terms, including the neighbours' share, shape (passages,)."""
        own = self.passages.lengths.astype(np.float64).reshape(-1, 1)
        return np.asarray((own + CONTEXT_SHARE * self._neighbour_sum(own))[:, 0])

    @cached_property
    def sides(self) -> Table:
        """Counts of each side, shape (2, passages, words). A related form counts as its word."""
        table = self._counted.astype(np.float64)
        if self._words == list(range(len(self.column))):
            return table
        sides = np.zeros((*table.shape[:2], len(self.column)))
        for index, column in enumerate(self._words):
            sides[:, :, column] += table[:, :, index]
        return sides

    def _neighbour_sum(self, table: Table) -> Table:
        """Returns the sum of both neighbours' rows."""
        padded = np.vstack([table, np.zeros((1, table.shape[1]))])
        return np.asarray(padded[self.passages.before] + padded[self.passages.after])


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
        self.message_weights = self._weights(query.words)
        self._message_vector = self._vector(self.message_weights)

    def score(self) -> LexicalScore:
        table = self._counts.with_context(self._addressed_sides)
        mean = (1.0 + 2 * CONTEXT_SHARE) * (self._corpus.mean_length or 1.0)
        saturated = _apply_saturation(table, (self._counts.lengths / mean)[:, None])
        parts = [self._share(saturated, words) for words in self._query.parts]
        zeros = np.zeros(len(self._counts.passages.ids))
        return LexicalScore(
            share=_best_part([share for share, _ in parts], zeros),
            related=self._related(saturated),
            topics=self._topics(saturated),
            session=self._score_session(),
            found=np.max([zeros, *(found for _, found in parts)], axis=0),
            covered=self._covered(),
        )

    def _covered(self) -> float:
        present = (self._counts.own > 0.0) @ self._message_vector
        mass = max(_MIN_COVERED_MASS, self._mass(self.message_weights))
        return float(present.max(initial=0.0)) / mass

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
        shares = [self._share(saturated, words)[0] for words in self._query.parts]
        words = np.max([np.zeros(len(rows)), *shares], axis=0)
        return np.stack([words, self._related(saturated), self._topics(saturated)])

    def _share(self, saturated: Table, words: Sequence[str]) -> tuple[Table, Table]:
        """Returns the share of these words and the context that passages match, and the summed
        weight of the words, without the context, that they match.
        """
        own = self._weights(words)
        context = self._context(own) if self._query.context_words else {}
        weights = own | context
        found = np.asarray(saturated @ self._vector(own))
        both = saturated @ self._vector(weights) if context else found
        return np.asarray(both / max(MIN_MASS, self._mass(weights))), found

    def _mass(self, weights: Mapping[str, float]) -> float:
        """Returns the sum. A word that no memory contains counts little: "write", "card"."""
        known = self._corpus.document_frequency
        return sum(w if known.get(word) else UNKNOWN * w for word, w in weights.items())

    def _related(self, saturated: Table) -> Table:
        """Returns what the best related word of each word adds to the share of the message."""
        total = np.zeros(len(saturated))
        column, weight = self._counts.column, self._weight
        for word, related in self._related_words.items():
            own = weight[word] * saturated[:, column[word]]
            best = own
            for term, nearness in related.items():
                share = nearness * min(weight[word], weight[term])
                best = np.maximum(best, share * saturated[:, column[term]])
            total += best - own
        return np.asarray(total / max(MIN_MASS, self._mass(self.message_weights)))

    def _topics(self, saturated: Table) -> Table:
        weights = self._weights(self._query.topics)
        mass = max(MIN_MASS, sum(weights.values()))
        return np.asarray(saturated @ self._vector(weights) / mass)

    def _weights(self, words: Sequence[str]) -> dict[str, float]:
        return {word: self._weight[word] for word in words}

    def _context(self, own: Mapping[str, float]) -> dict[str, float]:
        """Returns the weights of context words, scaled down so as not to drown the message."""
        words = self._query.context_words
        found = {
            word: share * self._weight[word] for word, share in words.items() if word not in own
        }
        scale = min(1.0, CONTEXT_MASS / (sum(found.values()) or 1.0))
        return {word: scale * weight for word, weight in found.items()}

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
            sessions, starts = np.unique(matching[order], return_index=True)
            table[sessions] = np.add.reduceat(self._counts.own[order], starts, axis=0)
        relative = np.asarray(lengths / max(1.0, lengths.mean()) if count else lengths)
        mass = max(1e-9, sum(self.message_weights.values()))
        scores = _apply_saturation(table, relative[:, None]) @ self._message_vector / mass
        return np.asarray(scores[rows])


def _apply_saturation(table: Table, lengths: Table) -> Table:
    """Applies BM25's term saturation; `lengths` are relative to the mean length."""
    return np.asarray(table / (table + K1 * (1.0 - B + B * lengths)))


def _best_part(parts: Sequence[Table], zeros: Table) -> Table:
    """Returns each passage's score for the message part that it matches best."""
    if len(parts) < 2:
        return parts[0] if parts else zeros
    return np.asarray(np.max([_selectivity(part) * part for part in parts], axis=0))


def _selectivity(part: Table) -> float:
    """Returns 1 if a part of a message matches few memories well, down to 0.3 if it matches many.

    A part that matches many is often a figure of speech.
    """
    ranked = np.sort(part)[::-1]
    best = float(ranked[0]) if len(ranked) else 0.0
    common = float(ranked[_TENTH]) if len(ranked) > _TENTH else 0.0
    return 1.0 - 0.7 * common / best if best else 1.0
