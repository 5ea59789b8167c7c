"""BM25 as in Lucene, also for fractional counts.

The idf is log(1 + (N - n + 0.5) / (n + 0.5)). N is the number of texts plus PRIOR_TEXTS, and n is
at least 1, so that the first memory of a dog does not make "dog" a common word. Weights are
relative to a rare word: a word that occurs in a single text has the weight 1.0.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

K1 = 0.9
B = 0.75
PRIOR_TEXTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Statistics of all texts: number, mean length in terms, document frequency of query words."""

    size: int
    mean_length: float
    document_frequency: Mapping[str, int] = field(default_factory=dict)

    def weight(self, word: str) -> float:
        """Returns the idf of a word relative to the greatest idf, which unknown words have."""
        return self.weights((word,))[word]

    def weights(self, words: Iterable[str]) -> dict[str, float]:
        """Returns the weight() of each word."""
        greatest, frequency = idf(self.size, 1), self.document_frequency
        return {word: idf(self.size, frequency.get(word, 0)) / greatest for word in words}


def idf(size: int, frequency: int) -> float:
    """Returns the weight of a term that occurs in `frequency` of `size` texts."""
    size, frequency = size + PRIOR_TEXTS, max(1, frequency)
    return math.log(1.0 + (size - frequency + 0.5) / (frequency + 0.5))
