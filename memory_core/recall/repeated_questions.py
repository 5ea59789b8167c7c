"""Demotes past exchanges that merely repeat the current question.

Of the exchanges whose user side repeats the message, the best and the latest keep their place, with
the best other memory between them. Further repeats move behind all other memories. At most two
questions that only resemble the message come before the best other memory. A repeat whose
answer says nothing new (a list of other memories) moves to the very end.
"""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from ..text.cleaning import clean_answer
from ..text.search_terms import indivisible_terms, terms
from .non_answers import non_answer_terms
from .results import Candidate

_MAX_NEW = 0.1  # most words of a repeat that the message lacks; one more may be the answer
_MAX_NEW_OF_LIKE = 0.2
_MIN_SHARED = 0.8  # least share of the message's words in a repeat
_MAX_LENGTH_RATIO = 2.0  # longer or shorter by this factor is no repeat
_MIN_SHARED_WRITTEN = 0.4  # least share of shared words before stemming; saves stemming the rest
_KEPT_REPEATS = 2
_MIN_SHARE = 0.7  # of the best score, for a memory that is put before questions like the message
_ANSWER = 1
_QUESTION_MARKS = re.compile("[?？]")  # noqa: RUF001


def demote_repeats(text: str, ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with repeats of this message moved back.

    The first and the latest repeat stay; the latest may have another answer, but comes behind the
    best memory that is no repeat. Repeats without a new answer come last. In all of them the answer
    counts as the matching side.
    """
    question = _RepeatedQuestion(text)
    repeats = [candidate for candidate in ordered if question.is_like(candidate, _MAX_NEW)]
    moved = _move_back(question, ordered, repeats) if repeats else list(ordered)
    return _with_other_memory_in_front(question, moved) if question.asks else moved


def _move_back(
    question: "_RepeatedQuestion", ordered: Sequence[Candidate], repeats: Sequence[Candidate]
) -> list[Candidate]:
    repeat_ids = {candidate.memory.id for candidate in repeats}
    known_terms = question.uninformative_words(
        candidate for candidate in ordered if candidate.memory.id not in repeat_ids
    )
    empty = [
        candidate
        for candidate in repeats
        if question.is_specific
        and _answer(candidate) <= known_terms | indivisible_terms(_question(candidate))
    ]
    empty_ids = {candidate.memory.id for candidate in empty}
    moved = _move_repeats_back(
        [candidate for candidate in ordered if candidate.memory.id not in empty_ids],
        repeat_ids - empty_ids,
    )
    return [
        replace(candidate, matching_side=_ANSWER)
        if candidate.memory.id in repeat_ids and _answer(candidate)
        else candidate
        for candidate in (*moved, *empty)
    ]


def _move_repeats_back(ordered: Sequence[Candidate], repeat_ids: Set[str]) -> list[Candidate]:
    repeats = [candidate for candidate in ordered if candidate.memory.id in repeat_ids]
    if len(repeats) < _KEPT_REPEATS:
        return list(ordered)
    latest = max(repeats, key=lambda candidate: candidate.memory.ts or 0.0)
    kept_ids = {repeats[0].memory.id, latest.memory.id}
    remaining = [
        candidate for candidate in ordered if candidate.memory.id not in repeat_ids - kept_ids
    ]
    if [candidate.memory.id in kept_ids for candidate in remaining[:3]] == [True, True, False]:
        remaining[1], remaining[2] = remaining[2], remaining[1]
    return [
        *remaining,
        *(candidate for candidate in repeats if candidate.memory.id not in kept_ids),
    ]


def _with_other_memory_in_front(
    question: "_RepeatedQuestion", ordered: list[Candidate]
) -> list[Candidate]:
    """Returns the candidates with at most two questions like this one before the best other memory.

    One word more makes no repeat, as it may be the answer; but what was asked often would else
    leave no tokens for what was told.
    """
    alike = (question.is_like(found, _MAX_NEW_OF_LIKE) for found in ordered)
    other = next((index for index, is_alike in enumerate(alike) if not is_alike), 0)
    if other <= _KEPT_REPEATS or ordered[other].score < _MIN_SHARE * ordered[0].score:
        return ordered
    ordered.insert(_KEPT_REPEATS, ordered.pop(other))
    return ordered


def _question(candidate: Candidate) -> str:
    exchange = candidate.memory.exchange
    return exchange.user if exchange else ""


def _answer(candidate: Candidate) -> frozenset[str]:
    exchange = candidate.memory.exchange
    return indivisible_terms(clean_answer(exchange.assistant)) if exchange else frozenset()


class _RepeatedQuestion:
    """Recognises repeats of one message, whose words are parsed once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._shortest, self._longest = len(text) / _MAX_LENGTH_RATIO, len(text) * _MAX_LENGTH_RATIO
        self._words = set(terms(text))
        self._written = set(text.lower().split())
        self.asks = bool(_QUESTION_MARKS.search(text))

    @property
    def is_specific(self) -> bool:
        """Returns whether the message is a question or has several words, as a repeat needs."""
        return self.asks or len(self._words) > 1

    def uninformative_words(self, others: Iterable[Candidate]) -> frozenset[str]:
        """Returns the terms that make an answer say nothing new.

        These are the message's own, those of other memories about it, and phrases of not knowing.
        """
        term_sets = (indivisible_terms(candidate.memory.text) for candidate in others)
        about = (term_set for term_set in term_sets if not term_set.isdisjoint(self._words))
        return non_answer_terms().union(indivisible_terms(self._text), *about)

    def is_like(self, candidate: Candidate, max_new: float) -> bool:
        """Returns whether it asks the same, with at most a share `max_new` of other words."""
        exchange = candidate.memory.exchange
        text = exchange.user if exchange else ""
        if not self._shortest <= len(text) <= self._longest:
            return False
        if self.asks and not _QUESTION_MARKS.search(text):
            return False  # without function words an answer may look like the question
        if text.isascii() and self._text.isascii():  # a script with blanks: cheap to split
            written = self._written.intersection(text.lower().split())
            if len(written) < _MIN_SHARED_WRITTEN * len(self._written):
                return False
        found = set(terms(text))
        shared = len(found.intersection(self._words))
        return (
            shared > 0
            and shared >= _MIN_SHARED * len(self._words)
            and len(found) - shared <= max_new * len(found)
        )
