"""Seasons in a language with a word table: "прошлым летом", 去年の夏."""

import re

from .calendar import ReferenceTime, season
from .date_words import DateWords, any_of, by_word, key_of
from .directions import Direction, Directions, units_away, year_in_direction
from .rule_engine import Interpretation, single_period

_LAST_MONTH_OF_WINTER = 2


def season_pattern(words: DateWords, directions: Directions, year: str) -> str:
    """Returns the pattern for a season with a direction or a year. `year` matches one in digits.

    A season alone is no date: "летом хорошо".
    """
    name = rf"(?P<season>{any_of(by_word(words.seasons))})"
    of_year = words.season_year.replace("{which}", rf"(?P<trail>{directions.pattern})")
    before = rf"(?:(?P<lead>{directions.pattern}){words.season_gap})"
    after = rf"(?:{words.with_year}{year}|{of_year})"
    if not words.has_blanks:
        return rf"(?:{before}|{year}年の?){name}"
    return rf"{before}?{name}(?(lead)|{after})"


class SeasonReader:
    """Interprets a season: of the year that is named, or the one that the direction tells."""

    def __init__(self, words: DateWords, directions: Directions) -> None:
        self._seasons = by_word(words.seasons)
        self._directions = directions

    def __call__(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        named = match.groupdict()
        name = self._seasons[key_of(match["season"])]
        if named.get("y"):
            return single_period(season(int(named["y"]), name), explicit=True)
        which = self._directions.of(match, moment)
        if named.get("of_year"):
            return single_period(season(moment.now.year + units_away(which), name))
        if which is Direction.THIS and moment.now.month <= _LAST_MONTH_OF_WINTER:
            which = None  # the winter that began last year
        return single_period(year_in_direction(moment, which, lambda year: season(year, name)))
