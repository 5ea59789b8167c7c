"""What a rule about dates is, and how rules are run over a text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice, repeat
from typing import NamedTuple

from .periods import Moment, Period, Tense

DIGIT = "0"  # the cue that any number is
_NEAR = 120
_WORDS_BEFORE = 6
_MOST_READ = 100  # of one rule in one text: who pastes a calendar speaks of no time
_WORD = re.compile(r"[a-z]+|[0-9]+", re.IGNORECASE)
_SMALL_WORD = re.compile(r"[a-z]+|[0-9]+")
_DIGITS = "0123456789"
_NUMBER_CUE = DIGIT.encode()
_KELVIN = "\u212a"  # the one letter of another script that small letters make one of ours
# Words of small letters, digits all alike, between blanks.
_PLAIN = bytes(
    ord(DIGIT if char.isdigit() else char.lower() if char.isalpha() else " ")
    for char in (chr(code) if code < 128 else " " for code in range(256))
)
_NUMBER = re.compile(r"[0-9]")
_SENTENCE_END = re.compile(r"[.!?。！？\n]")  # noqa: RUF001
_CLAUSE_END = re.compile(r"[,;:，；：、]")  # noqa: RUF001
_LOOKS_AHEAD = re.compile(
    r"\b(?:will|won['’]?t|going to|gonna|upcoming|coming up|plan(?:s|ning)? to|about to|see you"  # noqa: RUF001
    r"|remind|looking forward|can['’]?t wait|should|shall|tomorrow|(?:i['’]?m|are) \w+ing)\b"  # noqa: RUF001
    r"|['’]ll\b|打算|准备|计划|将|就要|快到|要去|会去|我要|我会|我们要|提醒|到时候",  # noqa: RUF001
    re.IGNORECASE,
)
_LOOKS_BACK = re.compile(
    r"\b(?:did|was|were|had|said|told|went|ago|last|yesterday|remember|\w{3,}ed)\b|[了过]|记得|上次|说",
    re.IGNORECASE,
)
_IS_ON = re.compile(
    r"(?:(?:\b(?:is|are)|['’]s)\s+(?:(?:on|in|at|over)\s+)?|\bby\s+)$",  # noqa: RUF001
    re.IGNORECASE,
)


class Reading(NamedTuple):
    """What the words may stand for: several periods where they are ambiguous, none in an idiom.

    `explicit`: a calendar date, a month with its year, or a year named outright.
    """

    periods: tuple[Period, ...]
    explicit: bool = False


class Found(NamedTuple):
    start: int
    end: int
    reading: Reading


@dataclass(frozen=True, slots=True)
class Rule:
    """`cues`: a text without any of these need not be searched. The group "at" is what counts.

    `read` gives None where the words turn out to be something else, and raises ValueError or
    OverflowError where there is no such date.
    """

    source: str
    cues: frozenset[str]
    read: "Reader"

    @property
    def pattern(self) -> re.Pattern[str]:
        return _compiled(self.source)


@cache
def _compiled(source: str) -> re.Pattern[str]:
    """Once, when first needed: all rules together take a noticeable part of a second."""
    return re.compile(source, re.IGNORECASE)


IDIOM = Reading(())
Reader = Callable[[re.Match[str], Moment], Reading | None]


def rule(pattern: str, read: Reader, cues: Iterable[str], *, lead: str = "") -> Rule:
    """`lead` has to stand before the date and is no part of it."""
    return Rule(f"{lead}(?P<at>{pattern})", frozenset(cues), read)


def idiom(match: re.Match[str], moment: Moment) -> Reading:
    """Takes its words from the other rules and names nothing."""
    return IDIOM


def one(period: Period, *, explicit: bool = False) -> Reading:
    return Reading((period,), explicit)


class Grammar:
    """Rules for text with blanks."""

    def __init__(self, *rules: Rule) -> None:
        self.rules = rules
        self._cues = frozenset(it.encode() for rule in rules for it in rule.cues)

    def may_find(self, text: str) -> bool:
        """False for most texts, in a tenth of the time that looking at all rules takes."""
        letters = text.replace(_KELVIN, "k").encode("utf-8", "surrogatepass")
        plain = letters.translate(_PLAIN)
        return _NUMBER_CUE in plain or not self._cues.isdisjoint(plain.split())


def at_words(grammar: Grammar, text: str, now: datetime) -> Iterator[Found]:
    """A rule is tried at the words up to each of its cues."""
    words = _words(text)
    if _NUMBER.search(text):
        words = [DIGIT if word[0] in _DIGITS else word for word in words]
    present = frozenset(words)
    begins = [it.start() for it in _WORD.finditer(text)]
    starts: dict[frozenset[str], list[int]] = {}
    for rule in grammar.rules:
        if rule.cues.isdisjoint(present):
            continue
        if rule.cues not in starts:
            starts[rule.cues] = [begins[at] for at in _upto(words, rule.cues)]
        yield from _readings(rule, map(rule.pattern.match, repeat(text), starts[rule.cues]), now)


def _words(text: str) -> list[str]:
    """In small letters."""
    if text.isascii():  # in half the time; elsewhere a small letter may be two
        return _SMALL_WORD.findall(text.lower())
    return list(map(str.lower, _WORD.findall(text)))


def anywhere(rules: Iterable[Rule], text: str, now: datetime) -> Iterator[Found]:
    """For text without: cues are characters."""
    present = set(text)
    for rule in rules:
        if not rule.cues.isdisjoint(present):
            yield from _readings(rule, rule.pattern.finditer(text), now)


def _upto(words: Sequence[str], cues: frozenset[str]) -> Iterator[int]:
    """Where a rule may begin: each cue, and the few words before it."""
    following = 0
    for at, word in enumerate(words):
        if word in cues:
            yield from range(max(following, at - _WORDS_BEFORE), at + 1)
            following = at + 1


def _readings(
    rule: Rule, matches: Iterable[re.Match[str] | None], now: datetime
) -> Iterator[Found]:
    for match in islice(filter(None, matches), _MOST_READ):
        reading = _read(rule, match, now)
        if reading is not None:
            yield Found(*match.span("at"), reading)


def apart(matches: Iterable[Found]) -> list[Found]:
    """Without those that overlap an earlier or, from the same place, a longer one."""
    kept: list[Found] = []
    for match in sorted(matches, key=lambda it: (it.start, -it.end)):
        if not kept or match.start >= kept[-1].end:
            kept.append(match)
    return kept


def _read(rule: Rule, match: re.Match[str], now: datetime) -> Reading | None:
    moment = Moment(now, lambda: _tense(match.string, *match.span("at")))
    try:
        return rule.read(match, moment)
    except (ValueError, OverflowError):
        return IDIOM  # no such day: the words are used up all the same


def _tense(text: str, start: int, end: int) -> Tense:
    """What the words around say: those of the same clause, or else those of the sentence."""
    before = _SENTENCE_END.split(text[max(0, start - _NEAR) : start])[-1]
    after = _SENTENCE_END.split(text[end : end + _NEAR])[0]
    if _IS_ON.search(before):
        return Tense.AHEAD
    clause = f"{_CLAUSE_END.split(before)[-1]} {_CLAUSE_END.split(after)[0]}"
    tense = _told_by(clause)
    return _told_by(f"{before} {after}") if tense is Tense.OPEN else tense


def _told_by(words: str) -> Tense:
    if _LOOKS_BACK.search(words):
        return Tense.BACK
    return Tense.AHEAD if _LOOKS_AHEAD.search(words) else Tense.OPEN
