"""How a message is put: do its usual small words ask for a memory, or are they small talk?

Each language has weights of its own for each question, learned from examples in everyday
wording (benchmarks/fit_cue.py). A message in another language says nothing either way.
"""

import json
import math
import re
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path

from ..infra.lru_cache import memoize
from ..text.language import languages_of
from ..text.normal_form import normalised
from ..text.search_terms import FULL_FORMS

# No word and no sign is written so. The bias and the length count by the share of known words.
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
_FIRST = "^"  # marks the word that a message begins with
_USUAL_LENGTH = 2.0  # of messages in languages that were not learned
_LONGEST = 2_000  # letters that are looked at
_KEPT_CHARS = 50_000  # each message is looked at for several questions

QUESTIONS = WANTS, IDLE = "wants", "idle"

Weights = Mapping[str, float]


def cue(text: str) -> float:
    """Returns log odds: above 0 speaks for a memory. A text in an unknown language has 0."""
    return _mean_odds(text, WANTS)


def idle(text: str) -> float:
    """Returns log odds: above 0 speaks for small talk or a mere reaction. 0 where unknown."""
    return _mean_odds(text, IDLE)


def _mean_odds(text: str, question: str) -> float:
    learned = _learned(text)
    if not learned:
        return 0.0
    return sum(cue_in(text, languages()[name][question]) for name in learned) / len(learned)


@memoize(chars=_KEPT_CHARS)
def _learned(text: str) -> list[str]:
    return [it for it in languages_of(text) if it in languages()]


def cue_in(text: str, weights: Weights) -> float:
    """Returns the log odds by the weights of one language for one question."""
    return sum(weights[name] * it for name, it in cue_facts(text, weights).items())


def cue_facts(text: str, known: Container[str]) -> dict[str, float]:
    """Returns the features of a message that have a weight, with their values.

    The bias, the length and the signs count by the share of the message's words that are known,
    the offset always.
    """
    words, signs = cue_features(text)
    own = [it for it in words if _is_word(it)]
    share = sum(it in known for it in own) / max(1, len(own))
    whole = {BIAS: share, LENGTH: share * log_length(text), OFFSET: 1.0}
    found = {it: 1.0 for it in words if it in known}
    return found | whole | {it: share for it in signs if it in known}


@memoize(chars=_KEPT_CHARS)
def cue_features(text: str) -> tuple[set[str], set[str]]:
    """Returns the words, characters and pairs of characters of a message, and its signs."""
    plain = normalised("NFKC", text[:_LONGEST]).casefold().replace("’", "'")  # noqa: RUF001
    return set(_pieces(plain)), {sign for sign, mark in _SIGNS.items() if mark.search(plain)}


@memoize(chars=_KEPT_CHARS)
def log_length(text: str) -> float:
    """Returns log(1 + n), n counting words or, where no blanks are, characters."""
    words = _WORDS.findall(text[:_LONGEST])
    return math.log1p(sum(len(it) if _IS_WIDE.match(it) else 1 for it in words))


def relative_length(text: str) -> float:
    """Returns the log length, less what is usual in the language; 0 is as long as most."""
    usual = [languages()[name][WANTS][MEAN_LENGTH] for name in _learned(text)]
    return log_length(text) - (sum(usual) / len(usual) if usual else _USUAL_LENGTH)


def _is_word(piece: str) -> bool:
    """Pairs of characters and first words are further features of the same words."""
    return not piece.startswith(_FIRST) and (len(piece) == 1 or not _IS_WIDE.match(piece))


def _pieces(plain: str) -> Iterator[str]:
    for place, word in enumerate(_WORDS.findall(plain)):
        if _IS_WIDE.match(word):
            yield from word
            yield from (left + right for left, right in pairwise(word))
            if place == 0:
                yield _FIRST + word[:2]
        else:
            full = FULL_FORMS.get(word, word)
            yield full
            if place == 0:
                yield _FIRST + full


@cache
def languages() -> Mapping[str, Mapping[str, Weights]]:
    """Maps each language that was learned to its weights for each question."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
    }
