"""Holidays of a year: on fixed dates, moving with Easter, or by the Chinese moon."""

from datetime import date, timedelta
from typing import NamedTuple

from .calendar import Period, days, year

_FIRST_MOON_YEAR = 1990
# Of each year from 1990 on: month and day of its spring festival, dragon boat and mid-autumn
# festivals. Made with https://pypi.org/project/lunardate.
_MOONS = (
    "012705281003 021506160922 020406050911 012306240930 021006130920 013106020909 021906200927 "
    "020706090916 012805301005 021606180924 020506060912 012406251001 021206150921 020106040911 "
    "012206220928 020906110918 012905311006 021806190925 020706080914 012605281003 021406160922 "
    "020306060912 012306230930 021006120919 013106020908 021906200927 020806090915 012805301004 "
    "021606180924 020506070913 012506251001 021206140921 020106030910 012206220929 021006100917 "
    "012905311006 021706190925 020606090915 012605281003 021306160922 020306050912 012306241001 "
    "021106120919 013106010908 021906200927 020806100916 012805301004 021506180924 020406070913 "
    "012405271002 021206140920 020106030910 012206220928 021006110917 013005311005 021706190925 "
    "020606080915 012605291004 021406150922 020206040911 012306230930"
)
_MOON = _MOONS.split()


class FixedDay(NamedTuple):
    """`number` days from a day of a month on."""

    month: int
    day: int
    number: int = 1

    def of(self, year: int) -> Period:
        return days(date(year, self.month, self.day), self.number)


class EasterDay(NamedTuple):
    """`number` days, from some days after Easter Sunday on."""

    after: int
    number: int = 1
    is_orthodox: bool = False

    def of(self, year: int) -> Period:
        sunday = _orthodox_easter(year) if self.is_orthodox else _easter(year)
        return days(sunday + timedelta(days=self.after), self.number)


class MoonDay(NamedTuple):
    """`number` days, from some days after one of the three festivals of `_MOON` on."""

    festival: int
    after: int = 0
    number: int = 1

    def of(self, year: int) -> Period:
        """Raises ValueError for a year that the table lacks."""
        if not 0 <= year - _FIRST_MOON_YEAR < len(_MOON):
            raise ValueError("no lunar calendar of that year")
        row = _MOON[year - _FIRST_MOON_YEAR]
        month, day = row[4 * self.festival :][:2], row[4 * self.festival + 2 :][:2]
        return days(date(year, int(month), int(day)) + timedelta(days=self.after), self.number)


YearlyDay = FixedDay | EasterDay | MoonDay


def feast_or_year(day: YearlyDay, number: int) -> Period:
    """Returns the holiday in year `number`, or that whole year if the day is not known."""
    try:
        return day.of(number)
    except ValueError:
        return year(number)


def _easter(year: int) -> date:
    """Returns Easter Sunday by the anonymous Gregorian algorithm (Meeus, Jones, Butcher)."""
    golden, century = year % 19, year // 100
    skipped = century - century // 4 - (8 * century + 13) // 25
    epact = (19 * golden + skipped + 15) % 30
    moon = epact - (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    weekday = (year + year // 4 + moon + 2 - century + century // 4) % 7
    sunday = moon - weekday
    month = 3 + (sunday + 40) // 44
    return date(year, month, sunday + 28 - 31 * (month // 4))


def _orthodox_easter(year: int) -> date:
    """Returns Orthodox Easter Sunday, which is reckoned by the Julian calendar (Meeus)."""
    moon = (19 * (year % 19) + 15) % 30
    weekday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
    month, day = divmod(moon + weekday + 114, 31)
    julian_behind = 13 if year < 2100 else 14  # days, since March 1900
    return date(year, month, day + 1) + timedelta(days=julian_behind)
