"""Finds the times that a text names, in seven languages and without a model.

Misspelt words of dates are corrected first: "tommorow", "Febrar", "в суботу".
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from itertools import chain

from ..lexicon import is_listed, near_spellings
from ..search_terms import terms
from . import (
    chinese,
    english_calendar,
    english_holidays,
    english_relative,
    english_words,
    french,
    german,
    japanese,
    russian,
    spanish,
    word_table,
)
from .calendar import Cycle, add_months
from .date_words import DateWords, by_word
from .english_words import LONG_MONTHS, LONG_WEEKDAYS
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

_WORDS_BY_LANGUAGE: tuple[DateWords, ...] = tuple(
    language.WORDS for language in (german, spanish, french, russian)
)
_ENGLISH_WORDS = (*LONG_MONTHS, *LONG_WEEKDAYS, "tomorrow", "yesterday", "tonight", "weekend")
# More than one slip, or another last letter.
_COMMON = by_word(
    {
        "tomorrow": "tommorow tommorrow tomorow tomoro 2moro 2morrow",
        "yesterday": "yesturday yday",
        "wednesday": "wensday wendsday weds",
        "tonight": "2nite 2night tonite",
        "weekend": "wkend wknd",
        "gestern": "gestan",
        "aujourd'hui": "ojourdhui aujourdhui",
        "сегодня": "сёдня седня",
        "завтра": "завтр завтро зафтра",
        "послезавтра": "послезафтра",
    }
)
_OTHER_WORDS = frozenset("morgan demian javier domino gesten pasado pesado".split())  # noqa: SIM905
_MIN_LETTERS = 6
_MOST_OTHER = 2  # letters that one of two words lacks, if one was typed for another
_MAX_CHARS = 20_000  # the rest of a text is not corrected
_WORD = re.compile(r"[^\W_]{4,20}")
_RULES = (*english_holidays.RULES, *english_calendar.RULES, *english_relative.RULES)
_ENGLISH = Grammar(*_RULES, tenses=english_words.TENSES)
_MIXED = Grammar(*_RULES, tenses=combine_tenses(english_words.TENSES, chinese.TENSES))
_OTHERS = tuple(
    Grammar(*word_table.rules(words), tenses=words.tenses) for words in _WORDS_BY_LANGUAGE
)
_OTHER_RULES = tuple(rule for grammar in _OTHERS for rule in grammar.rules)
_ANY = Grammar(*_RULES, *_OTHER_RULES, tenses=english_words.TENSES)
_JAPANESE = word_table.rules(japanese.WORDS)
_IS_JAPANESE = re.compile("[\u3040-\u30ff]")
_IS_WIDE = re.compile("[\uff01-\uff5e]")
_WIDE = str.maketrans({chr(code + 0xFEE0): chr(code) for code in range(ord("!"), ord("~") + 1)})
_DAY = timedelta(days=1)


def correct_dates(text: str) -> tuple[str, Callable[[int], int]]:
    """Returns the text with corrected words of dates, and a function that maps a position in it
    back to the text.
    """
    result, ends = "", [(0, 0)]  # ends of the corrected words: in the result and in the text
    for match in _WORD.finditer(text, 0, _MAX_CHARS):
        if meant := _meant(match.group().lower()):
            result += text[ends[-1][1] : match.start()] + meant
            ends.append((len(result), match.end()))

    def original(position: int) -> int:
        number = bisect_right(ends, (position, len(text)))
        corrected, own = ends[number - 1]
        limit = ends[number][1] if number < len(ends) else len(text)
        return min(own + position - corrected, limit)

    return result + text[ends[-1][1] :], original


@lru_cache(maxsize=20_000)
def _meant(word: str) -> str:
    """Returns the word of a date that a misspelt word in lower case stands for, or ""."""
    if word in _COMMON:
        return _COMMON[word]
    if len(word) < _MIN_LETTERS - 1 or not any(_may_mean(word, known) for known in _alike(word)):
        return ""
    if word in _words() or word in _OTHER_WORDS:
        return ""
    meant = next((near for near in near_spellings(word) if near in _words()), "")
    is_slip = meant[-1:] == word[-1] and not any(map(is_listed, terms(word)))
    return meant if is_slip else ""


@cache
def _words() -> frozenset[str]:
    tables = (
        chain(table.months, table.weekdays, table.days.values()) for table in _WORDS_BY_LANGUAGE
    )
    found: Iterable[str] = chain(_ENGLISH_WORDS, chain.from_iterable(tables))
    words = chain.from_iterable(entry.replace("_", " ").split() for entry in found)
    return frozenset(word for word in words if len(word) >= _MIN_LETTERS and word.isalpha())


def _alike(word: str) -> Sequence[str]:
    """Returns the words of dates that begin and end with the same letters."""
    return _by_ends().get(word[0] + word[-1], ())


def _may_mean(word: str, other: str) -> bool:
    """Returns False where more than one slip is between the two; in far less time than a search."""
    return abs(len(word) - len(other)) <= 1 and len(set(word) ^ set(other)) <= _MOST_OTHER


@cache
def _by_ends() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for word in _words():
        found.setdefault(word[0] + word[-1], []).append(word)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRange:
    """A time that a text names: a half-open range in the time zone of the text's `now`.

    `is_explicit`: a calendar date, a month with its year, or a year; all other times are relative.
    `span` is its position in the text. If day and month are ambiguous, both readings are given with
    the same span. `cycle`: the text names no year, or not even a month or week. `has_tense`: the
    words around tell whether it is past or future.
    """

    start: datetime
    end: datetime
    is_explicit: bool
    span: tuple[int, int]
    cycle: Cycle | None = None
    has_tense: bool = True


def may_contain_date(text: str) -> bool:
    """Returns False only for texts that name no time. Much faster than `find_dates`."""
    if not text.isascii() or _ANY.may_match(text):
        return True
    return any(_meant(word.lower()) for word in _WORD.findall(text, 0, _MAX_CHARS))


def find_dates(text: str, now: datetime) -> tuple[DateRange, ...]:
    """Returns the times named in a text written at `now` (aware). Never raises for any text.

    Seasons are those of the northern hemisphere. A bare "in March" or "on Tuesday" means the
    latest one, or the next one in a sentence about the future. A bare month or day of the year
    also means the next one if that is soon and the sentence has no clear tense.
    """
    plain = text.translate(_WIDE) if _IS_WIDE.search(text) else text
    plain, original = correct_dates(plain)
    if plain.isascii() and not _ANY.may_match(plain):
        return ()
    matches = without_overlaps(_matches(plain), now)
    if not matches:
        return ()
    found = chain.from_iterable(
        _to_date_ranges(match, now) for match in widen_ranges(plain, matches, now)
    )
    return tuple(replace(one, span=(original(one.span[0]), original(one.span[1]))) for one in found)


def with_other_readings(times: Iterable[DateRange], now: datetime) -> tuple[DateRange, ...]:
    """Adds to each incomplete time its occurrence on the other side of `now`, if it may be meant.

    "On the 20th of February" may be past or future, and a question may use another tense than the
    memory it asks for. "Dentist Friday 9:30" has no tense.
    """
    return tuple(chain.from_iterable((found, *_other_readings(found, now)) for found in times))


def with_adjacent_turns(times: Iterable[DateRange], now: datetime) -> tuple[DateRange, ...]:
    """Adds to each incomplete time its occurrence on the other side of `now`.

    For questions: "anything on the 18th?" may be asked after a sentence about the next 18th or the
    last one.
    """
    return tuple(chain.from_iterable((found, *_in_adjacent_turn(found, now)) for found in times))


def _other_readings(named: DateRange, now: datetime) -> Iterable[DateRange]:
    other = _in_adjacent_year if named.has_tense else _in_adjacent_turn
    return other(named, now)


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
    return [
        *matches,
        *match_anywhere(_JAPANESE, text, tenses),
        *match_anywhere(chinese.RULES, chinese.simplified(text), tenses),
    ]


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
            has_tense=match.interpretation.has_tense,
        )
