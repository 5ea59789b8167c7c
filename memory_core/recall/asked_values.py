"""Prefers memories with a time or an amount if the message asks for one: "when do I fly"."""

from collections.abc import Sequence
from dataclasses import replace

from ..text.questions import asks_for_a_value, has_a_value
from .fact_versions import own_words
from .query import Query
from .results import Candidate

VALUE = "value"
_BONUS = 0.15  # benchmarks/fit_versions.py prints what others do
_PREFERRED = 24  # candidates that may gain it


def prefer_asked_values(query: Query, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates, best first. Questions about the past keep their order."""
    if query.dates or query.asks_about_the_past or not asks_for_a_value(query.text):
        return list(candidates)
    preferred = [
        _with_bonus(candidate) if has_a_value(own_words(candidate)) else candidate
        for candidate in candidates[:_PREFERRED]
    ]
    rest = candidates[_PREFERRED:]
    return sorted([*preferred, *rest], key=lambda candidate: -candidate.score)


def _with_bonus(candidate: Candidate) -> Candidate:
    parts = {**candidate.parts, VALUE: _BONUS}
    return replace(candidate, score=candidate.score + _BONUS, parts=parts)
