"""Scores passages by how near they are to the dates that a message names."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ..storage.contract import Column, Table
from ..text.dates.find_dates import DateRange

_HALF_LIFE_S = 15 * math.log(2) * 86_400.0  # exp(-gap / 15 days)
_NEAR_MENTION = 1 / 3  # of the score of a mention of the very day


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

        A mention of the very day has 1, one of another day at most a third: of many memories some
        mention a near day by chance.

        `said_at`: seconds since the epoch, nan if unknown, shape (n,).
        """
        table = np.zeros((2, len(ids)))
        if self._past:
            gaps = _gaps(self._past, said_at, said_at)
            table[0] = np.nan_to_num(0.5 ** (gaps / _HALF_LIFE_S))
        periods = [
            (index, *time)
            for index, memory_id in enumerate(ids if mentioned and self._spans else ())
            for time in mentioned.get(memory_id, ())
        ]
        if periods:
            indices, firsts, lasts = np.array(periods).T
            gaps = _gaps(self._spans, firsts, lasts)
            near = [
                _NEAR_MENTION * 0.5**halvings if halvings else 1.0
                for halvings in (gaps / _HALF_LIFE_S).tolist()
            ]
            np.maximum.at(table[1], indices.astype(np.int64), near)
        return table


def _gaps(spans: Sequence[tuple[float, float]], firsts: Column, lasts: Column) -> Table:
    """Returns the time in seconds from each period to the nearest span, 0 if they touch."""
    starts, ends = np.array(spans).T[:, :, None]
    gaps: Table = np.maximum(0.0, np.maximum(starts - lasts, firsts - ends)).min(axis=0)
    return gaps
