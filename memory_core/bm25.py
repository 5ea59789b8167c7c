"""BM25 as Lucene computes it, in units of one rare word: 1.0 is the most that a word adds which
stands in one text only.

The unit means the same in every corpus and for every query, so that a threshold can be set on it:
a long question is not held to more words than a short one, and common words alone stay low. The
idf is log(1 + (N - n + 0.5) / (n + 0.5)), where N counts PRIOR_TEXTS more texts than there are and
n is at least 1: that the only memory so far speaks of a dog does not make "dog" a common word.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

K1 = 1.2
B = 0.75
PRIOR_TEXTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """What BM25 has to know of all texts: their number and mean length in terms."""

    size: int
    mean_length: float


def idf(corpus: Corpus, held: int) -> float:
    """The weight of a term that `held` texts hold."""
    size, held = corpus.size + PRIOR_TEXTS, max(1, held)
    return math.log(1.0 + (size - held + 0.5) / (held + 0.5))


def score(text: Sequence[str], weights: Mapping[str, float], corpus: Corpus) -> float:
    """How well a text, given as its terms, answers a query, given as term → idf."""
    if not weights or not text:
        return 0.0
    counts = Counter(text)
    norm = K1 * (1.0 - B + B * len(text) / (corpus.mean_length or 1.0))
    found = (
        weight * counts[word] / (counts[word] + norm)
        for word, weight in weights.items()
        if word in counts
    )
    return sum(found) / idf(corpus, 1)
