"""Checks the scores that foreign models return."""

from collections.abc import Iterable
from math import isfinite

from .base import Scores


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
