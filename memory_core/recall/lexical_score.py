"""How well passages answer a message by its words: BM25 over the passage and what stands around it.

A share of the message is what counts (0 … 1), so that a weight and a threshold mean the same for
short and long messages: the sum over its words is divided by their weights' sum, which is taken to
be at least LEAST_MASS, so that a message of one common word is not answered in full by it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..storage.contract import Column, PassageColumns
from ..text.bm25 import K1, B
from .query import Query
from .query_expansion import QueryExpansion
from .term_counts import CONTEXT_SHARE, Table, TermCounts

LEAST_MASS = 1.5
UNKNOWN = 0.3  # of its weight, what a word counts that no memory holds
CONTEXT_MASS = 0.75  # in rare words: what the turns before may add to a message at most
_CROWD = 9  # the tenth best


@dataclass(frozen=True, slots=True, kw_only=True)
class LexicalScore:
    """Of each passage: the share of the message that it answers, that which its sitting answers,
    the share of the message's topics that it touches (all 0 … 1), and the sum of what was found,
    in rare words, without the context.
    """

    share: Table
    topics: Table
    session: Table
    found: Table


class LexicalScorer:
    """The words of one query over the passages at hand; `asked` names for each the side that the
    query is about, empty where it is about neither.
    """

    def __init__(
        self,
        query: Query,
        passages: PassageColumns,
        known: QueryExpansion,
        *,
        counted: Column,
        asked: Sequence[int | None],
    ) -> None:
        self._query = query
        self._corpus = known.corpus
        self._weight = {word: known.corpus.weight(word) for word in known.words}
        self._counts = TermCounts(passages, known, counted)
        self._addressed_sides = asked

    def score(self) -> LexicalScore:
        parts = [self._part(words) for words in self._query.parts]
        bare = [self._saturated @ self._vector(self.weights(words)) for words in self._query.parts]
        nothing = np.zeros(len(self._counts.passages.ids))
        return LexicalScore(
            share=_best(parts, nothing),
            topics=self._topics(),
            session=self._score_session(),
            found=np.max([nothing, *bare], axis=0),
        )

    def sides(self, which: Sequence[int]) -> Table:
        """Returns the share that each side of these answers by itself, shape (2, n)."""
        weights = self.weights(self._query.words)
        mass = max(LEAST_MASS, sum(weights.values()))
        sides = self._counts.sides[:, which]
        return np.asarray(sides / (sides + K1) @ self._vector(weights) / mass)

    def _part(self, words: Sequence[str]) -> Table:
        own = self.weights(words)
        weights = own | self._context(own)
        mass = max(LEAST_MASS, sum(self._word_mass(word, it) for word, it in weights.items()))
        return np.asarray(self._saturated @ self._vector(weights) / mass)

    def _word_mass(self, word: str, weight: float) -> float:
        """Returns what a word counts of its message: a word that no memory holds counts little, as
        "write" and "card" do in "write a card for my sister".
        """
        return weight if self._corpus.document_frequency.get(word) else UNKNOWN * weight

    def _topics(self) -> Table:
        weights = self.weights(self._query.topics)
        mass = max(LEAST_MASS, sum(weights.values()))
        return np.asarray(self._saturated @ self._vector(weights) / mass)

    def weights(self, words: Sequence[str]) -> dict[str, float]:
        return {word: self._weight[word] for word in words}

    def _context(self, own: Mapping[str, float]) -> dict[str, float]:
        """What the turns before add, held down so that they do not drown the message."""
        words = self._query.context_words
        found = {
            word: share * self._weight[word] for word, share in words.items() if word not in own
        }
        scale = min(1.0, CONTEXT_MASS / (sum(found.values()) or 1.0))
        return {word: scale * weight for word, weight in found.items()}

    @cached_property
    def _saturated(self) -> Table:
        table = self._counts.with_context(self._addressed_sides)
        mean = (1.0 + 2 * CONTEXT_SHARE) * (self._corpus.mean_length or 1.0)
        return np.asarray(_apply_saturation(table, (self._counts.lengths / mean)[:, None]))

    def _vector(self, weights: Mapping[str, float]) -> Table:
        vector = np.zeros(len(self._counts.column))
        for word, weight in weights.items():
            vector[self._counts.column[word]] = weight
        return vector

    def _score_session(self) -> Table:
        """The found exchanges of one sitting taken as one text, as long as all of it at hand."""
        passages = self._counts.passages
        _, rows = np.unique(passages.sessions, return_inverse=True)
        count = int(rows.max(initial=-1)) + 1
        lengths = np.bincount(rows, passages.lengths, minlength=count)
        table = np.zeros((count, len(self._counts.column)))
        np.add.at(table, rows[: passages.found_count], self._counts.own[: passages.found_count])
        relative = np.asarray(lengths / max(1.0, lengths.mean()) if count else lengths)
        weights = self.weights(self._query.words)
        mass = max(1e-9, sum(weights.values()))
        return np.asarray(
            (_apply_saturation(table, relative[:, None]) @ self._vector(weights) / mass)[rows]
        )


def _apply_saturation(table: Table, lengths: Table) -> Table:
    """BM25's saturation."""
    return np.asarray(table / (table + K1 * (1.0 - B + B * lengths)))


def _best(parts: Sequence[Table], nothing: Table) -> Table:
    """How well each passage answers the part of the message that it answers best."""
    if len(parts) < 2:
        return parts[0] if parts else nothing
    return np.asarray(np.max([_selectivity(part) * part for part in parts], axis=0))


def _selectivity(part: Table) -> float:
    """1 where a part of a message singles memories out, down to 0.3 where many answer it alike, as
    they do a figure of speech.
    """
    ranked = np.sort(part)[::-1]
    best = float(ranked[0]) if len(ranked) else 0.0
    common = float(ranked[_CROWD]) if len(ranked) > _CROWD else 0.0
    return 1.0 - 0.7 * common / best if best else 1.0
