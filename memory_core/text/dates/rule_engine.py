"""What a rule about dates is, and how rules are run over a text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice, repeat
from typing import NamedTuple

from .calendar import Period, ReferenceTime
from .tenses import Tenses

DIGIT = "0"  # the cue that any number is
_WORDS_BEFORE = 6
_MAX_INTERPRETED = 50  # in one text: who pastes a calendar speaks of no time
_MAX_STARTS = 400  # places in one text where a rule may begin
_MAX_WORDS = 5000
LETTERS = "a-zß-öø-ÿœа-яё"
_WORD = re.compile(rf"[{LETTERS}]+|[0-9]+", re.IGNORECASE)
_DIGITS = "0123456789"
_NUMBER_CUE = DIGIT.encode()
_KELVIN = "\u212a"  # the one letter of another script that small letters make one of ours
# Words of small letters, digits all alike, between blanks.
_PLAIN = bytes(
    ord(DIGIT if char.isdigit() else char.lower() if char.isalpha() else " ")
    for char in (chr(code) if code < 128 else " " for code in range(256))
)


class Interpretation(NamedTuple):
    """What the words may stand for: several periods where they are ambiguous, none in an idiom.

    `explicit`: a calendar date, a month with its year, or a year named outright. `is_yearly`: a day
    or month whose year is not named, and only guessed.
    """

    periods: tuple[Period, ...]
    is_explicit: bool = False
    is_yearly: bool = False


class DateMatch(NamedTuple):
    start: int
    end: int
    interpretation: Interpretation


class RuleMatch(NamedTuple):
    """Where a rule fits, not yet read: most of these stand within a longer one."""

    start: int
    end: int
    rule: "Rule"
    match: re.Match[str]
    tenses: Tenses


@dataclass(frozen=True, slots=True)
class Rule:
    """`cues`: a text without any of these need not be searched. The group "at" is what counts.

    `read` gives None where the words turn out to be something else, and raises ValueError or
    OverflowError where there is no such date.
    """

    source: str
    cues: frozenset[str]
    interpret: "Interpreter"

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """Once, when first needed: all rules together take a noticeable part of a second."""
    return re.compile(source, re.IGNORECASE)


NO_DATE = Interpretation(())
Interpreter = Callable[[re.Match[str], ReferenceTime], Interpretation | None]


def rule(pattern: str, read: Interpreter, cues: Iterable[str], *, lead: str = "") -> Rule:
    """`lead` has to stand before the date and is no part of it."""
    return Rule(f"{lead}(?P<at>{pattern})", frozenset(cues), read)


def ignore_idiom(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Takes its words from the other rules and names nothing."""
    return NO_DATE


def single_period(period: Period, *, explicit: bool = False) -> Interpretation:
    return Interpretation((period,), explicit)


def yearly_period(period: Period, *, explicit: bool = False) -> Interpretation:
    """Reads a day or month whose year is a guess."""
    return Interpretation((period,), explicit, is_yearly=True)


class Grammar:
    """Rules for text with blanks."""

    def __init__(self, *rules: Rule, tenses: Tenses) -> None:
        self.rules = rules
        self.tenses = tenses
        self.cues = frozenset(it for rule in rules for it in rule.cues)
        self._encoded = frozenset(it.encode() for it in self.cues)

    def may_match(self, text: str) -> bool:
        """False for most texts, in a tenth of the time that looking at all rules takes."""
        letters = text.replace(_KELVIN, "k").encode("utf-8", "surrogatepass")
        plain = letters.translate(_PLAIN)
        has_number = _NUMBER_CUE in plain and DIGIT in self.cues
        return has_number or not self._encoded.isdisjoint(plain.split())


class TokenisedText:
    """A text and where its words begin; numbers are all alike, letters are small."""

    def __init__(self, text: str) -> None:
        self.text = text
        found = list(islice(_WORD.finditer(text), _MAX_WORDS))
        self.words = [_plain(it.group()) for it in found]
        self.word_starts = [it.start() for it in found]
        self.distinct_words = frozenset(self.words)


def _plain(word: str) -> str:
    return DIGIT if word[0] in _DIGITS else word.lower()


def match_at_cues(grammar: Grammar, spoken: TokenisedText) -> Iterator[RuleMatch]:
    """A rule is tried at the words up to each of its cues."""
    if grammar.cues.isdisjoint(spoken.distinct_words):
        return
    starts: dict[frozenset[str], list[int]] = {}
    for rule in grammar.rules:
        if rule.cues.isdisjoint(spoken.distinct_words):
            continue
        if rule.cues not in starts:
            tried = islice(_candidate_starts(spoken.words, rule.cues), _MAX_STARTS)
            starts[rule.cues] = [spoken.word_starts[at] for at in tried]
        matches = map(rule.pattern.match, repeat(spoken.text), starts[rule.cues])
        yield from _matches(rule, matches, grammar.tenses)


def match_anywhere(rules: Iterable[Rule], text: str, tenses: Tenses) -> Iterator[RuleMatch]:
    """For text without blanks: cues are characters."""
    present = set(text)
    for rule in rules:
        if not rule.cues.isdisjoint(present):
            yield from _matches(rule, rule.pattern.finditer(text), tenses)


def _candidate_starts(words: Sequence[str], cues: frozenset[str]) -> Iterator[int]:
    """Where a rule may begin: each cue, and the few words before it."""
    following = 0
    for at, word in enumerate(words):
        if word in cues:
            yield from range(max(following, at - _WORDS_BEFORE), at + 1)
            following = at + 1


def _matches(
    rule: Rule, matches: Iterable[re.Match[str] | None], tenses: Tenses
) -> Iterator[RuleMatch]:
    for match in islice(filter(None, matches), _MAX_INTERPRETED):
        yield RuleMatch(*match.span("at"), rule, match, tenses)


def without_overlaps(matches: Iterable[RuleMatch], now: datetime) -> list[DateMatch]:
    """Read, without those that overlap an earlier or, from the same place, a longer one."""
    kept: list[DateMatch] = []
    for match in sorted(matches, key=lambda it: (it.start, -it.end)):
        if len(kept) == _MAX_INTERPRETED:
            break
        if not kept or match.start >= kept[-1].end:
            reading = _interpret(match, now)
            kept += [DateMatch(match.start, match.end, reading)] if reading is not None else []
    return kept


def _interpret(it: RuleMatch, now: datetime) -> Interpretation | None:
    moment = ReferenceTime(now, lambda: it.tenses.detect(it.match.string, it.start, it.end))
    try:
        return it.rule.interpret(it.match, moment)
    except (ValueError, OverflowError):
        return NO_DATE  # no such day: the words are used up all the same
