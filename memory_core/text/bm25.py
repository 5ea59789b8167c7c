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
        size, frequency = self.size + PRIOR_TEXTS, self.document_frequency
        greatest = math.log(1.0 + (size - 0.5) / 1.5)
        counts = {word: max(1, frequency.get(word, 0)) for word in words}
        return {
            word: math.log(1.0 + (size - count + 0.5) / (count + 0.5)) / greatest
            for word, count in counts.items()
        }
