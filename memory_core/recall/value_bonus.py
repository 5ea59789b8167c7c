"""Prefers memories with a time or an amount if the message asks for one: "when do I fly"."""

from collections.abc import Sequence
from dataclasses import replace

from ..text.questions import has_a_value
from .fact_versions import own_words
from .results import Candidate

VALUE = "value"
_BONUS = 0.15  # benchmarks/fit_versions.py prints what others do
_PREFERRED = 24  # candidates that may gain it


def add_value_bonus(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates, best first, those with a value higher than before."""
    preferred = [
        _with_bonus(candidate) if has_a_value(own_words(candidate)) else candidate
        for candidate in candidates[:_PREFERRED]
    ]
    rest = candidates[_PREFERRED:]
    return sorted([*preferred, *rest], key=lambda candidate: -candidate.score)


def _with_bonus(candidate: Candidate) -> Candidate:
    parts = {**candidate.parts, VALUE: _BONUS}
    return replace(candidate, score=candidate.score + _BONUS, parts=parts)
