"""The tense around a date: which of the days that come round again is meant."""

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
    """Patterns and single words of one language, tried in this order; the first found tells.

    `back_before` and `ahead_before` stand right before the date, `ahead_after` right behind it.
    `surely_ahead` outweighs the past tense in the same clause. Single words are looked up, which
    costs a hundredth of what a pattern does.
    """

    back_before: str = _NOTHING
    ahead_before: str = _NOTHING
    ahead_after: str = _NOTHING
    surely_ahead: str = _NOTHING
    back_words: frozenset[str] = frozenset()
    back: str = _NOTHING
    ahead_words: frozenset[str] = frozenset()
    ahead: str = _NOTHING

    def of(self, text: str, start: int, end: int) -> Tense:
        """What the words around say: those of the same clause, or else those of the sentence."""
        before = _SENTENCE_END.split(text[max(0, start - _NEAR) : start])[-1]
        after = _SENTENCE_END.split(text[end : end + _NEAR], maxsplit=1)[0]
        beside = self._told_beside(before[-_BESIDE:], after[:_BESIDE])
        if beside is not Tense.OPEN:
            return beside
        clause = f"{_CLAUSE_END.split(before)[-1]} {_CLAUSE_END.split(after, maxsplit=1)[0]}"
        sentence = f"{before} {after}"
        tense = self._told_by(clause)
        return self._told_by(sentence) if tense is Tense.OPEN and sentence != clause else tense

    def _told_beside(self, before: str, after: str) -> Tense:
        if _finds(rf"(?:{self.back_before})$", before):
            return Tense.BACK
        if _finds(rf"(?:{self.ahead_before})$", before):
            return Tense.AHEAD
        if _finds(rf"^(?:{self.ahead_after})", after) and not _finds(self.back, after):
            return Tense.AHEAD
        return Tense.OPEN

    def _told_by(self, clause: str) -> Tense:
        words = frozenset(_WORD.findall(clause.lower()))
        if _finds(self.surely_ahead, clause):
            return Tense.AHEAD
        if not self.back_words.isdisjoint(words) or _finds(self.back, clause):
            return Tense.BACK
        ahead = not self.ahead_words.isdisjoint(words) or _finds(self.ahead, clause)
        return Tense.AHEAD if ahead else Tense.OPEN


def either(first: Tenses, second: Tenses) -> Tenses:
    """The words of both, for a text that may mix two languages."""
    return Tenses(
        back_before=_both(first.back_before, second.back_before),
        ahead_before=_both(first.ahead_before, second.ahead_before),
        ahead_after=_both(first.ahead_after, second.ahead_after),
        surely_ahead=_both(first.surely_ahead, second.surely_ahead),
        back_words=first.back_words | second.back_words,
        back=_both(first.back, second.back),
        ahead_words=first.ahead_words | second.ahead_words,
        ahead=_both(first.ahead, second.ahead),
    )


def _both(*patterns: str) -> str:
    return "|".join(f"(?:{it})" for it in patterns if it != _NOTHING) or _NOTHING


def _finds(pattern: str, words: str) -> bool:
    return pattern != _NOTHING and _compiled(pattern).search(words) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
