"""Shares out the places in a prompt: short derived memories together take that of one exchange.

Several observations hold no more words than one exchange. A derived memory takes as much of a place
as its length is of an exchange's, so that a prompt does not shrink when short memories win.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

from ..domain.records import Memory
from .results import Candidate

_ROUNDING = 1e-9


class Places:
    """Places that candidates take until none is left."""

    def __init__(self, count: float, ordered: Sequence[Candidate]) -> None:
        self.left = count
        exchanges = [
            len(candidate.memory.text) for candidate in ordered if candidate.memory.exchange
        ]
        self._usual_chars = fmean(exchanges) if exchanges else 0.0

    def take(self, memory: Memory) -> bool:
        """Takes the memory's share of a place; returns whether there was room for it."""
        share = self._share(memory)
        if share > self.left + _ROUNDING:
            return False
        self.left -= share
        return True

    def _share(self, memory: Memory) -> float:
        if memory.derived is None or not self._usual_chars:
            return 1.0
        return min(1.0, len(memory.text) / self._usual_chars)


def first_in_places(ordered: Sequence[Candidate], count: int) -> list[Candidate]:
    """Returns the first candidates that fit into this number of places, in their order."""
    return list(_first_in_places(ordered, Places(count, ordered)))


def _first_in_places(ordered: Sequence[Candidate], places: Places) -> Iterator[Candidate]:
    return (candidate for candidate in ordered if places.take(candidate.memory))
