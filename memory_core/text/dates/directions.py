"""Words before or after a unit, weekday, month or holiday that tell which one: "last", "next"."""

import re
from collections.abc import Callable
from enum import Enum

from .calendar import Occurrence, Period, ReferenceTime, Tense, weekend, weekly, whole_unit, yearly
from .date_words import DateWords


class Direction(Enum):
    """How far away: two back, one back, this one, the coming one, one ahead, two ahead.

    Only the tense tells which one THAT means: "на той неделе".
    """

    BEFORE_LAST = -2
    LAST = -1
    THIS = 0
    NEXT = 1
    AFTER_NEXT = 2
    COMING = "coming"
    THAT = "that"


_TWO_AWAY = {Direction.BEFORE_LAST: Occurrence.LAST, Direction.AFTER_NEXT: Occurrence.NEXT}
_OCCURRENCES = {
    Direction.LAST: Occurrence.LAST,
    Direction.NEXT: Occurrence.NEXT,
    Direction.COMING: Occurrence.NEXT,
    **_TWO_AWAY,
}


class Directions:
    """The patterns of one language, and the direction of a match."""

    def __init__(self, words: DateWords) -> None:
        self._patterns = {
            Direction.BEFORE_LAST: words.before_last,
            Direction.AFTER_NEXT: words.after_next,
            Direction.COMING: words.coming,
            Direction.LAST: words.last,
            Direction.THIS: words.this,
            Direction.NEXT: words.next,
            Direction.THAT: words.that,
        }
        self._gap, self._has_blanks = words.gap, words.has_blanks
        self._last, self._next = words.last, words.next
        self.pattern = "|".join(self._patterns.values())

    def around(self, core: str, *, bare: bool = False, gap: str = "") -> str:
        """Returns a pattern for `core` with "last", "this" or "next" before or after it."""
        after = rf"{self._gap}(?P<trail>{self._last}|{self._next})"
        if not self._has_blanks:
            after = r"(?P<trail>(?!))"
        before = rf"(?:(?P<lead>{self.pattern}){gap or self._gap})?"
        return rf"{before}{core}(?:{after})?" if bare else rf"{before}{core}(?(lead)|{after})"

    def of(self, match: re.Match[str], moment: ReferenceTime) -> Direction | None:
        """Returns the direction, or None without such a word. The tense decides THAT."""
        named = match.groupdict()
        word = named.get("lead") or named.get("trail")
        if not word:
            return None
        found = next(
            which
            for which, pattern in self._patterns.items()
            if re.fullmatch(pattern, word, re.IGNORECASE)
        )
        if found is not Direction.THAT:
            return found
        return Direction.NEXT if moment.tense() is Tense.FUTURE else Direction.LAST


def units_away(which: Direction | None) -> int:
    """Returns the number of units, such as weeks or years, from the present one."""
    if which is Direction.COMING:
        return 1
    return which.value if which is not None and isinstance(which.value, int) else 0


def unit_in_direction(moment: ReferenceTime, unit: str, which: Direction | None) -> Period:
    """Returns a whole unit. The coming weekend may be this one, unlike the next."""
    if which is Direction.COMING and unit == "weekend":
        return weekly(moment, Occurrence.COMING, weekend)
    return whole_unit(moment, unit, units_away(which))


def occurrence_of(which: Direction | None, otherwise: Occurrence) -> Occurrence:
    """Returns the nearest occurrence of a recurring period on that side of today."""
    return _OCCURRENCES.get(which, otherwise) if which else otherwise


def is_two_away(which: Direction | None) -> bool:
    return which in _TWO_AWAY


def year_in_direction(
    moment: ReferenceTime, which: Direction | None, make: Callable[[int], Period]
) -> Period:
    """Returns an occurrence of the period that `make` gives for a year."""
    if which is Direction.THIS:
        return make(moment.now.year)
    period = yearly(moment, occurrence_of(which, moment.default_occurrence), make)
    if not is_two_away(which):
        return period
    return make(period.start.year + (1 if which is Direction.AFTER_NEXT else -1))
