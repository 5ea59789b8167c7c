"""Who asks once more what was asked before wants the answer, not each time that it was asked.

Of the exchanges that begin with the message itself, in about its words, the best and the latest
stay, with the best of all else between them; the others say no more than that, and what may say
more comes first. One whose answer says nothing new ("I do not know", a list of what other memories
say) stays behind all else, be it the only one.
"""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from ..text.cleaning import clean_answer
from ..text.search_terms import terms
from .not_knowing import ignorance_terms, indivisible_terms
from .results import Candidate

_NEW = 0.1  # of its words an echo may have beyond the message's: one more may be the answer
_HELD = 0.8  # of the message's words it has at least
_LONGER = 2.0  # times the message's length, either way: no need to look closer
_ROUGHLY = 0.4  # of its words as they are written: what has fewer need not be stemmed
_KEPT = 2
_ANSWER = 1
_QUESTION_MARKS = re.compile("[?？]")  # noqa: RUF001


def demote_repeats(text: str, ordered: Sequence[Candidate]) -> list[Candidate]:
    """The candidates with all echoes of this message but the first and the latest behind all else,
    and behind these all that were answered with nothing new.

    The latest may have another answer, but stands behind the best that is no echo.
    """
    asked = _RepeatedQuestion(text)
    echoes = [candidate for candidate in ordered if asked.is_repeated_by(candidate)]
    if not echoes:
        return list(ordered)
    ids = {candidate.memory.id for candidate in echoes}
    told = asked.uninformative_words(
        candidate for candidate in ordered if candidate.memory.id not in ids
    )
    empty = [
        candidate
        for candidate in echoes
        if asked.is_specific and _answer(candidate) <= told | indivisible_terms(_user(candidate))
    ]
    left = {candidate.memory.id for candidate in empty}
    return [
        *_best_of(
            [candidate for candidate in ordered if candidate.memory.id not in left], ids - left
        ),
        *empty,
    ]


def prefer_answers(text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, of whose echoes of this message the answer is what matters."""
    asked = _RepeatedQuestion(text)
    return [
        replace(candidate, matching_side=_ANSWER)
        if asked.is_repeated_by(candidate) and _answer(candidate)
        else candidate
        for candidate in candidates
    ]


def _best_of(ordered: Sequence[Candidate], ids: Set[str]) -> list[Candidate]:
    echoes = [candidate for candidate in ordered if candidate.memory.id in ids]
    if len(echoes) < _KEPT:
        return list(ordered)
    latest = max(echoes, key=lambda candidate: candidate.memory.ts or 0.0)
    kept = {echoes[0].memory.id, latest.memory.id}
    found = [candidate for candidate in ordered if candidate.memory.id not in ids - kept]
    if [candidate.memory.id in kept for candidate in found[:3]] == [True, True, False]:
        found[1], found[2] = found[2], found[1]
    return [*found, *(candidate for candidate in echoes if candidate.memory.id not in kept)]


def _user(candidate: Candidate) -> str:
    exchange = candidate.memory.exchange
    return exchange.user if exchange else ""


def _answer(candidate: Candidate) -> frozenset[str]:
    exchange = candidate.memory.exchange
    return indivisible_terms(clean_answer(exchange.assistant)) if exchange else frozenset()


class _RepeatedQuestion:
    """A message, and its words as they are written and as terms: looked at once for all."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = set(terms(text))
        self._written = set(text.lower().split())
        self._asks = bool(_QUESTION_MARKS.search(text))

    @property
    def is_specific(self) -> bool:
        """Whether it says enough for its echoes to be told from whatever has its one word."""
        return self._asks or len(self._words) > 1

    def uninformative_words(self, others: Iterable[Candidate]) -> frozenset[str]:
        """What an answer may say without telling anything: the message's own words, those of the
        others that speak of it, and that nothing is known.
        """
        found = (indivisible_terms(candidate.memory.text) for candidate in others)
        about = (words for words in found if not words.isdisjoint(self._words))
        return ignorance_terms().union(indivisible_terms(self._text), *about)

    def is_repeated_by(self, candidate: Candidate) -> bool:
        exchange = candidate.memory.exchange
        said = exchange.user if exchange else ""
        if not len(self._text) / _LONGER <= len(said) <= len(self._text) * _LONGER:
            return False
        if self._asks and not _QUESTION_MARKS.search(said):
            return False  # without its little words an answer may look like the question
        if not self._may_be_repeated_by(said):
            return False
        own = set(terms(said))
        held = len(own.intersection(self._words))
        return held > 0 and held >= _HELD * len(self._words) and len(own) - held <= _NEW * len(own)

    def _may_be_repeated_by(self, said: str) -> bool:
        """A first look; where words may stand without blanks it tells nothing."""
        if not (said.isascii() and self._text.isascii()):
            return True
        held = len(self._written.intersection(said.lower().split()))
        return held >= _ROUGHLY * len(self._written)
