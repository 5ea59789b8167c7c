"""English calendar dates: numbers, months and years."""

import re
from datetime import date

from .calendar import (
    Cycle,
    Period,
    ReferenceTime,
    days,
    monthly,
    monthly_on_weekday,
    months,
    season,
    year,
    yearly,
)
from .day_spans import days_reader, span_up_to
from .english_words import (
    AFTER_ORDINAL,
    DIGITS,
    ENDS_CLAUSE,
    LETTER,
    LONG_MONTHS,
    MONTH,
    MONTH_CUES,
    WEEKDAY,
    WEEKDAY_CUES,
    YEAR,
    B,
    E,
    is_followed_by_clause,
    month_number,
    occurrence_of,
    weekday_number,
)
from .rule_engine import (
    Interpretation,
    repeating_period,
    rule,
    single_period,
    yearly_period,
)

_NAMES = {"apr", "may", "jun", "aug", "jan", "mar"}  # also names of people
_VERBS = {"may", "march", "mar"}
_ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh
    twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
    twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth
    twenty-sixth twenty-seventh twenty-eighth twenty-ninth
    thirtieth thirty-first""".split()  # noqa: SIM905


def _iso(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(
        days(date(int(match["y"]), int(match["m"]), int(match["d"]))), explicit=True
    )


def _numeric(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Returns both orders of day and month if both are possible; with dots the day is first."""
    first, second = int(match["a"]), int(match["b"])
    orders = [(second, first)] if match["sep"] == "." else [(first, second), (second, first)]
    possible = dict.fromkeys(order for order in orders if order[0] <= len(LONG_MONTHS))
    number = _full_year(match["y"])
    periods = tuple(days(date(number, month, day)) for month, day in possible)
    return Interpretation(periods, is_explicit=bool(possible))


def _full_year(digits: str) -> int:
    return int(digits) + (2000 if len(digits) == len("24") else 0)


