"""Measures how much longer a text of ten times the length takes."""

import time
from dataclasses import dataclass

from .foreign_text import FOREIGN
from .nasty_texts import NASTY

MOST_GROWTH = 25.0  # by the square it would be 100; a busy machine made 16 of 10
# Below this, even what grows by the square of the length takes no more than seconds at a million.
_FLOOR_S = 0.005
_TRIES = 10  # of which the best counts: a busy machine slows some


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """Seconds for a text and for a text of ten times its length."""

    short_s: float
    long_s: float

    @property
    def is_linear(self) -> bool:
        return self.long_s < _FLOOR_S or self.long_s <= MOST_GROWTH * self.short_s


def seconds(function: str, text: str, letters: int) -> float:
    """Returns the processor time of one call, on a text that is in no cache."""
    read, said = FOREIGN[function], NASTY[text](letters)
    started = time.thread_time()
    read(said)
    return time.thread_time() - started


def growth(function: str, text: str, letters: int) -> Growth:
    """Returns the best of several measurements; one is enough where it is linear."""
    short_s = long_s = float("inf")
    for again in range(_TRIES):
        long_s = min(long_s, seconds(function, text, 10 * letters + again))
        if long_s < _FLOOR_S:
            return Growth(short_s=0.0, long_s=long_s)
        short_s = min(short_s, seconds(function, text, letters + 20 + again))
        if Growth(short_s=short_s, long_s=long_s).is_linear:
            break
    return Growth(short_s=short_s, long_s=long_s)
