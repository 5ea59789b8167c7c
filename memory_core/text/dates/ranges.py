"""Widens dates by the words around them: since May, between Monday and today, 国庆节之前."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, timedelta

from .calendar import FIRST_YEAR, LAST_YEAR, Cycle, Period, add_months, days, end_of_today
from .rule_engine import DateMatch, Interpretation

_NEAR = 24
_PAST, _FUTURE = datetime(FIRST_YEAR - 1, 1, 1), datetime(LAST_YEAR + 2, 1, 1)
_BETWEEN = re.compile(
    r"(?<!\w)(?:between|from|zwischen|entre|между)\s+(?:(?:the|dem|el|le)\s+)?$|从\s*$",
    re.IGNORECASE,
)
_TO = re.compile(
    r"\s*(?:-|–|—|~|〜|到|至|(?<=[日曜])から|(?<=\s)(?:to|until|till|through|bis(?:\s+zum)?|по|до)\s)\s*(?:the\s+)?",  # noqa: RUF001
    re.IGNORECASE,
)
_AND = re.compile(
    r"\s*(?:(?<=\s)(?:and|und|y|et|и)\s+(?:(?:the|dem|el|le)\s+)?|[和与])\s*", re.IGNORECASE
)
_AMONG = re.compile(r"之间|间")


def _since(period: Period, now: datetime) -> Period:
    return Period(period.start, _until_now(period.start, now))


def _after(period: Period, now: datetime) -> Period:
    return Period(period.end, _until_now(period.end, now))


def _until_now(start: datetime, now: datetime) -> datetime:
    today = end_of_today(now)
    return today if start < today else _FUTURE


def _before(period: Period, now: datetime) -> Period:
    return _up_to(period.start, now)


def _until(period: Period, now: datetime) -> Period:
    return _up_to(period.end, now)


def _up_to(end: datetime, now: datetime) -> Period:
    """Returns all time before a past `end`, or the time from today to a future one."""
    return Period(_PAST if end <= end_of_today(now) else days(now.date()).start, end)


def _week_before(period: Period, now: datetime) -> Period:
    return Period(days((period.start - timedelta(days=7)).date()).start, period.start)


def _week_after(period: Period, now: datetime) -> Period:
    return days(period.end.date(), 7)


def _week_of(period: Period, now: datetime) -> Period:
    return days((period.start - timedelta(days=period.start.weekday())).date(), 7)


def _month_before(period: Period, now: datetime) -> Period:
    return Period(days(add_months(period.start.date(), -1)).start, period.start)


def _day_before(period: Period, now: datetime) -> Period:
    return days((period.start - timedelta(days=1)).date())


def _day_after(period: Period, now: datetime) -> Period:
    return days(period.end.date())


_Widen = Callable[[Period, datetime], Period]
_MODIFIERS: dict[str, _Widen] = {
    "week before": _week_before,
    "week after": _week_after,
    "week of": _week_of,
    "month before": _month_before,
    "day before": _day_before,
    "night before": _day_before,
    "day after": _day_after,
    "since": _since,
    "after": _after,
    "before": _before,
    "until": _until,
    "till": _until,
    "自": _since,
    "自从": _since,
    "以来": _since,
    "起": _since,
    "后": _after,
    "前": _before,
    "前一天": _day_before,
    "第二天": _day_after,
}
_LEADING = re.compile(
    r"(?<!\w)(?:the\s+)?(?P<words>(?:week|month|day|night)\s+before|(?:week|day)\s+after|week\s+of"
    r"|since|after|before|until|till)\s+(?:the\s+)?$|(?P<zh>自从?)$",
    re.IGNORECASE,
)
_FOLLOWING = re.compile(
    r"的?(?P<words>前一天|第二天)|(?P<since>以来|起(?![床来码飞点诉因火身]))"
    r"|[之以](?P<side>[前后])|(?P<bare>前(?![天面台任女男妻夫辈往方提言途])|后(?![天来面悔果辈期背代台]))"
)


def widen_ranges(text: str, matches: Sequence[DateMatch], now: datetime) -> list[DateMatch]:
    """Joins pairs of dates to ranges, then applies words such as "before" and "since"."""
    dates = [match for match in matches if match.interpretation.periods]
    return [_apply_modifiers(text, match, now) for match in _join_pairs(text, dates, now)]


def _join_pairs(text: str, matches: Sequence[DateMatch], now: datetime) -> list[DateMatch]:
    joined: list[DateMatch] = []
    for match in matches:
        pair = _pair(text, joined[-1], match, now) if joined else None
        joined[-1:] = [pair] if pair else [*joined[-1:], match]
    return joined


def _pair(text: str, first: DateMatch, last: DateMatch, now: datetime) -> DateMatch | None:
    opening = _BETWEEN.search(text[max(0, first.start - _NEAR) : first.start])
    between = text[first.end : last.start]
    joining = _TO.match(text, first.end)
    is_joined = joining is not None and joining.end() >= last.start  # a date may begin with "bis"
    if not is_joined and not (
        _AND.fullmatch(between) and (opening or _AMONG.match(text, last.end))
    ):
        return None
    period = _range_between(first.interpretation, last.interpretation, now)
    if period is None:
        return None
    explicit = first.interpretation.is_explicit and last.interpretation.is_explicit
    has_tense = first.interpretation.has_tense and last.interpretation.has_tense
    joined = Interpretation((period,), explicit, _common_cycle(first, last), has_tense)
    return DateMatch(first.start, last.end, joined)


def _common_cycle(first: DateMatch, last: DateMatch) -> Cycle | None:
    """Returns the cycle of which both are a part: the 10th to the 14th may be of any month."""
    cycle = first.interpretation.cycle
    return cycle if cycle is last.interpretation.cycle else None


def _range_between(first: Interpretation, last: Interpretation, now: datetime) -> Period | None:
    """Returns the range. Moves a start after the end back, as in "from October to January"."""
    start = min(period.start for period in first.periods)
    end = max(period.end for period in last.periods)
    if first.cycle is Cycle.MONTH and (start >= end or last.is_explicit):
        return _days_of_month(start, end, now if last.cycle is Cycle.MONTH else None)
    if start < end:
        return Period(start, end)
    if first.is_explicit:
        return None
    if start - end <= timedelta(days=7):
        return Period(start - timedelta(days=7), end)
    back = datetime.combine(add_months(start, -12), start.time())
    return Period(back, end) if back < end else None


def _days_of_month(start: datetime, end: datetime, now: datetime | None) -> Period:
    """Returns the range with its start in the latest month in which it is before `end`.

    If `now` is given, the month of the end is a guess too, and a start that has passed is kept.
    """
    if now and start < end_of_today(now):
        last = (end - timedelta(days=1)).date()
        ends = (days(day).end for day in _around(last, start, (0, 1)))
        return Period(start, next(one for one in ends if one > start))
    starts = (days(day).start for day in _around(start.date(), end, (0, -1)))
    return Period(next(one for one in starts if one < end), end)


def _around(day: date, month: datetime, turns: Iterable[int]) -> Iterator[date]:
    """Yields the same day of months that are `turns` away from `month`."""
    months = 12 * (month.year - day.year) + month.month - day.month
    return (add_months(day, months + turn) for turn in turns)


def _apply_modifiers(text: str, date: DateMatch, now: datetime) -> DateMatch:
    before = text[max(0, date.start - _NEAR) : date.start]
    if match := _LEADING.search(before):
        start = date.start - len(before) + match.start()
        return _apply_modifier(date._replace(start=start), match, now)
    if match := _FOLLOWING.match(text, date.end):
        return _apply_modifier(date._replace(end=match.end()), match, now)
    return date


def _apply_modifier(date: DateMatch, match: re.Match[str], now: datetime) -> DateMatch:
    modifier = next(words for words in match.groups() if words)
    widen = _MODIFIERS[" ".join(modifier.lower().split())]
    if widen is _before and date.interpretation.is_end:
        widen = _until  # "before the end of the month"
    try:
        periods = tuple(widen(period, now) for period in date.interpretation.periods)
    except (ValueError, OverflowError):
        periods = ()  # beyond the calendar
    return date._replace(interpretation=date.interpretation._replace(periods=periods))
