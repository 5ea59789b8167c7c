"""BM25 as Lucene computes it, over counts that need not be whole.

The idf is log(1 + (N - n + 0.5) / (n + 0.5)), where N counts PRIOR_TEXTS more texts than there are
and n is at least 1: that the only memory so far speaks of a dog does not make "dog" a common word.
Weights are in units of one rare word: 1.0 is that of a word which stands in one text only.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

K1 = 0.9
B = 0.75
PRIOR_TEXTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What BM25 has to know of all texts: their number, their mean length in terms, and how many
    hold a word, for the words of a query.
    """

    size: int
    mean_length: float
    document_frequency: Mapping[str, int] = field(default_factory=dict)

    def weight(self, word: str) -> float:
        """The idf of a word in units of the greatest there is; a word held by none has that."""
        return idf(self.size, self.document_frequency.get(word, 0)) / idf(self.size, 1)


def idf(size: int, held: int) -> float:
    """The weight of a term that `held` of `size` texts hold."""
    size, held = size + PRIOR_TEXTS, max(1, held)
    return math.log(1.0 + (size - held + 0.5) / (held + 0.5))


def saturate(count: float, length: float) -> float:
    """What `count` occurrences in a text add, 0..1; its length is in units of the mean length."""
    return count / (count + K1 * (1.0 - B + B * length)) if count else 0.0
