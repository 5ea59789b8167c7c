"""Makes the rules for the dates of a language from its table of words."""

import re
from collections.abc import Callable, Iterable
from datetime import date, timedelta

from .calendar import (
    Cycle,
    Occurrence,
    Period,
    ReferenceTime,
    days,
    monthly,
    monthly_on_weekday,
    months,
    part_of_day,
    weekday,
    weekly,
    whole_unit,
    year,
    yearly,
    yearly_on_weekday,
)
from .date_words import (
    DateWords,
    any_of,
    by_word,
    key_of,
    longest_word,
    words_of,
)
from .day_spans import before_last_day, days_reader, first_day, span_up_to, without_month
from .directions import (
    Direction,
    Directions,
    is_two_away,
    occurrence_of,
    unit_in_direction,
    units_away,
    year_in_direction,
)
from .distances import Distances
from .english_words import B, E
from .feasts import FixedDay
from .rule_engine import (
    DIGIT,
    Interpretation,
    Interpreter,
    Rule,
    ignore_idiom,
    repeating_period,
    rule,
    single_period,
    yearly_period,
)
from .seasons import SeasonReader, season_pattern
from .unit_parts import read_unit_part, read_weekend

_DIGITS = frozenset((DIGIT,))
_CENTURY = 100  # years below it have two digits
_NEAR = 100
_LEAST_CUE = 3  # shorter words in Latin letters stand everywhere
_NOT_COUNTED = "(?<![0-9一二三四五六七八九十百千万几幾何数每毎岁歳満个個半年])(?<!年[的の])"
_GAP = r"(?:\s+|(?<=\bmi)-)"  # mi-mars
_NO_DECIMAL = r"(?<![./:$€£+#-])"
_YEAR = r"(?P<y>(?:19|20)[0-9]{2})(?![0-9])"


def rules(words: DateWords) -> tuple[Rule, ...]:
    """Returns the rules of a language, for match_anywhere() if it has no blanks."""
    return _RuleBuilder(words).all()


