"""Words around a date that make more of it: since May, between Monday and today, 国庆节之前."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from .calendar import FIRST_YEAR, LAST_YEAR, Period, days, end_of_today, shifted
from .rule_engine import Found, Reading

_NEAR = 24
_PAST, _FUTURE = datetime(FIRST_YEAR - 1, 1, 1), datetime(LAST_YEAR + 2, 1, 1)
_BETWEEN = re.compile(r"(?<!\w)(?:between|from)\s+(?:the\s+)?$|从\s*$", re.IGNORECASE)
_TO = re.compile(r"\s*(?:-|–|—|~|到|至|(?<=\s)(?:to|until|till|through)\s)\s*(?:the\s+)?", re.I)  # noqa: RUF001
_AND = re.compile(r"\s*(?:(?<=\s)and\s+(?:the\s+)?|[和与])\s*", re.IGNORECASE)
_AMONG = re.compile(r"之间|间")


def _since(period: Period, now: datetime) -> Period:
    return Period(period.start, _until_now(period.start, now))


def _after(period: Period, now: datetime) -> Period:
    return Period(period.end, _until_now(period.end, now))


def _until_now(start: datetime, now: datetime) -> datetime:
    today = end_of_today(now)
    return today if start < today else _FUTURE


def _before(period: Period, now: datetime) -> Period:
    return Period(_PAST, period.start)


def _until(period: Period, now: datetime) -> Period:
    return Period(_PAST, period.end)


def _week_before(period: Period, now: datetime) -> Period:
    return Period(days((period.start - timedelta(days=7)).date()).start, period.start)


def _week_after(period: Period, now: datetime) -> Period:
    return days(period.end.date(), 7)


def _week_of(period: Period, now: datetime) -> Period:
    return days((period.start - timedelta(days=period.start.weekday())).date(), 7)


def _month_before(period: Period, now: datetime) -> Period:
    return Period(days(shifted(period.start.date(), -1)).start, period.start)


def _day_before(period: Period, now: datetime) -> Period:
    return days((period.start - timedelta(days=1)).date())


def _day_after(period: Period, now: datetime) -> Period:
    return days(period.end.date())


_Widen = Callable[[Period, datetime], Period]
_WIDENED_BY: dict[str, _Widen] = {
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


def widened(text: str, found: Sequence[Found], now: datetime) -> list[Found]:
    """Pairs become ranges; then what says before or since a date is taken into it."""
    return [_edged(text, it, now) for it in _paired(text, [it for it in found if _is_date(it)])]


def _is_date(found: Found) -> bool:
    return bool(found.reading.periods)


def _paired(text: str, found: Sequence[Found]) -> list[Found]:
    out: list[Found] = []
    for it in found:
        pair = _pair(text, out[-1], it) if out else None
        out[-1:] = [pair] if pair else [*out[-1:], it]
    return out


def _pair(text: str, first: Found, last: Found) -> Found | None:
    opening = _BETWEEN.search(text[max(0, first.start - _NEAR) : first.start])
    between = text[first.end : last.start]
    joined = _TO.fullmatch(between)
    if not joined and not (_AND.fullmatch(between) and (opening or _AMONG.match(text, last.end))):
        return None
    period = _stretch(first.reading, last.reading)
    explicit = first.reading.explicit and last.reading.explicit
    return period and Found(first.start, last.end, Reading((period,), explicit))


def _stretch(first: Reading, last: Reading) -> Period | None:
    """The first may have been the one before: from Sunday to Monday, from October to January."""
    start = min(it.start for it in first.periods)
    end = max(it.end for it in last.periods)
    if start < end:
        return Period(start, end)
    if first.explicit:
        return None
    if start - end <= timedelta(days=7):
        return Period(start - timedelta(days=7), end)
    back = datetime.combine(shifted(start, -12), start.time())
    return Period(back, end) if back < end else None


def _edged(text: str, found: Found, now: datetime) -> Found:
    before = text[max(0, found.start - _NEAR) : found.start]
    if match := _LEADING.search(before):
        start = found.start - len(before) + match.start()
        return _changed(found._replace(start=start), match, now)
    if match := _FOLLOWING.match(text, found.end):
        return _changed(found._replace(end=match.end()), match, now)
    return found


def _changed(found: Found, match: re.Match[str], now: datetime) -> Found:
    said = next(words for words in match.groups() if words)
    widen = _WIDENED_BY[" ".join(said.lower().split())]
    try:
        periods = tuple(widen(it, now) for it in found.reading.periods)
    except (ValueError, OverflowError):
        periods = ()  # beyond the calendar
    return found._replace(reading=found.reading._replace(periods=periods))
