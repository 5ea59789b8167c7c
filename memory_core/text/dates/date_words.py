"""Tables of the words with which a language names dates. A new language needs only such a table.

Blanks separate words of one meaning; "_" is a blank within one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

from .feasts import YearlyDay
from .rule_engine import LETTERS
from .tenses import Tenses
from .unit_parts import UnitPart

NEVER = r"(?!)"  # matches nothing
_WORD = re.compile(rf"[{LETTERS}]+|[0-9]+|[^\W\d_]", re.IGNORECASE)
_Meaning = TypeVar("_Meaning")
_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class DateWords:
    """The words of one language.

    `months` begin with January, `weekdays` with Monday. `days` have their number from today, and so
    have `day_parts`, with the part of the day; `parts` are parts of a day that follow it.

    `holidays` are dates wherever they stand, `feasts` only after a word that `at_feast` matches, or
    with `last`, `this` or `next`. `year_gap` stands between these and a holiday instead of `gap`.

    `half_units` are halves: "полгода". `named_units` are units by a name of their own, counted from
    the present one. `seasons` count with a direction or a year. `season_gap` stands between the
    direction and the season, `season_year` behind the season; it has {which}. The group "of_year"
    of either says that the year is counted, not the season.

    The other fields are patterns (regular expressions). `last`, `this` and `next` stand before or
    after a unit, a weekday or a month. `before_last` and `after_next` are two away, `coming` is the
    first that is not over, and of `that` only the tense tells which one it is. `date` has {digits},
    {ordinal}, {month}, {year} and {weekday}; `until` stands between the first and the last day of
    several, `span_from` before the first. So do `among_and` and `among`. `after_number` may follow
    the number of one of several days, and `span_end` must follow the last if no month does. Behind
    `numbered_things` such as "page", numbers are no days.
    `numeric` is a date with the number of its month, with {digits}, {number}, {years} and
    {weekday}. `month_day` is a day whose month is not named, with {digits}, {ordinal} and perhaps
    {weekday}. `with_year` precedes a year in `date`, `in_month` a month alone, `in_year` a year
    alone. `day_of_week` stands between a weekday and its week: "lundi de la semaine prochaine".
    `ago` and `later` have {n} and {unit}, and so have `ago_turned` and `later_turned`, in another
    order: "дня три назад". `idioms` keep other rules from matching their words.

    `unit_parts` are phrases such as "Ende_des_Monats". `weekends` is a pattern for a weekend of
    which only the tense tells which it is: "am Wochenende".

    `doubtful` days also exist in another language, so they count only near `hints` and not near
    `hints_against`. `cues` are words for finding `in_year` and units with short names. Without
    blanks, `rare` has the telling characters of "weekdays", "units", "weekends", "parts", "ago",
    "later" and "month_day".
    """

    months: tuple[str, ...] = ()
    weekdays: tuple[str, ...]
    days: Mapping[int, str]
    day_parts: Mapping[tuple[int, str], str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    ordinals: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    numbers: Mapping[str, float] = field(default_factory=lambda: _NOTHING)
    few: str = ""
    units: Mapping[str, str]
    half_units: Mapping[str, str] = field(default_factory=dict)
    named_units: Mapping[tuple[str, int], str] = field(default_factory=dict)
    seasons: Mapping[str, str] = field(default_factory=dict)
    season_gap: str = r"\s+"
    season_year: str = NEVER
    holidays: Mapping[str, YearlyDay] = field(default_factory=dict)
    feasts: Mapping[str, YearlyDay] = field(default_factory=dict)
    at_feast: str = NEVER
    year_gap: str = ""
    unit_parts: Mapping[str, UnitPart] = field(default_factory=dict)
    weekends: str = NEVER
    last: str
    this: str
    next: str
    before_last: str = NEVER
    after_next: str = NEVER
    coming: str = NEVER
    that: str = NEVER
    date: str = NEVER
    until: str = NEVER
    among: str = NEVER
    among_and: str = NEVER
    span_from: str = NEVER
    span_end: str = NEVER
    numbered_things: str = NEVER
    after_number: str = NEVER
    numeric: str = NEVER
    month_day: str = NEVER
    with_year: str = r"\s+"
    in_month: str = NEVER
    in_year: str = NEVER
    after_year: str = ""
    ago: str
    later: str
    ago_turned: str = NEVER
    later_turned: str = NEVER
    week_day: str = r"\s+"
    day_of_week: str = NEVER
    idioms: str = NEVER
    doubtful: str = ""
    hints: str = NEVER
    hints_against: str = NEVER
    cues: str = ""
    rare: Mapping[str, str] = field(default_factory=dict)
    gap: str = r"\s+"
    has_blanks: bool = True
    tenses: Tenses


def by_word(table: Mapping[_Meaning, str]) -> dict[str, _Meaning]:
    """Returns the meaning of each word of a table that has the words of each meaning."""
    return {word: meaning for meaning, words in table.items() for word in words.split()}


def any_of(names: Iterable[str]) -> str:
    """Returns a pattern for any of the names, the longest first."""
    longest = sorted(filter(None, names), key=len, reverse=True)
    patterns = (r"\s+".join(map(re.escape, name.split("_"))) for name in longest)
    return "|".join(patterns).replace("'", "['\u2019]") or NEVER


def words_of(name: str) -> list[str]:
    """Returns the words of an entry; in scripts without blanks, its characters."""
    return _WORD.findall(name.replace("_", " "))


def longest_word(name: str) -> str:
    return max(words_of(name), key=len, default="")


def key_of(words: str) -> str:
    """Returns words in the form of the table's keys."""
    return "_".join(words.lower().replace("\u2019", "'").split())
