"""Rules about dates, and the engine that runs them over a text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice, repeat
from typing import NamedTuple

from .calendar import Cycle, Period, ReferenceTime, Tense
from .tenses import Tenses

DIGIT = "0"  # the cue for all numbers
_WORDS_BEFORE = 6
_MAX_INTERPRETED = 50  # dates in one text: a pasted calendar refers to no particular time
_MAX_STARTS = 400  # positions in one text at which a rule is tried
_MAX_WORDS = 5000
LETTERS = "a-zß-öø-ÿœа-яё"
_WORD = re.compile(rf"[{LETTERS}]+|[0-9]+", re.IGNORECASE)
_DIGITS = "0123456789"
_NUMBER_CUE = DIGIT.encode()
_KELVIN = "\u212a"  # the only non-ASCII letter whose lower case is ASCII
# Translates bytes: letters to lower case, all digits to DIGIT, everything else to blanks.
_PLAIN = bytes(
    ord(DIGIT if char.isdigit() else char.lower() if char.isalpha() else " ")
    for char in (chr(code) if code < 128 else " " for code in range(256))
)


class Interpretation(NamedTuple):
    """The meaning of words: several periods if they are ambiguous, none for an idiom.

    `is_explicit`: a calendar date, a month with its year, or a year. `cycle`: the words name only a
    part of a year, month or week ("the 18th"), so which one is meant is a guess. `has_tense`: the
    words around tell whether it is past or future. `is_end`: it is the last part of a longer time,
    so what comes before its end may be in it.
    """

    periods: tuple[Period, ...]
    is_explicit: bool = False
    cycle: Cycle | None = None
    has_tense: bool = True
    is_end: bool = False


class DateMatch(NamedTuple):
    """An interpreted match, with its position in the text."""

    start: int
    end: int
    interpretation: Interpretation


class RuleMatch(NamedTuple):
    """A match of a rule, not interpreted yet, because most are part of a longer match."""

    start: int
    end: int
    rule: "Rule"
    match: re.Match[str]
    tenses: Tenses


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern with its meaning. Texts without any of the `cues` need not be searched.

    The group "date" holds the date itself. `interpret` returns None if the words mean something
    else, and raises ValueError or OverflowError if there is no such date.
    """

    source: str
    cues: frozenset[str]
    interpret: "Interpreter"

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """Compiles a pattern on first use, because all of them take a noticeable time."""
    return re.compile(source, re.IGNORECASE)


NO_DATE = Interpretation(())
Interpreter = Callable[[re.Match[str], ReferenceTime], Interpretation | None]


def rule(pattern: str, read: Interpreter, cues: Iterable[str], *, lead: str = "") -> Rule:
    """Returns a rule. `lead` is a pattern that must precede the date but is not part of it."""
    return Rule(f"{lead}(?P<date>{pattern})", frozenset(cues), read)


def ignore_idiom(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Interprets words as no date, and so keeps other rules from matching them."""
    return NO_DATE


def single_period(period: Period, *, explicit: bool = False) -> Interpretation:
    return Interpretation((period,), explicit)


def yearly_period(period: Period, *, explicit: bool = False) -> Interpretation:
    """Returns the interpretation of a day or month whose year is a guess."""
    return Interpretation((period,), explicit, cycle=Cycle.YEAR)


def repeating_period(period: Period, cycle: Cycle) -> Interpretation:
    """Returns the interpretation of a weekday or day of the month whose `cycle` is a guess."""
    return Interpretation((period,), cycle=cycle)


class Grammar:
    """Rules for languages with blanks between words."""

    def __init__(self, *rules: Rule, tenses: Tenses) -> None:
        self.rules = rules
        self.tenses = tenses
        self.cues = frozenset(cue for rule in rules for cue in rule.cues)
        self._encoded = frozenset(cue.encode() for cue in self.cues)

    def may_match(self, text: str) -> bool:
        """Returns False for most texts without a date, ten times as fast as trying all rules."""
        letters = text.replace(_KELVIN, "k").encode("utf-8", "surrogatepass")
        plain = letters.translate(_PLAIN)
        has_number = _NUMBER_CUE in plain and DIGIT in self.cues
        return has_number or not self._encoded.isdisjoint(plain.split())


class TokenisedText:
    """A text with its words in lower case, numbers as DIGIT, and the positions of the words."""

    def __init__(self, text: str) -> None:
        self.text = text
        matches = list(islice(_WORD.finditer(text), _MAX_WORDS))
        written = [match.group() for match in matches]
        self.words = [DIGIT if word[0] in _DIGITS else word.lower() for word in written]
        self.word_starts = [match.start() for match in matches]
        self.distinct_words = frozenset(self.words)


def match_at_cues(grammar: Grammar, tokens: TokenisedText) -> Iterator[RuleMatch]:
    """Yields the matches of each rule, tried only at its cues and the few words before them."""
    if grammar.cues.isdisjoint(tokens.distinct_words):
        return
    starts: dict[frozenset[str], list[int]] = {}
    for rule in grammar.rules:
        if rule.cues.isdisjoint(tokens.distinct_words):
            continue
        if rule.cues not in starts:
            indices = islice(_candidate_starts(tokens.words, rule.cues), _MAX_STARTS)
            starts[rule.cues] = [tokens.word_starts[index] for index in indices]
        matches = map(rule.pattern.match, repeat(tokens.text), starts[rule.cues])
        yield from _matches(rule, matches, grammar.tenses)


def match_anywhere(rules: Iterable[Rule], text: str, tenses: Tenses) -> Iterator[RuleMatch]:
    """Yields the matches in text without blanks, whose cues are characters."""
    present = set(text.lower())
    for rule in rules:
        if not rule.cues.isdisjoint(present):
            yield from _matches(rule, rule.pattern.finditer(text), tenses)


def _candidate_starts(words: Sequence[str], cues: frozenset[str]) -> Iterator[int]:
    """Yields the indices of each cue and of the few words before it, each index once."""
    following = 0
    for index, word in enumerate(words):
        if word in cues:
            yield from range(max(following, index - _WORDS_BEFORE), index + 1)
            following = index + 1


def _matches(
    rule: Rule, matches: Iterable[re.Match[str] | None], tenses: Tenses
) -> Iterator[RuleMatch]:
    for match in islice(filter(None, matches), _MAX_INTERPRETED):
        yield RuleMatch(*match.span("date"), rule, match, tenses)


def without_overlaps(matches: Iterable[RuleMatch], now: datetime) -> list[DateMatch]:
    """Interprets the matches, except those that overlap an earlier or longer one."""
    dates: list[DateMatch] = []
    for match in sorted(matches, key=lambda match: (match.start, -match.end)):
        if len(dates) == _MAX_INTERPRETED:
            break
        if not dates or match.start >= dates[-1].end:
            reading = _interpret(match, now)
            dates += [DateMatch(match.start, match.end, reading)] if reading is not None else []
    return dates


def _interpret(found: RuleMatch, now: datetime) -> Interpretation | None:
    def tense() -> Tense:
        return found.tenses.detect(found.match.string, found.start, found.end)

    try:
        reading = found.rule.interpret(found.match, ReferenceTime(now, tense))
    except (ValueError, OverflowError):
        return NO_DATE  # there is no such day, but no other rule may match these words
    if reading and reading.cycle:
        reading = reading._replace(has_tense=tense() is not Tense.UNKNOWN)
    return reading
