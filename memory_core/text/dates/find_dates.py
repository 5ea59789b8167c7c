"""The times that a text names, in seven languages, understood without a model."""

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import chain

from . import (
    chinese,
    english_calendar,
    english_relative,
    english_tenses,
    french,
    german,
    japanese,
    russian,
    spanish,
    word_table,
)
from .ranges import widen_ranges
from .rule_engine import (
    DateMatch,
    Grammar,
    RuleMatch,
    TokenisedText,
    match_anywhere,
    match_at_cues,
    without_overlaps,
)
from .tenses import combine_tenses

_RULES = (*english_calendar.RULES, *english_relative.RULES)
_ENGLISH = Grammar(*_RULES, tenses=english_tenses.TENSES)
_MIXED = Grammar(*_RULES, tenses=combine_tenses(english_tenses.TENSES, chinese.TENSES))
_OTHERS = tuple(word_table.grammar(it.WORDS) for it in (german, spanish, french, russian))
_ANY = Grammar(
    *_RULES, *(rule for it in _OTHERS for rule in it.rules), tenses=english_tenses.TENSES
)
_JAPANESE = word_table.rules(japanese.WORDS)
_IS_JAPANESE = re.compile("[\u3040-\u30ff]")
_IS_WIDE = re.compile("[\uff01-\uff5e]")
_WIDE = str.maketrans({chr(code + 0xFEE0): chr(code) for code in range(ord("!"), ord("~") + 1)})
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRange:
    """A time that a text names: half-open, in the time zone of its `now`.

    `explicit`: a calendar date, a month with its year, or a year named outright; everything else
    is counted from now. `span` is where `text` stands. Where day and month can be told in either
    order, both readings are given with the same span. `is_yearly`: no year is named.
    """

    start: datetime
    end: datetime
    text: str
    is_explicit: bool
    span: tuple[int, int]
    is_yearly: bool = False


def may_contain_date(text: str) -> bool:
    """Whether a closer look is worth it: of a text that names a time it is never false."""
    return not text.isascii() or _ANY.may_match(text)


def find_dates(text: str, now: datetime) -> tuple[DateRange, ...]:
    """The times named in what is said at `now`, which must be aware. Never fails on a text.

    Seasons are those of the northern hemisphere. A bare "in March" or "on Tuesday" is the latest,
    or the next where its sentence speaks of what is to come; a bare month or day of the year is
    also the next where that is soon and the sentence leaves it open.
    """
    if not may_contain_date(text):
        return ()
    plain = text.translate(_WIDE) if _IS_WIDE.search(text) else text
    matches = without_overlaps(_matches(plain), now)
    if not matches:
        return ()
    return tuple(
        named for it in widen_ranges(plain, matches, now) for named in _to_date_range(text, it, now)
    )


def with_adjacent_years(times: Iterable[DateRange], now: datetime) -> tuple[DateRange, ...]:
    """Adds to each time without a year the same days on the other side of now.

    "On the 20th of February" may be the one that is over or the one to come, and who asks for it
    need not put the tense as who told it did.
    """
    return tuple(chain.from_iterable((it, *_in_adjacent_year(it, now)) for it in times))


def _in_adjacent_year(named: DateRange, now: datetime) -> Iterable[DateRange]:
    if named.is_yearly:
        years = 1 if named.start <= now else -1
        with suppress(ValueError):  # there is a leap day in this one only
            start, end = (it.replace(year=it.year + years) for it in (named.start, named.end))
            yield replace(named, start=start, end=end)


def proximity(
    period: tuple[float, float],
    named: Iterable[tuple[float, float]],
    *,
    half_life_days: float = 15 * math.log(2),
) -> float:
    """1 where a period touches any of these, halved for each half-life between, 0 for none.

    Periods are in seconds since the epoch. The default is exp(-gap / 15 days).
    """
    gaps = [max(0.0, start - period[1], period[0] - end) for start, end in named]
    return 0.5 ** (min(gaps) / (half_life_days * _DAY.total_seconds())) if gaps else 0.0


def _matches(text: str) -> list[RuleMatch]:
    """Of two that take the same words the first counts; English has the fewest marks of its own."""
    spoken = TokenisedText(text)
    english = _ENGLISH if text.isascii() else _MIXED
    found = [match for it in (*_OTHERS, english) for match in match_at_cues(it, spoken)]
    if text.isascii():
        return found
    tenses = japanese.WORDS.tenses if _IS_JAPANESE.search(text) else chinese.TENSES
    return [*found, *match_anywhere((*_JAPANESE, *chinese.RULES), text, tenses)]


def _to_date_range(text: str, it: DateMatch, now: datetime) -> Iterable[DateRange]:
    for period in it.interpretation.periods:
        start, end = (edge.replace(tzinfo=now.tzinfo) for edge in period)
        span = (it.start, it.end)
        yield DateRange(
            start=start,
            end=end,
            text=text[it.start : it.end],
            is_explicit=it.interpretation.is_explicit,
            span=span,
            is_yearly=it.interpretation.is_yearly,
        )
