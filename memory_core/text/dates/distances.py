"""Distances from today in a language with a word table: "vor zwei Wochen", "через полгода"."""

import re

from .calendar import ReferenceTime, Tense, time_ago
from .date_words import DateWords, any_of, by_word, key_of
from .rule_engine import Interpretation, single_period

_FEW = (2, 5)


class Distances:
    """The patterns of one language, and their interpretation."""

    def __init__(self, words: DateWords) -> None:
        self._numbers, self._few = words.numbers, words.few.split()
        self._units, self._half_units = by_word(words.units), by_word(words.half_units)

    def pattern(self, phrase: str) -> str:
        """Returns the phrase with patterns in the places of {n} and {unit}."""
        amount = any_of([*self._numbers, *self._few])
        units = any_of([*self._units, *self._half_units])
        counted = rf"(?P<n>(?<![0-9])[0-9]{{1,3}}|{amount})"
        return phrase.format(n=counted, unit=rf"(?P<unit>{units})")

    def read_ago(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        return single_period(time_ago(moment.now, self._unit(match), *self._amount(match)))

    def read_later(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
        if moment.tense() is Tense.PAST:  # it counts from another event
            return None
        minimum, maximum = self._amount(match)
        return single_period(time_ago(moment.now, self._unit(match), -maximum, -minimum))

    def _unit(self, match: re.Match[str]) -> str:
        name = key_of(match["unit"])
        return self._units.get(name) or self._half_units[name]

    def _amount(self, match: re.Match[str]) -> tuple[float, float]:
        amount = key_of(match["n"] or "")
        if amount in self._few:
            return _FEW
        number = int(amount) if amount.isdecimal() else self._numbers.get(amount, 1)
        if key_of(match["unit"]) in self._half_units:
            number *= 0.5
        return number, number
