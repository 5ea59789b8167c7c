"""Detects the tense around a date, to choose between past and future occurrences of a day."""

import re
from dataclasses import dataclass
from functools import cache

from .calendar import Tense

_NEAR = 90
_SENTENCE_END = re.compile(r"[.!?。！？\n]")  # noqa: RUF001
_CLAUSE_END = re.compile(r"[,;:，；：、]")  # noqa: RUF001
_NOTHING = r"(?!)"
_BESIDE = 24
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tenses:
    """Patterns and single words of one language, tried in this order; the first match decides.

    `past_before` and `future_before` match right before the date, `future_after` right after it.
    `surely_future` outweighs the past tense in the same clause. Single words are a hundred times
    as fast as patterns.
    """

    past_before: str = _NOTHING
    future_before: str = _NOTHING
    future_after: str = _NOTHING
    surely_future: str = _NOTHING
    past_words: frozenset[str] = frozenset()
    past: str = _NOTHING
    future_words: frozenset[str] = frozenset()
    future: str = _NOTHING

    def detect(self, text: str, start: int, end: int) -> Tense:
        """Returns the tense of the words around the date: of its clause, or else its sentence."""
        before = _SENTENCE_END.split(text[max(0, start - _NEAR) : start])[-1]
        after = _SENTENCE_END.split(text[end : end + _NEAR], maxsplit=1)[0]
        beside = self._tense_beside(before[-_BESIDE:], after[:_BESIDE])
        if beside is not Tense.UNKNOWN:
            return beside
        clause = f"{_CLAUSE_END.split(before)[-1]} {_CLAUSE_END.split(after, maxsplit=1)[0]}"
        sentence = f"{before} {after}"
        tense = self._tense_of(clause)
        return self._tense_of(sentence) if tense is Tense.UNKNOWN and sentence != clause else tense

    def _tense_beside(self, before: str, after: str) -> Tense:
        if _finds(rf"(?:{self.past_before})$", before):
            return Tense.PAST
        if _finds(rf"(?:{self.future_before})$", before):
            return Tense.FUTURE
        if _finds(rf"^(?:{self.future_after})", after) and not _finds(self.past, after):
            return Tense.FUTURE
        return Tense.UNKNOWN

    def _tense_of(self, clause: str) -> Tense:
        words = frozenset(_WORD.findall(clause.lower()))
        if _finds(self.surely_future, clause):
            return Tense.FUTURE
        if not self.past_words.isdisjoint(words) or _finds(self.past, clause):
            return Tense.PAST
        is_future = not self.future_words.isdisjoint(words) or _finds(self.future, clause)
        return Tense.FUTURE if is_future else Tense.UNKNOWN


def combine_tenses(first: Tenses, second: Tenses) -> Tenses:
    """Returns the words of both, for a text that may mix two languages."""
    return Tenses(
        past_before=_both(first.past_before, second.past_before),
        future_before=_both(first.future_before, second.future_before),
        future_after=_both(first.future_after, second.future_after),
        surely_future=_both(first.surely_future, second.surely_future),
        past_words=first.past_words | second.past_words,
        past=_both(first.past, second.past),
        future_words=first.future_words | second.future_words,
        future=_both(first.future, second.future),
    )


def _both(*patterns: str) -> str:
    return "|".join(f"(?:{part})" for part in patterns if part != _NOTHING) or _NOTHING


def _finds(pattern: str, words: str) -> bool:
    return pattern != _NOTHING and _compiled(pattern).search(words) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
