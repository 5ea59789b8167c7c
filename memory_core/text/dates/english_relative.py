"""English times that depend on today: yesterday, two weeks ago, last Tuesday, next month."""

import re
from datetime import date, timedelta

from .calendar import (
    Cycle,
    Occurrence,
    Period,
    ReferenceTime,
    days,
    last_units,
    part_of_day,
    time_ago,
    weekday,
    weekend,
    weekly,
    whole_unit,
)
from .english_words import (
    GO_ON,
    LONG_WEEKDAY,
    PART,
    WEEKDAY,
    WEEKDAY_CUES,
    YEAR,
    B,
    E,
    occurrence_of,
    weekday_number,
)
from .rule_engine import Interpretation, ignore_idiom, repeating_period, rule, single_period
from .unit_parts import Part, UnitPart, read_unit_part

_WORDS = "one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
_NUMBERS = {word: value + 1 for value, word in enumerate(_WORDS)}
_NUMBERS |= {"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
_HALVES = frozenset(["half", "half a", "half an", "a half", "an half", "1/2"])
_HALF = r"\s+and\s+(?:an?\s+)?half"
_AND_HALF = re.compile(rf"{_HALF}|½|\s1/2")
_FEW = (2, 5)
_COUPLE = (1, 3)
_OTHER_DAY = 14
_AWAY = {"yesterday": -1, "yday": -1, "tomorrow": 1, "tmrw": 1, "tmr": 1}
_WEEKS_AWAY = {"last": -1, "next": 1}
_UNIT_ALIASES = {"night": "day", "min": "minute"}


def _near_day(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = _AWAY.get(match["day"].lower(), 0)
    return single_period(_day(moment.today + timedelta(days=away), match["part"]))


def _day(day: date, part: str | None) -> Period:
    return part_of_day(day, part.lower()) if part else days(day)


def _second_day(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = 2 if match["before"] is None else -2
    return single_period(days(moment.today + timedelta(days=away)))


def _this_part(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    back = 1 if match["lead"].lower() == "last" else 0
    return single_period(part_of_day(moment.today - timedelta(days=back), match["part"].lower()))


def _night_before_last(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(part_of_day(moment.today - timedelta(days=2), "night"))


def _tonight(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(part_of_day(moment.today, "night"))


def _ago(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    name, scale = _base(match["unit"])
    minimum, maximum = _amount(match["n"])
    if match["n2"]:
        maximum = _amount(match["n2"])[1]
    more = _extra_half(match)
    return single_period(
        time_ago(moment.now, name, (minimum + more) * scale, (maximum + more) * scale)
    )


def _amount(words: str | None) -> tuple[float, float]:
    text = " ".join((words or "few").lower().split())
    if "couple" in text:
        return _COUPLE
    if text.endswith(("few", "several", "some")):
        return _FEW
    number = 0.5 if text in _HALVES else _number(text)
    return number, number


def _number(text: str) -> float:
    whole, halves = _AND_HALF.subn("", text)
    return (_NUMBERS.get(whole) or float(whole.replace(",", "."))) + halves / 2


def _extra_half(match: re.Match[str]) -> float:
    # "a year and a half" has the half after the unit.
    return 0.5 if match["half"] else 0


def _base(unit: str) -> tuple[str, int]:
    unit = unit.lower()
    return ("week", 2) if unit == "fortnight" else (_UNIT_ALIASES.get(unit, unit), 1)


def _in_time(match: re.Match[str], moment: ReferenceTime) -> Interpretation | None:
    # "in three days" is as often a duration.
    if not match["from"] and not (moment.is_future and match["in"]):
        return None
    name, scale = _base(match["unit"])
    minimum, maximum = (-scale * (amount + _extra_half(match)) for amount in _amount(match["n"]))
    return single_period(time_ago(moment.now, name, maximum, minimum))


def _past_units(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    name, scale = _base(match["unit"])
    count = _amount(match["n"])[1] if match["n"] else 1
    return single_period(last_units(moment.now, name, (count + _extra_half(match)) * scale))


def _unit(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = {Occurrence.LAST: -1, Occurrence.NEXT: 1}.get(
        occurrence_of(match["lead"], Occurrence.RECENT), 0
    )
    return single_period(whole_unit(moment, match["unit"].lower(), away))


def _unit_before_last(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = -2 if match["lead"] else 2
    return single_period(whole_unit(moment, match["unit"].lower(), away))


def _the_weekend(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return repeating_period(weekly(moment, moment.default_occurrence, weekend), Cycle.WEEK)


def _part_of_unit(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = {"this": 0, "next": 1, "last": -1}.get(match["lead"].lower())
    part = _UNIT_PARTS[match["part"].lower()]
    named = UnitPart(match["unit"].lower(), part, away)
    return read_unit_part(named, moment, match["y"])


def _weekday(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    # Without "this", a weekday is never today, which people call "today".
    lead, number = (match["lead"] or "").lower(), weekday_number(match["wd"])
    if lead == "this":
        return single_period(_day(weekday(moment.today, number).start.date(), match["part"]))
    which = occurrence_of(lead, Occurrence.NEXT if moment.is_future else Occurrence.LAST)
    period = _day(
        weekly(moment, which, lambda day: weekday(day, number)).start.date(), match["part"]
    )
    return single_period(period) if lead else repeating_period(period, Cycle.WEEK)


def _weekday_of_week(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    away = _WEEKS_AWAY.get(match["lead"].lower(), 0)
    number = weekday_number(match["wd"])
    return single_period(weekday(moment.today + timedelta(weeks=away), number))


def _other_day(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    return single_period(days(moment.today - timedelta(days=_OTHER_DAY), _OTHER_DAY))


_PART = rf"(?:\s+(?P<part>{PART}){E})?"
_COUNT = (
    r"(?:1/2|(?<![0-9][.,])[0-9]+(?:[.,][0-9]{1,2}(?![0-9]))?(?:\s?½|\s1/2)?|(?<!and\s)(?<!and\sa\s)half(?:\s+an?)?"
    r"|(?<!and\s)an?\s+half|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    rf"|fifteen|twenty|thirty|forty|fifty)(?:{_HALF})?"
)
_SOME = r"(?:(?:a\s+)?couple(?:\s+of)?|(?:a\s+)?few|several|some)"
_N = rf"(?P<n>{_COUNT}|{_SOME})"
_TAIL = rf"(?P<half>{_HALF})?"
_UNIT = rf"(?P<unit>day|night|week|fortnight|month|year)s?{_TAIL}"
_SMALL_UNIT = rf"(?P<unit>minute|min|hour|day|night|week|fortnight|month|year)s?{_TAIL}"
_UNITS = """day days night nights week weeks weekend fortnight fortnights month months year
    years""".split()  # noqa: SIM905
_REL = r"(?P<lead>last|this|next|past|previous|coming)"
_UNIT_PARTS = {
    "beginning": Part.BEGINNING,
    "start": Part.BEGINNING,
    "middle": Part.MIDDLE,
    "end": Part.END,
}
_WHOLE = r"(?P<unit>weekend|week|month|year)"
# Phrases that mean no single day, or none at all.
_HABIT = (
    rf"(?:every|each|most|any|black|good|cyber|ruby|super|taco|freaky|bloody|palm|easter|ash|fat"
    rf"|girl|manic|casual)\s+(?:other\s+)?{LONG_WEEKDAY}(?:\s+and\s+{LONG_WEEKDAY})*"
    r"|wednesday\s+addams|friday\s+(?:the\s+13th|night\s+lights)"
    r"|sunday\s+(?:school|best|roast|blues)"
    rf"|monday\s*(?:-|–|to|through|till)\s*(?:fri|sun)(?:day)?{E}"  # noqa: RUF001
)

RULES = (
    rule(_HABIT, ignore_idiom, WEEKDAY_CUES, lead=B),
    rule(
        rf"(?P<day>earlier\s+today|today|yesterday|yday|tomorrow|tmrw|tmr){E}{_PART}",
        _near_day,
        ["today", *_AWAY],
        lead=B,
    ),
    rule(
        rf"(?:the\s+)?day\s+(?:(?P<before>before\s+yesterday)|after\s+tomorrow){E}",
        _second_day,
        ["yesterday", "tomorrow"],
        lead=B,
    ),
    rule(rf"(?P<lead>this|last)\s+(?P<part>{PART}){E}", _this_part, ["this", "last"], lead=B),
    rule(rf"(?:the\s+)?night\s+before\s+last{E}", _night_before_last, ["night"], lead=B),
    rule(rf"tonight{E}", _tonight, ["tonight"], lead=B),
    rule(
        rf"(?:{_N}(?:\s*(?:-|–|or|to)\s*(?P<n2>{_COUNT}))?\s+)?{_SMALL_UNIT}\s+(?:ago|back){E}",  # noqa: RUF001
        _ago,
        ["ago", "back"],
        lead=B,
    ),
    rule(
        rf"(?P<in>in\s+(?:about\s+)?)?{_N}\s+{_UNIT}(?P<from>\s+from\s+now)?{E}",
        _in_time,
        _UNITS,
        lead=B,
    ),
    rule(rf"(?:the\s+)?(?:last|past)\s+{_N}\s+{_UNIT}{E}", _past_units, _UNITS, lead=B),
    rule(rf"the\s+past(?P<n>)\s+{_UNIT}{E}", _past_units, ["past"], lead=B),
    rule(rf"(?:the\s+)?last(?P<n>)\s+(?=\w+{_HALF}){_UNIT}{E}", _past_units, ["half"], lead=B),
    rule(
        r"(?P<part>beginning|start|middle|end)\s+of\s+(?P<lead>the|this|next|last)\s+"
        rf"(?P<unit>week|month|year){E}(?:\s+(?P<y>{YEAR}))?",
        _part_of_unit,
        _UNITS,
        lead=B,
    ),
    rule(rf"{_REL}\s+{_WHOLE}{E}", _unit, _UNITS, lead=B),
    rule(
        rf"(?:the\s+)?{_WHOLE}\s+(?:before\s+(?P<lead>last)|after\s+next){E}",
        _unit_before_last,
        _UNITS,
        lead=B,
    ),
    rule(rf"(?:over|during|at|on)\s+the\s+weekend{E}", _the_weekend, ["weekend"], lead=B),
    rule(rf"(?:{_REL}\s+)?(?P<wd>{LONG_WEEKDAY}){_PART}", _weekday, WEEKDAY_CUES, lead=B),
    rule(
        rf"{_REL}?(?(lead)\s+)(?P<wd>mon|tues?|wed|thu(?:rs?)?|fri|sat|sun){_PART}{GO_ON}",
        _weekday,
        WEEKDAY_CUES,
        lead=rf"{B}(?:(?:on|since|until)\s+(?!sat|sun)|(?=(?:last|next|this)\s))",
    ),
    rule(
        rf"(?P<wd>{WEEKDAY})\s+(?:of\s+)?(?P<lead>last|this|next)\s+week{E}",
        _weekday_of_week,
        WEEKDAY_CUES,
        lead=B,
    ),
    rule(
        rf"(?P<lead>last|this|next)\s+week\s+(?:on\s+)?(?P<wd>{WEEKDAY})",
        _weekday_of_week,
        WEEKDAY_CUES,
        lead=B,
    ),
    rule(rf"the\s+other\s+(?:day|night|evening|morning){E}", _other_day, ["other"], lead=B),
)
