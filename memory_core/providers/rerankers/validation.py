"""Scores of a model that is not ours are checked before anything is ordered by them."""

from collections.abc import Iterable
from math import isfinite

from .base import Scores


def checked_scores(found: Iterable[tuple[int, float]], *, count: int) -> Scores:
    """The scores of those of `count` texts that have one; of two for one text the first.

    Raises ValueError where one is no number, or where none of the texts has any.
    """
    scores: dict[int, float] = {}
    for place, score in found:
        if not isfinite(score):
            raise ValueError("a score that is NaN or infinite")
        if 0 <= place < count:
            scores.setdefault(place, float(score))
    if count and not scores:
        raise ValueError(f"no score for any of {count} texts")
    return scores
