"""English holidays: on fixed dates, or moving with Easter."""

import re
from collections.abc import Iterable, Mapping

from .calendar import ReferenceTime, yearly
from .english_words import YEAR, B, E, occurrence_of
from .feasts import EasterDay, FixedDay, YearlyDay
from .rule_engine import Interpretation, ignore_idiom, rule, single_period

# Dates wherever they stand, and those that need a preposition or a year: "Easter eggs" are none.
_DAYS: Mapping[str, YearlyDay] = {
    "christmas eve": FixedDay(12, 24),
    "christmas day": FixedDay(12, 25),
    "boxing day": FixedDay(12, 26),
    "new years eve": FixedDay(12, 31),
    "new years day": FixedDay(1, 1),
    "valentines day": FixedDay(2, 14),
    "april fools day": FixedDay(4, 1),
    "ash wednesday": EasterDay(-46),
    "palm sunday": EasterDay(-7),
    "maundy thursday": EasterDay(-3),
    "easter weekend": EasterDay(-2, 4),
    "easter sunday": EasterDay(0),
    "easter monday": EasterDay(1),
}
_FEASTS: Mapping[str, YearlyDay] = {
    "christmas": FixedDay(12, 24, 3),
    "xmas": FixedDay(12, 24, 3),
    "new years": FixedDay(1, 1),
    "halloween": FixedDay(10, 31),
    "valentines": FixedDay(2, 14),
    "easter": EasterDay(-2, 4),
    "good friday": EasterDay(-2),  # "a good Friday" is none
}
_ALL_DAYS = {**_DAYS, **_FEASTS}
_CUES = frozenset(
    """christmas xmas boxing new halloween valentine valentines fools easter ash palm maundy
    good""".split()  # noqa: SIM905
)


def _holiday(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    name = " ".join(re.sub("['’]", "", match["holiday"].lower()).split())  # noqa: RUF001
    day = _ALL_DAYS[name]
    if match["y"]:
        return single_period(day.of(int(match["y"])), explicit=True)
    which = occurrence_of(match["lead"], moment.default_occurrence)
    return single_period(yearly(moment, which, day.of))


def _pattern(names: Iterable[str]) -> str:
    """Returns a pattern for any of the names, in which an apostrophe may stand before an "s"."""
    with_blanks = "|".join(names).replace(" ", r"\s+")
    with_apostrophes = with_blanks.replace("fools", "fools['’]?")  # noqa: RUF001
    return re.sub("(year|valentine)s", r"\1['’]?s", with_apostrophes)  # noqa: RUF001


_ANY_DAY = _pattern(_DAYS)
_ANY = rf"{_ANY_DAY}|{_pattern(_FEASTS)}"
_BEFORE_ANY_FRIDAY = ("a", "any", "one", "pretty", "quite", "really", "so", "such", "very")
_GOOD_FRIDAY = "".join(rf"(?<!\b{word} )" for word in _BEFORE_ANY_FRIDAY) + r"(?-i:Good\s+Friday)"
_NO_THING = r"(?!\s+(?:island|eggs?|lil(?:y|ies)|bunn(?:y|ies))\b)"
RULES = (
    rule(rf"(?:happy|merry)\s+(?:{_ANY}){E}", ignore_idiom, _CUES, lead=B),
    rule(
        rf"(?:(?P<lead>last|this|next|past)\s+)?(?P<holiday>{_ANY}){E}{_NO_THING}"
        rf"(?:,?\s+(?:of\s+|in\s+)?(?P<y>{YEAR}))?",
        _holiday,
        _CUES,
        lead=rf"{B}(?:(?:since|until|till|before|after|around|in|during|over|at|on|for|by|from|(?<!date\s)of)\s+"
        rf"|(?={_ANY_DAY})|(?={_GOOD_FRIDAY})|(?=(?:last|this|next|past)\s)|(?=(?:{_ANY}),?\s+(?:of\s+|in\s+)?{YEAR}))",
    ),
)
