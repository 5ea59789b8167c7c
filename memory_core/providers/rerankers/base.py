"""The contract of every model that reorders texts by scoring them."""

from collections.abc import Mapping, Sequence
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
