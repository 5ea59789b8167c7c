"""BM25 as Lucene computes it, divided by the query's idf mass: 0..1 in a corpus of any size.

A query of common words only ("I think so") has little mass; it is taken for at least 1.5 times
that of one rare word, so that such a query cannot score high.

The idf is log(1 + (N - n + 0.5) / (n + 0.5)), where N counts PRIOR_TEXTS more texts than there are
and n is at least 1: that the only memory so far speaks of a dog does not make "dog" a common word.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

K1 = 1.2
B = 0.75
LEAST_MASS = 1.5
PRIOR_TEXTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What BM25 has to know of all texts: their number and mean length in terms."""

    size: int
    mean_length: float


@lru_cache(maxsize=1024)
def idf(corpus: Corpus, held: int) -> float:
    """The weight of a term that `held` texts hold."""
    size, held = corpus.size + PRIOR_TEXTS, max(1, held)
    return math.log(1.0 + (size - held + 0.5) / (held + 0.5))


def score(text: Sequence[str], weights: Mapping[str, float], corpus: Corpus) -> float:
    """How well a text, given as its terms, answers a query, given as term → idf."""
    if not weights or not text:
        return 0.0
    mass = max(sum(weights.values()), LEAST_MASS * idf(corpus, 1))
    counts = Counter(word for word in text if word in weights)
    norm = K1 * (1.0 - B + B * len(text) / (corpus.mean_length or 1.0))
    found = (weights[word] * count / (count + norm) for word, count in counts.items())
    return sum(found) / mass
