"""Finds the times that a text names, in seven languages and without a model."""

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
from .calendar import Cycle, add_months
from .misspelt import correct_dates, has_misspelt_date
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
_LANGUAGES = (german, spanish, french, russian)
_OTHERS = tuple(word_table.grammar(language.WORDS) for language in _LANGUAGES)
_OTHER_RULES = tuple(rule for grammar in _OTHERS for rule in grammar.rules)
_ANY = Grammar(*_RULES, *_OTHER_RULES, tenses=english_tenses.TENSES)
_JAPANESE = word_table.rules(japanese.WORDS)
_IS_JAPANESE = re.compile("[\u3040-\u30ff]")
_IS_WIDE = re.compile("[\uff01-\uff5e]")
_WIDE = str.maketrans({chr(code + 0xFEE0): chr(code) for code in range(ord("!"), ord("~") + 1)})
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRange:
    """A time that a text names: a half-open range in the time zone of the text's `now`.

    `is_explicit`: a calendar date, a month with its year, or a year; all other times are relative.
    `span` is its position in the text. If day and month are ambiguous, both readings are given with
    the same span. `cycle`: the text names no year, or not even a month or week.
    """

    start: datetime
    end: datetime
    is_explicit: bool
    span: tuple[int, int]
    cycle: Cycle | None = None


def may_contain_date(text: str) -> bool:
    """Returns False only for texts that name no time. Much faster than `find_dates`."""
    return not text.isascii() or _ANY.may_match(text) or has_misspelt_date(text)


def find_dates(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Returns the times named in a text written at `now` (aware). Never raises for any text.

    Seasons are those of the northern hemisphere. A bare "in March" or "on Tuesday" means the
    latest one, or the next one in a sentence about the future. A bare month or day of the year
    also means the next one if that is soon and the sentence has no clear tense.
    """
    if not may_contain_date(text):
        return ()
    plain = text.translate(_WIDE) if _IS_WIDE.search(text) else text
    plain, original = correct_dates(plain)
    matches = without_overlaps(_matches(plain), now)
    if not matches:
        return ()
    found = chain.from_iterable(
        _to_date_ranges(match, now) for match in widen_ranges(plain, matches, now)
    )
    return tuple(replace(one, span=(original(one.span[0]), original(one.span[1]))) for one in found)


def with_adjacent_years(times: Iterable[DateRange], now: datetime) -> tuple[DateRange, ...]:
    """Adds to each time without a year its occurrence in the year on the other side of `now`.

    "On the 20th of February" may be past or future, and a question may use another tense than the
    memory it asks for.
    """
    return tuple(chain.from_iterable((found, *_in_adjacent_year(found, now)) for found in times))


def with_adjacent_turns(times: Iterable[DateRange], now: datetime) -> tuple[DateRange, ...]:
    """Adds to each incomplete time its occurrence on the other side of `now`.

    For questions: "anything on the 18th?" may be asked after a sentence about the next 18th or the
    last one.
    """
    return tuple(chain.from_iterable((found, *_in_adjacent_turn(found, now)) for found in times))


def _in_adjacent_turn(named: DateRange, now: datetime) -> Iterable[DateRange]:
    turns = 1 if named.start <= now else -1
    match named.cycle:
        case Cycle.WEEK:
            weeks = timedelta(weeks=turns)
            if named.start + weeks <= now < named.end + weeks:
                weeks *= 2  # a weekday alone is never today
            yield replace(named, start=named.start + weeks, end=named.end + weeks)
        case Cycle.MONTH:
            start = datetime.combine(add_months(named.start.date(), turns), named.start.timetz())
            if start.day == named.start.day:  # the other month has such a day
                yield replace(named, start=start, end=start + (named.end - named.start))
        case _:
            yield from _in_adjacent_year(named, now)


def _in_adjacent_year(named: DateRange, now: datetime) -> Iterable[DateRange]:
    if named.cycle is Cycle.YEAR:
        years = 1 if named.start <= now else -1
        with suppress(ValueError):  # a leap day that the other year does not have
            edges = (named.start, named.end)
            start, end = (edge.replace(year=edge.year + years) for edge in edges)
            yield replace(named, start=start, end=end)


def _matches(text: str) -> list[RuleMatch]:
    tokens = TokenisedText(text)
    # Of two matches of the same words the first wins, so English, the least distinctive, is last.
    grammars = (*_OTHERS, _ENGLISH if text.isascii() else _MIXED)
    matches = [match for grammar in grammars for match in match_at_cues(grammar, tokens)]
    if text.isascii():
        return matches
    tenses = japanese.WORDS.tenses if _IS_JAPANESE.search(text) else chinese.TENSES
    return [*matches, *match_anywhere((*_JAPANESE, *chinese.RULES), text, tenses)]


def _to_date_ranges(match: DateMatch, now: datetime) -> Iterable[DateRange]:
    for period in match.interpretation.periods:
        start, end = (edge.replace(tzinfo=now.tzinfo) for edge in period)
        span = (match.start, match.end)
        yield DateRange(
            start=start,
            end=end,
            is_explicit=match.interpretation.is_explicit,
            span=span,
            cycle=match.interpretation.cycle,
        )
