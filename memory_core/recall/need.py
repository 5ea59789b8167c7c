"""Whether a message wants a memory at all: half of all messages do not.

Small talk is told from what asks for the past by two kinds of evidence: how the message is put
(which of the usual small words it has, learned from examples of our own writing) and what the
memory makes of it (how much of it is found, and how rare that is). Both are weighed by a logistic
regression; need.json holds its weights, benchmarks/fit_need.py makes them. The embedder has no
say: how near the nearest turn lies told small talk from questions no better (docs/recall.md).
"""

import json
import math
import re
import unicodedata
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from ..terms import FULL_FORMS

BIAS, LENGTH = "#", "##"  # no word and no sign is written so
_WORDS = re.compile(r"[^\W\d_\u3400-\u9fff]+(?:'[^\W\d_\u3400-\u9fff]+)?|[\u3400-\u9fff]+")
_SIGNS = {
    "?": re.compile("[?？]"),  # noqa: RUF001
    "!": re.compile("[!！]"),  # noqa: RUF001
    "*": re.compile("[*（(]"),  # noqa: RUF001
    ".": re.compile(r"[.。][\"'”’」』）)\s]*$"),  # noqa: RUF001
}
_AMOUNTS = {"found": math.inf, "known": 6.0, "unknown": 6.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the memory makes of a message. `found`: the words that its best exchange answers, in
    rare words; `share`: of all its words; `known`: the weight of those that any memory holds, and
    `unknown` how many none does; `rare`: only few memories hold one of them; `proper`: one of them
    is written as a name is; `asks_back`: it names a time that is over; `named`: it speaks of one
    of the two by name.
    """

    share: float
    found: float
    known: float
    unknown: int
    rare: bool = False
    proper: bool = False
    asks_back: bool = False
    named: bool = False


def need(text: str, evidence: Evidence) -> float:
    """How likely it is that a memory helps with this message, 0 … 1."""
    weights = _weights()["evidence"]
    told = facts(text, evidence).items()
    return _logistic(weights["bias"] + sum(weights[name] * it for name, it in told))


def facts(text: str, evidence: Evidence) -> dict[str, float]:
    """What is weighed, by name; of amounts the root, and words of no more than a long sentence:
    a tenth says less than a first, and a question below a pasted text is still one.
    """
    told = {name: float(it) for name, it in asdict(evidence).items()}
    roots = {name: math.sqrt(min(told[name], most)) for name, most in _AMOUNTS.items()}
    return {"cue": cue(text)} | told | roots


def cue(text: str) -> float:
    """What the way it is put says, as log odds; above 0 speaks for a memory.

    Only English and Chinese were learned: what has none of their words says nothing either way.
    """
    weights = _weights()["cue"]
    return sum(weights[name] * it for name, it in cue_facts(text, weights).items())


def cue_facts(text: str, known: Container[str]) -> dict[str, float]:
    """What is weighed, by name: the known words, and by the share of these the signs, the length
    and that it is a message at all.
    """
    words, signs = cue_features(text)
    share = _known_share(words, known)
    whole = {BIAS: share, LENGTH: share * math.log1p(cue_length(text))}
    return (
        {it: 1.0 for it in words if it in known}
        | whole
        | {it: share for it in signs if it in known}
    )


def cue_features(text: str) -> tuple[set[str], set[str]]:
    """The words, Chinese characters and pairs of these; and the signs that a message has."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")  # noqa: RUF001
    return set(_pieces(plain)), {sign for sign, mark in _SIGNS.items() if mark.search(plain)}


def _known_share(words: Collection[str], known: Container[str]) -> float:
    """Pairs of characters do not count: few of them were learned."""
    own = [it for it in words if len(it) == 1 or not _is_han(it)]
    return sum(it in known for it in own) / max(1, len(own))


def cue_length(text: str) -> int:
    """In words; a Chinese character is one."""
    return sum(len(it) if _is_han(it) else 1 for it in _WORDS.findall(text))


def _pieces(plain: str) -> Iterator[str]:
    for word in _WORDS.findall(plain):
        if _is_han(word):
            yield from word
            yield from (left + right for left, right in pairwise(word))
        else:
            yield FULL_FORMS.get(word, word)


def _is_han(word: str) -> bool:
    return "\u3400" <= word[0] <= "\u9fff"


def _logistic(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, odds))))


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    told: dict[str, Any] = json.loads(
        Path(__file__).with_name("need.json").read_text(encoding="utf-8")
    )
    cue = told["cue"]
    return told | {"cue": {**cue["words"], BIAS: cue["bias"], LENGTH: cue["length"]}}
