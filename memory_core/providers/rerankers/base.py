"""What every model promises that orders texts by scoring them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

Scores = Mapping[int, float]


class ScoringReranker(Protocol):
    """Scores how well each text answers a query: higher is better, on a scale of its own.

    Raises RerankerUnavailable, and nothing else, when scores cannot be had now.
    """

    @property
    def name(self) -> str: ...

    def prepare(self) -> None:
        """Does, in the background and any number of times, what no message shall wait for."""
        ...

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        """Scores by the place of their text, of which some may be missing.

        Gives up (RerankerUnavailable) after about `timeout_s`.
        """
        ...
