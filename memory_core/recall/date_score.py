"""Scores passages by how near they are to the dates that a message names."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..storage.contract import Column, Table
from ..text.dates.find_dates import HALF_LIFE_DAYS, DateRange, proximity

_HALF_LIFE_S = HALF_LIFE_DAYS * 86_400.0


class DateScore:
    """Scores passages for some dates.

    `now`: time of the message, in seconds since the epoch. Dates in the future are not compared
    with a passage's own time, however near they are.
    """

    def __init__(self, dates: Sequence[DateRange], now: float | None) -> None:
        self._spans = [(dated.start.timestamp(), dated.end.timestamp()) for dated in dates]
        self._past = [span for span in self._spans if now is not None and span[0] <= now]

    def nearness(
        self,
        said_at: Column,
        ids: Sequence[str],
        mentioned: Mapping[str, Sequence[tuple[float, float]]],
    ) -> Table:
        """Returns the nearness, 0 … 1, to each passage's time and to mentioned times, shape (2, n).

        `said_at`: seconds since the epoch, nan if unknown, shape (n,).
        """
        table = np.zeros((2, len(ids)))
        if self._past:
            starts, ends = np.array(self._past).T[:, :, None]
            gaps = np.maximum(0.0, np.maximum(starts - said_at, said_at - ends)).min(axis=0)
            table[0] = np.nan_to_num(0.5 ** (gaps / _HALF_LIFE_S))
        for index, memory_id in enumerate(ids if mentioned else ()):
            if times := mentioned.get(memory_id):
                table[1, index] = max([proximity(time, self._spans) for time in times])
        return table