def _short(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Interprets 5/14 with the month first, unless that is impossible."""
    first, second = int(match["a"]), int(match["b"])
    month, day = (first, second) if first <= len(LONG_MONTHS) else (second, first)
    period = yearly(moment, moment.default_occurrence, lambda year: days(date(year, month, day)))
    return yearly_period(period)


def _day_of_month(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    if match["month"].rstrip(".") in _VERBS and not (
        match["ord"] or match["y"] or is_followed_by_clause(match)
    ):
        return None
    first = _day(match["d"])
    last = _day(match["d2"]) if match["d2"] else first
    month = month_number(match["month"])
    is_first_alone = match.start("month") < match.start("d") or "-" in match.group()

    def of(year: int) -> Period:
        if first > last and is_first_alone:
            return days(date(year, month, first))
        return span_up_to(first, date(year, month, last))

    if match["y"]:
        return single_period(of(int(match["y"])), explicit=True)
    return yearly_period(yearly(moment, moment.default_occurrence, of), explicit=True)


def _day(word: str) -> int:
    word = "-".join(word.lower().split())
    return _ORDINALS.index(word) + 1 if word in _ORDINALS else int(word)


def _month_of_year(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    number = _full_year(match["y"].lstrip("'’"))  # noqa: RUF001
    return single_period(months(number, month_number(match["month"])), explicit=True)


def _month_after_lead(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    """Interprets "last May" and "in May". In lower case or after "this" it may be a verb."""
    lead = (match["lead"] or "").lower()
    doubtful = match["month"] in _VERBS or lead == "this"
    if doubtful and not is_followed_by_clause(match):
        return None
    period = _month(match, moment, lead)
    return single_period(period) if lead else yearly_period(period)


def _ambiguous_month(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    """Interprets "since May" and "before July", which may also be a person's name."""
    may_be_name = match["month"][:3].lower() in _NAMES
    return (
        None
        if may_be_name and not is_followed_by_clause(match)
        else yearly_period(_month(match, moment, ""))
    )


def _bare_month(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return yearly_period(_month(match, moment, ""))


def _month(match: re.Match[str], moment: ReferenceTime, lead: str) -> Period:
    number = month_number(match["month"])
    if lead == "this":
        return months(moment.now.year, number)
    which = occurrence_of(lead, moment.default_occurrence)
    return yearly(moment, which, lambda year: months(year, number))


def _month_range(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Interprets a range of months. Without a year, the first is the latest one before the last."""
    first, last = month_number(match["month"]), month_number(match["month2"])
    years = [int(digits) for digits in (match["y"], match["y2"]) if digits]
    final = months(years[-1], last) if match["y2"] else _latest(moment, last)
    first_year = years[0] if match["y"] else final.start.year - (first > last)
    if first_year > final.start.year:
        raise ValueError("the range ends before it begins")
    return single_period(Period(months(first_year, first).start, final.end), explicit=bool(years))


def _latest(moment: ReferenceTime, month: int) -> Period:
    return yearly(moment, moment.default_occurrence, lambda year: months(year, month))


def _year(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(year(int(match["y"])), explicit=True)


def _year_range(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    first, last = year(int(match["y"])), year(int(match["y2"]))
    return single_period(Period(first.start, last.end), explicit=True) if first < last else None


def _season(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    name = match["season"].lower().replace("fall", "autumn")
    if match["y"]:
        return single_period(season(int(match["y"]), name), explicit=True)
    if match["season"].lower() in ("fall", "spring") and not is_followed_by_clause(match):
        return None
    if (match["lead"] or "").lower() == "this" and moment.now.month > 2:
        return single_period(season(moment.now.year, name))
    which = occurrence_of(match["lead"], moment.default_occurrence)
    return single_period(yearly(moment, which, lambda year: season(year, name)))


def _nth(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    period = monthly(moment, moment.default_occurrence, _day(match["d"]))
    return repeating_period(period, Cycle.MONTH)


def _weekday_and_nth(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    number = weekday_number(match["wd"])
    return single_period(monthly_on_weekday(moment, _day(match["d"]), number))


_M, _Y = rf"(?P<month>{MONTH})", rf"(?P<y>{YEAR})"
_TO = r"\s*(?:-|–|\b(?:to|through|until|till)\b)\s*"  # noqa: RUF001
_TH = r"(?P<ord>st|nd|rd|th)?"
_D = rf"(?P<d>[0-3]?[0-9]){_TH}"
_LAST_DAY = r"(?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?"
_UP_TO = rf"(?:{_TO}{_LAST_DAY})?"
_ORDINAL = "|".join(sorted(_ORDINALS, key=len, reverse=True)).replace("-", r"(?:-|\s+)")
_ORDINAL_CUES = frozenset(word.split("-")[-1] for word in _ORDINALS)
_D_WORD = rf"(?P<d>{_ORDINAL})(?P<ord>)(?P<d2>)?"
_NO_MORE = rf"(?!{LETTER}|%|[-/.:,][0-9])"
_FIRST = rf"(?<!{LETTER})(?<![./:$€£+#-])"
_WEEKDAY = rf"(?:{WEEKDAY}\.?,?\s+(?:the\s+)?)?"
# No years: in 2000 words, before 1999 dollars, 2001: A Space Odyssey.
_NO_THING = (
    r"(?!\s+(?!(?:was|is|this|his|its|us|as|has|does)\b)(?-i:[a-z]+s|people|feet|km)\b)"
    r"(?![.,:]\s?[0-9]|:\s*\w|['’])"  # noqa: RUF001
)
_INSIDE = (
    r"(?<!believe )(?<!believed )(?<!interested )(?<!faith )(?<!confide )"
    r"(?:(?:in|during|(?:beginning|start|middle|end)\s+of)(?:\s+(?:early|late|mid))?"
    r"|early|late|mid)"
)
_LOOSE = r"(?:since|until|till|before|after|around)"
_LEAD = r"(?:(?P<lead>last|this|next|past)\s+)"
_OF_YEAR = rf"(?:,?\s+(?:of\s+|in\s+)?{_Y})"
_UNMISTAKABLE = ["january", "february", "july", "september", "october", "november", "december"]
_SEASON_NAMES = ["spring", "summer", "autumn", "fall", "winter"]
_SEASON = rf"(?P<season>{'|'.join(_SEASON_NAMES)})"

RULES = (
    rule(
        r"(?P<y>(?:19|20)[0-9]{2})(?P<sep>[-/.])(?P<m>[01]?[0-9])(?P=sep)(?P<d>[0-3]?[0-9])"
        r"(?![0-9]|[-/.][0-9]|(?!t[0-9])[a-z_])",
        _iso,
        DIGITS,
        lead=rf"{_FIRST}(?<![a-z] (?=[0-9]{{4}}\.))",
    ),
    rule(
        r"(?P<a>[0-3]?[0-9])(?P<sep>[/.-])(?P<b>[0-3]?[0-9])(?P=sep)"
        rf"(?P<y>(?:19|20)[0-9]{{2}}|(?<=/)[0-9]{{2}}){_NO_MORE}",
        _numeric,
        DIGITS,
        lead=_FIRST,
    ),
    rule(
        rf"(?!24/7)(?P<a>[0-3]?[0-9])/(?P<b>[0-3]?[0-9]){_NO_MORE}{AFTER_ORDINAL}",
        _short,
        DIGITS,
        lead=rf"{B}(?:(?:on|since|until|till|before|after|{WEEKDAY},?)\s+|(?=[0-9/]+\s+at\s+[0-9]))",
    ),
    rule(
        rf"{_WEEKDAY}{_M}\s+(?:the\s+)?{_D}{_UP_TO}{_OF_YEAR}?{_NO_MORE}",
        _day_of_month,
        MONTH_CUES,
        lead=B,
    ),
    rule(
        rf"between\s+(?:the\s+)?{_D}\s+and\s+(?:the\s+)?{_LAST_DAY}\s+(?:of\s+)?{_M}{_OF_YEAR}?",
        _day_of_month,
        DIGITS,
        lead=B,
    ),
    rule(
        rf"between\s+{_M}\s+(?:the\s+)?{_D}\s+and\s+(?:the\s+)?{_LAST_DAY}{_OF_YEAR}?{_NO_MORE}",
        _day_of_month,
        MONTH_CUES,
        lead=B,
    ),
    rule(
        rf"(?:(?P<among>between)|from)\s+the\s+(?P<first>[0-3]?[0-9])(?:st|nd|rd|th)\s+"
        rf"(?(among)and|(?:to|until|till|through))\s+(?:the\s+)?(?P<last>[0-3]?[0-9])(?:st|nd|rd|th)"
        rf"(?!\s+of\b){AFTER_ORDINAL}",
        days_reader(MONTH),
        DIGITS,
        lead=B,
    ),
    rule(
        rf"{_WEEKDAY}(?:the\s+)?{_D}{_UP_TO}\s+(?:of\s+)?{_M}{_OF_YEAR}?",
        _day_of_month,
        MONTH_CUES,
        lead=_FIRST,
    ),
    rule(
        rf"{_WEEKDAY}(?:the\s+)?{_D_WORD}\s+of\s+{_M}{_OF_YEAR}?",
        _day_of_month,
        MONTH_CUES,
        lead=B,
    ),
    rule(
        rf"{_WEEKDAY}{_M}\s+(?:the\s+)?{_D_WORD}{E}{_OF_YEAR}?",
        _day_of_month,
        MONTH_CUES,
        lead=B,
    ),
    rule(
        rf"{_M}(?:,|\s+of)?\s*(?P<y>(?<=\s){YEAR}|['’][0-9]{{2}}\b)",  # noqa: RUF001
        _month_of_year,
        MONTH_CUES,
        lead=B,
    ),
    rule(
        rf"(?:between\s+|from\s+)?{_M}(?:\s+{_Y})?(?:{_TO}|(?<!\w)and\s+|\s+and\s+)"
        rf"(?P<month2>{MONTH})(?:\s+(?P<y2>{YEAR}))?(?!\s+[0-9])",
        _month_range,
        MONTH_CUES,
        lead=rf"{B}(?=between\s|from\s|{MONTH}\s*(?:-|–|to\s|through\s|until\s|till\s))",  # noqa: RUF001
    ),
    rule(
        rf"{_LEAD}?{_M}",
        _month_after_lead,
        MONTH_CUES,
        lead=rf"{B}(?:{_INSIDE}[\s-]+(?:the\s+)?|(?=(?:last|this|next|past)\s))",
    ),
    rule(_M, _ambiguous_month, MONTH_CUES, lead=rf"{B}{_LOOSE}\s+"),
    rule(rf"(?P<month>{'|'.join(_UNMISTAKABLE)}){E}", _bare_month, _UNMISTAKABLE, lead=B),
    rule(
        rf"{_Y}{_NO_THING}",
        _year,
        DIGITS,
        lead=rf"{B}(?:{_INSIDE}|{_LOOSE}|by|from|back\s+in|(?:the\s+)?year)[\s-]+",
    ),
    rule(
        rf"(?:between\s+|from\s+)?{_Y}(?:{_TO}|\s+and\s+)(?P<y2>{YEAR}){_NO_THING}",
        _year_range,
        DIGITS,
        lead=rf"{_FIRST}(?=between\s|from\s|[0-9]{{4}}\s*(?:-|–|to\s|until\s|till\s|through\s))",  # noqa: RUF001
    ),
    rule(
        rf"{_LEAD}?{_SEASON}{E}{_OF_YEAR}?",
        _season,
        _SEASON_NAMES,
        lead=rf"{B}(?:(?:{_INSIDE}|{_LOOSE}|over|back\s+in)[\s-]+(?:the\s+)?"
        r"|(?=(?:last|this|next|past)\s)|(?=[a-z]+\s+(?:of\s+|in\s+)?(?:19|20)[0-9]{2}))",
    ),
    rule(
        rf"(?:the\s+)(?P<d>[0-3]?[0-9])(?:st|nd|rd|th){AFTER_ORDINAL}",
        _nth,
        DIGITS,
        lead=rf"{B}(?:on|since|until|till|before|after|for|by|from|now|moved\s+to)\s+",
    ),
    # Without a preposition, lower numbers are mostly ranks: "she came in the 2nd".
    rule(rf"the\s+(?P<d>1[1-9]|2[0-9]|3[01])(?:st|nd|rd|th){ENDS_CLAUSE}", _nth, DIGITS, lead=B),
    rule(
        rf"the\s+(?P<d>{_ORDINAL}){E}{AFTER_ORDINAL}",
        _nth,
        _ORDINAL_CUES,
        lead=rf"{B}on\s+",
    ),
    rule(
        rf"(?!friday\s+the\s+13th)(?P<wd>{WEEKDAY}),?\s+(?:the\s+)?"
        rf"(?P<d>[0-3]?[0-9](?=st|nd|rd|th)|{_ORDINAL})(?:st|nd|rd|th)?{E}{AFTER_ORDINAL}",
        _weekday_and_nth,
        WEEKDAY_CUES,
        lead=B,
    ),
)
