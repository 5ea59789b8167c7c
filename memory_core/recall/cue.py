"""Judges by its common words if a message asks for a memory or is small talk.

Each language has its own weights for both questions, learned from examples of everyday wording
(benchmarks/fit_cue.py). A message in any other language scores 0.
"""

import json
import math
import re
from collections.abc import Container, Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from ..infra.lru_cache import LoadOnce, memoize
from ..text.language import languages_of
from ..text.normal_form import normalised
from ..text.search_terms import FULL_FORMS

# No word and no sign looks like these. Bias and length scale with the share of known words.
BIAS, LENGTH, OFFSET, MEAN_LENGTH = "#", "##", "###", "####"
SPECIAL = frozenset((BIAS, LENGTH, OFFSET))
FOLDER = Path(__file__).with_name("cues")
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[^\W\d_{_WIDE}]+(?:'[^\W\d_{_WIDE}]+)?|[{_WIDE}]+")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_SIGNS = {
    "?": re.compile("[?？]"),  # noqa: RUF001
    "!": re.compile("[!！]"),  # noqa: RUF001
    "*": re.compile("[*（(]"),  # noqa: RUF001
    ".": re.compile(r"[.。][\"'”’」』）)\s]*$"),  # noqa: RUF001
    "0": re.compile("[0-9]"),
}
_FIRST_MARK = "^"  # marks the first word of a message
_USUAL_LENGTH = 2.0  # log length, for languages without weights
_MAX_CHARS = 2_000  # letters that are read
_CACHE_CHARS = 50_000  # each message is read for several questions

QUESTIONS = WANTS, IDLE = "wants", "idle"

Weights = Mapping[str, float]


def cue(text: str) -> float:
    """Returns the log odds that a message asks for a memory; 0 for an unknown language."""
    return _mean_odds(text, WANTS)


def idle(text: str) -> float:
    """Returns the log odds that a message is small talk; 0 for an unknown language."""
    return _mean_odds(text, IDLE)


def _mean_odds(text: str, question: str) -> float:
    codes = _learned(text)
    if not codes:
        return 0.0
    return sum(cue_in(text, languages()[name][question]) for name in codes) / len(codes)


@memoize(chars=_CACHE_CHARS)
def _learned(text: str) -> list[str]:
    return [code for code in languages_of(text) if code in languages()]


def cue_in(text: str, weights: Weights) -> float:
    """Returns the log odds of a text, given one language's weights for one question."""
    return sum(weights[name] * value for name, value in cue_facts(text, weights).items())


def cue_facts(text: str, known: Container[str]) -> dict[str, float]:
    """Returns the values of those features of a message that have a weight.

    Bias, length and signs are multiplied by the share of known words; the offset is always 1.
    """
    words, signs = cue_features(text)
    own = [word for word in words if _is_word(word)]
    share = sum(word in known for word in own) / max(1, len(own))
    whole = {BIAS: share, LENGTH: share * log_length(text), OFFSET: 1.0}
    found = {word: 1.0 for word in words if word in known}
    return found | whole | {sign: share for sign in signs if sign in known}


@memoize(chars=_CACHE_CHARS)
def cue_features(text: str) -> tuple[set[str], set[str]]:
    """Returns the words, characters and pairs of characters of a message, and its signs."""
    plain = normalised("NFKC", text[:_MAX_CHARS]).casefold().replace("’", "'")  # noqa: RUF001
    return set(_pieces(plain)), {sign for sign, mark in _SIGNS.items() if mark.search(plain)}


@memoize(chars=_CACHE_CHARS)
def log_length(text: str) -> float:
    """Returns log(1 + n), where n counts words, or characters in scripts without blanks."""
    words = _WORDS.findall(text[:_MAX_CHARS])
    return math.log1p(sum(len(word) if _IS_WIDE.match(word) else 1 for word in words))


def relative_length(text: str) -> float:
    """Returns the log length minus the language's average log length."""
    usual = [languages()[name][WANTS][MEAN_LENGTH] for name in _learned(text)]
    return log_length(text) - (sum(usual) / len(usual) if usual else _USUAL_LENGTH)


def _is_word(piece: str) -> bool:
    """Returns False for extra features: pairs of characters and marked first words."""
    return not piece.startswith(_FIRST_MARK) and (len(piece) == 1 or not _IS_WIDE.match(piece))


def _pieces(plain: str) -> Iterator[str]:
    for position, word in enumerate(_WORDS.findall(plain)):
        if _IS_WIDE.match(word):
            yield from word
            yield from (left + right for left, right in pairwise(word))
            if position == 0:
                yield _FIRST_MARK + word[:2]
        else:
            full = FULL_FORMS.get(word, word)
            yield full
            if position == 0:
                yield _FIRST_MARK + full


@LoadOnce
def languages() -> Mapping[str, Mapping[str, Weights]]:
    """Returns the weights for each question, by language code."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
    }
