"""The contract of every model that reorders texts by scoring them, and a check of its scores."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Protocol

Scores = Mapping[int, float]


class ScoringReranker(Protocol):
    """Scores how well each text answers a query: higher is better, on a scale of its own.

    Raises RerankerUnavailable, and nothing else, when it cannot score now.
    """

    @property
    def name(self) -> str: ...

    def prepare(self) -> None:
        """Loads slow parts in the background. May be called any number of times."""
        ...

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        """Returns scores by index into `texts`; some may be missing.

        Raises RerankerUnavailable after about `timeout_s` seconds.
        """
        ...


def checked_scores(pairs: Iterable[tuple[int, float]], *, count: int) -> Scores:
    """Returns the score of each index below `count`; of duplicates the first.

    Raises ValueError for a score that is NaN or infinite, or if no text has a score.
    """
    scores: dict[int, float] = {}
    for index, score in pairs:
        if not isfinite(score):
            raise ValueError("a score that is NaN or infinite")
        if 0 <= index < count:
            scores.setdefault(index, float(score))
    if count and not scores:
        raise ValueError(f"no score for any of {count} texts")
    return scores