class _RuleBuilder:
    def __init__(self, words: DateWords) -> None:
        self._words = words
        self._months = by_word(dict(enumerate(words.months, 1)))
        self._weekdays = by_word(dict(enumerate(words.weekdays)))
        self._days = {word: (away, "") for word, away in by_word(words.days).items()}
        self._days |= by_word(words.day_parts)
        self._parts, self._units = by_word(words.parts), by_word(words.units)
        self._named_units = by_word(words.named_units)
        self._holidays = {**words.holidays, **words.feasts}
        self._edges = (B, E) if words.has_blanks else ("", "")
        self._directions = Directions(words)

    def all(self) -> tuple[Rule, ...]:
        words = self._words
        months = self._cues(self._months)
        weekdays = self._rare("weekdays", self._cues(self._weekdays))
        half_units = by_word(words.half_units)
        units = self._cues([*self._units, *half_units]) | frozenset(words.cues.split())
        near = self._cues(self._days)
        holidays = self._cues(map(longest_word, self._holidays))
        named = self._cues(words.cues.split())
        every = frozenset().union(months, weekdays, units, near, holidays, named)
        whole = [
            self._rule(words.idioms, ignore_idiom, every),
            self._rule(self._near_day, self._read_near_day, near),
            self._rule(
                self._directions.around(rf"(?P<unit>{any_of(self._units)})"),
                self._read_unit,
                self._rare("units", units),
            ),
            self._rule(self._week_and_day, self._read_day_of_week, weekdays),
            self._rule(self._day_of_week, self._read_day_of_week, weekdays),
            self._rule(
                self._directions.around(rf"(?P<wd>{any_of(self._weekdays)})", bare=True)
                + self._part,
                self._read_weekday,
                weekdays,
            ),
            *self._by_distance(units),
        ]
        return tuple(
            [
                *self._by_part(),
                *whole,
                *self._by_month(months),
                *self._by_holiday(holidays),
                self._rule(
                    season_pattern(words, self._directions, _YEAR),
                    SeasonReader(words, self._directions),
                    self._cues(by_word(words.seasons)),
                ),
            ]
        )

    def _by_distance(self, units: frozenset[str]) -> list[Rule]:
        words, distances = self._words, Distances(self._words)
        rules = [
            (distances.read_ago, "ago", (words.ago, words.ago_turned)),
            (distances.read_later, "later", (words.later, words.later_turned)),
        ]
        return [
            self._rule(distances.pattern(phrase), read, self._rare(name, units))
            for read, name, phrases in rules
            for phrase in phrases
        ]

    def _by_part(self) -> list[Rule]:
        words = self._words
        parts = self._rare("parts", self._cues(words.unit_parts))
        weekends = self._rare("weekends", self._cues(self._units) | {*words.cues.split()})
        return [
            self._rule(
                rf"(?P<unit_part>{any_of(words.unit_parts)})(?:{words.with_year}{_YEAR})?",
                self._read_unit_part,
                parts,
                lead="" if words.has_blanks else _NOT_COUNTED,
            ),
            self._rule(words.weekends, read_weekend, weekends),
            self._rule(
                rf"(?P<named_unit>{any_of(self._named_units)})",
                self._read_named_unit,
                self._cues(self._named_units),
            ),
        ]

    def _by_holiday(self, cues: frozenset[str]) -> list[Rule]:
        words = self._words
        year = rf"(?:{words.with_year}{_YEAR})?"
        name = rf"(?P<holiday>{any_of(words.holidays)})"
        day = self._directions.around(name, bare=True, gap=words.year_gap)
        feast = rf"(?P<holiday>{any_of(words.feasts)})"
        return [
            self._rule(day + year, self._read_holiday, cues),
            self._rule(self._directions.around(feast), self._read_holiday, cues),
            self._rule(feast + year, self._read_holiday, cues, lead=rf"(?:{words.at_feast})\s+"),
            self._rule(rf"{feast}{words.with_year}{_YEAR}", self._read_holiday, cues),
        ]

    def _by_month(self, cues: frozenset[str]) -> list[Rule]:
        words = self._words
        month = rf"(?P<month>{any_of(self._months)})"
        month_day = self._rule(
            self._month_day, self._read_month_day, self._month_day_cues, lead=self._edges[0]
        )
        if not words.months:
            return [month_day]
        weekday = rf"(?P<wd>{any_of(self._weekdays)})"
        digits = rf"{before_last_day(words)}?(?P<d>[0-3]?[0-9])"
        date = words.date.format(
            digits=digits,
            ordinal=rf"(?P<ord>{any_of(words.ordinals)})",
            month=month,
            year=rf"(?:{words.with_year}{_YEAR})?",
            weekday=weekday,
        )
        numeric = words.numeric.format(
            digits=digits,
            number=r"(?P<m>0?[1-9]|1[0-2])",
            years=r"(?P<y>(?:20)?[0-9]{2})",
            weekday=weekday,
        )
        return [
            self._rule(date + self._weekday_after, self._read_date, cues, lead=_NO_DECIMAL),
            self._rule(numeric, self._read_numeric, _DIGITS, lead=_NO_DECIMAL),
            month_day,
            self._rule(
                without_month(words),
                days_reader(any_of(self._months), words.numbered_things),
                _DIGITS,
            ),
            self._rule(rf"(?={words.among}\s){date}", self._read_date, _DIGITS),
            self._rule(rf"{month}{words.with_year}{_YEAR}", self._read_month, cues),
            self._rule(self._directions.around(month), self._read_month, cues),
            self._rule(month, self._read_month, cues, lead=rf"{B}(?:{words.in_month}){_GAP}"),
            self._rule(
                rf"{_YEAR}{words.after_year}",
                self._read_year,
                _DIGITS.union(words.cues.split()),
                lead=rf"(?:{words.in_year})\s+",
            ),
        ]

    @property
    def _weekday_after(self) -> str:
        """Returns a pattern for the weekday behind a date: "the 29th, a Sunday"."""
        if not self._words.has_blanks:
            return ""
        return rf"(?:,?\s+\(?(?:une?\s+|ein(?:em)?\s+)?(?P<after>{any_of(self._weekdays)})\b\)?)?"

    @property
    def _month_day(self) -> str:
        names = {
            "{digits}": r"(?P<d>[12]?[0-9]|3[01])",
            "{ordinal}": rf"(?P<ord>{any_of(self._words.ordinals)})",
            "{weekday}": rf"(?P<wd>{any_of(self._weekdays)})",
        }
        pattern = self._words.month_day
        for name, words in names.items():
            pattern = pattern.replace(name, words)
        return pattern + self._weekday_after

    @property
    def _month_day_cues(self) -> frozenset[str]:
        cues = self._rare("month_day", _DIGITS)
        has_words = "{ordinal}" in self._words.month_day
        return cues | self._cues(self._words.ordinals) if has_words else cues

    def _rule(
        self, pattern: str, read: Interpreter, cues: Iterable[str], *, lead: str = ""
    ) -> Rule:
        begin, end = self._edges
        return rule(rf"(?:{pattern}){end}", read, cues, lead=begin + lead)

    def _cues(self, names: Iterable[str]) -> frozenset[str]:
        """Returns the last word of each name, because it is the most telling one.

        Without blanks between words, it is the last character.
        """
        last_words = (words_of(name.replace("_", " ").lower())[-1] for name in names)
        if not self._words.has_blanks:
            return frozenset(word[-1] for word in last_words)
        return frozenset(
            word for word in last_words if len(word) >= _LEAST_CUE or not word.isascii()
        )

    def _rare(self, name: str, otherwise: frozenset[str]) -> frozenset[str]:
        return frozenset(self._words.rare.get(name, "")) or otherwise

    @property
    def _part(self) -> str:
        if not self._parts:
            return r"(?P<part>(?!))?"
        gap = r"\s+" if self._words.has_blanks else "の?"
        return rf"(?:{gap}(?P<part>{any_of(self._parts)}))?"

    @property
    def _near_day(self) -> str:
        return rf"(?P<day>{any_of(self._days)}){self._part}"

    @property
    def _week_and_day(self) -> str:
        words = self._words
        weeks = any_of(words.units["week"].split())
        which = rf"(?P<lead>{self._directions.pattern})"
        return rf"{which}{words.gap}(?:{weeks}){words.week_day}(?P<wd>{any_of(self._weekdays)})"

    @property
    def _day_of_week(self) -> str:
        words = self._words
        weeks = any_of(words.units["week"].split())
        week = self._directions.around(rf"(?:{weeks})")
        return rf"(?P<wd>{any_of(self._weekdays)}){words.day_of_week}{week}"

    # Interpreters.

    def _read_unit_part(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        named = self._words.unit_parts[key_of(match["unit_part"])]
        return read_unit_part(named, moment, match["y"])

    def _read_near_day(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
        name = key_of(match["day"])
        if name in self._words.doubtful.split() and not self._is_date(match):
            return None
        away, part = self._days[name]
        return single_period(
            self._part_of(moment.today + timedelta(days=away), match["part"], part)
        )

    def _is_date(self, match: re.Match[str]) -> bool:
        around = match.string[max(0, match.start() - _NEAR) : match.end() + _NEAR].lower()
        is_hinted = bool(re.search(self._words.hints, around))
        return is_hinted and not re.search(self._words.hints_against, around)

    def _part_of(self, day: date, words: str | None, part: str = "") -> Period:
        part = self._parts[key_of(words)] if words else part
        return part_of_day(day, part) if part else days(day)

    def _read_named_unit(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        return single_period(whole_unit(moment, *self._named_units[match["named_unit"]]))

    def _read_unit(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
        unit = self._units[key_of(match["unit"])]
        if unit == "day":
            return None
        return single_period(unit_in_direction(moment, unit, self._directions.of(match, moment)))

    def _read_weekday(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        # A weekday alone is never today.
        number = self._weekdays[key_of(match["wd"])]
        which = self._directions.of(match, moment)
        if which is Direction.THIS:
            period = weekday(moment.today, number)
        else:
            default = Occurrence.NEXT if moment.is_future else Occurrence.LAST
            period = weekly(moment, occurrence_of(which, default), lambda day: weekday(day, number))
        day = period.start.date()
        if is_two_away(which):
            day += timedelta(weeks=1 if which is Direction.AFTER_NEXT else -1)
        found = self._part_of(day, match["part"])
        return single_period(found) if which else repeating_period(found, Cycle.WEEK)

    def _read_day_of_week(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        day = moment.today + timedelta(weeks=units_away(self._directions.of(match, moment)))
        return single_period(weekday(day, self._weekdays[key_of(match["wd"])]))

    def _read_date(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        return self._read_days(match, moment, self._months[key_of(match["month"])])

    def _read_numeric(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        return self._read_days(match, moment, int(match["m"]))

    def _read_days(self, match: re.Match[str], moment: ReferenceTime, month: int) -> Interpretation:
        """Returns one day, or several: "21.-27. September". A weekday tells the year."""
        named, last = match.groupdict(), self._day(match)
        first = first_day(match, last)

        def of(year: int) -> Period:
            return span_up_to(first, date(year, month, last))

        if named.get("y"):
            year = int(named["y"])
            return single_period(of(year if year >= _CENTURY else 2000 + year), explicit=True)
        weekday = self._weekday(match)
        on_weekday = weekday is not None and yearly_on_weekday(moment, of, weekday)
        if on_weekday:
            return single_period(on_weekday, explicit=True)
        return yearly_period(yearly(moment, moment.default_occurrence, of), explicit=True)

    def _read_month_day(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        day, weekday = self._day(match), self._weekday(match)
        if weekday is not None:
            return single_period(monthly_on_weekday(moment, day, weekday))
        return repeating_period(monthly(moment, moment.default_occurrence, day), Cycle.MONTH)

    def _weekday(self, match: re.Match[str]) -> int | None:
        named = match.groupdict()
        name = named.get("wd") or named.get("after")
        return self._weekdays[key_of(name)] if name else None

    def _day(self, match: re.Match[str]) -> int:
        word = match.groupdict().get("ord")
        return self._words.ordinals[key_of(word)] if word else int(match["d"])

    def _read_month(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        month = self._months[key_of(match["month"])]
        return self._each_year(match, moment, lambda year: months(year, month))

    def _read_holiday(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        day = self._holidays[key_of(match["holiday"])]
        found = self._each_year(match, moment, day.of)
        return found if isinstance(day, FixedDay) else found._replace(cycle=None)

    def _each_year(
        self, match: re.Match[str], moment: ReferenceTime, make: Callable[[int], Period]
    ) -> Interpretation:
        named = match.groupdict()
        if named.get("y"):
            return single_period(make(int(match["y"])), explicit=True)
        which = self._directions.of(match, moment)
        period = year_in_direction(moment, which, make)
        return yearly_period(period) if which is None else single_period(period)

    def _read_year(self, match: re.Match[str], moment: ReferenceTime) -> Interpretation:
        return single_period(year(int(match["y"])), explicit=True)
