"""Learns from examples to tell messages that need a memory from small talk.

Each language is learned separately, from the examples of benchmarks/data/wording, each unchanged
and as many people type it: in lower case, without apostrophes and the final sign. To make the
results comparable between languages, a second regression over unseen examples scales the weights,
and the mean length of a message is stored beside them. --write replaces the weights that recall
uses.

    pip install -e .[fit] && python benchmarks/fit_cue.py --write
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from memory_core.recall.cue import (
    FOLDER,
    LENGTH,
    MEAN_LENGTH,
    OFFSET,
    QUESTIONS,
    SPECIAL,
    WANTS,
    cue_features,
    log_length,
)

DATA = Path(__file__).resolve().parent / "data" / "wording"
_MIN_OCCURRENCES = 2
_MIN_WEIGHT = 0.05  # smaller ones say nothing, and are left out
_INVERSE_RIDGE = 0.25
_FOLDS = 5
_MAX_STEPS = 1000
_IDLE_KINDS = frozenset(
    (
        *("smalltalk", "reaction", "greeting", "farewell", "laughter", "thanks", "filler"),
        *("generic mood", "small remark", "compliment/insult", "agreement/refusal"),
        "companion now",
    )
)
_LEFT_OUT = re.compile("['’]|[\\s.?!。？！]+$")  # noqa: RUF001

Weights = dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A message and its label: true if it is of the kind to detect."""

    text: str
    is_one: bool


def cue_values(text: str, known: Container[str]) -> dict[str, float]:
    """Returns the values of those features of a message that have a weight."""
    pieces, signs = cue_features(text)
    found = {piece: 1.0 for piece in pieces | signs if piece in known}
    return found | {LENGTH: log_length(text), OFFSET: 1.0}


def examples(path: Path, question: str) -> list[Example]:
    """Reads a file of lines: label, kind and text, separated by tabs."""
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines)
    return [
        Example(text=text, is_one=_answer(question, label == "1", kind))
        for label, kind, text in rows
    ]


def _answer(question: str, wants: bool, kind: str) -> bool:
    return wants if question == WANTS else not wants and kind in _IDLE_KINDS


def ways(text: str) -> tuple[str, str]:
    """Returns the text unchanged, and as many people type it."""
    return text, _LEFT_OUT.sub("", text.lower()) or text


def learned(found: Sequence[Example]) -> Weights:
    """Returns a weight for every feature that occurs in more than one example."""
    often = Counter(chain.from_iterable(chain(*cue_features(entry.text)) for entry in found))
    known = frozenset(it for it, times in often.items() if times >= _MIN_OCCURRENCES) | SPECIAL
    texts = [text for entry in found for text in ways(entry.text)]
    labels = [entry.is_one for entry in found for _ in ways(entry.text)]
    table = DictVectorizer()
    rows = table.fit_transform([cue_values(text, known) for text in texts])
    scale = _rarity(rows, table.feature_names_)
    model = LogisticRegression(
        C=_INVERSE_RIDGE, class_weight="balanced", fit_intercept=False, max_iter=_MAX_STEPS
    ).fit(rows.multiply(scale).tocsr(), labels)
    weights = model.coef_[0] * scale
    return dict(zip(table.feature_names_, weights.tolist(), strict=True))


def _rarity(rows: Any, names: Sequence[str]) -> NDArray[np.float64]:  # noqa: ANN401  (a scipy matrix)
    """Returns the inverse document frequency of each feature, divided by their mean.

    So the penalty on large weights holds back rare features less: most of what a statement says
    is in rare words. SPECIAL features keep 1.
    """
    messages, frequency = rows.shape[0], np.asarray((rows > 0).sum(axis=0)).ravel()
    inverse = np.log((1 + messages) / (1 + frequency)) + 1.0
    scale = inverse / inverse.mean()
    return np.where([name in SPECIAL for name in names], 1.0, scale)


def calibrated(found: Sequence[Example]) -> Weights:
    """Scales the weights so that they give the log odds of unseen examples."""
    shuffled = np.random.default_rng(0).permutation(len(found)).tolist()
    odds, labels = [], []
    for fold in range(_FOLDS):
        own = frozenset(shuffled[fold::_FOLDS])
        weights = learned([it for index, it in enumerate(found) if index not in own])
        for index in own:
            for text in ways(found[index].text):
                odds.append([odds_of(text, weights)])
                labels.append(found[index].is_one)
    second = LogisticRegression(C=np.inf, class_weight="balanced").fit(np.array(odds), labels)
    scale, offset = float(second.coef_[0][0]), float(second.intercept_[0])
    right = second.score(np.array(odds), labels)
    print(f"  scale {scale:.2f}, offset {offset:.2f}, right {right:.3f}")
    weights = {name: scale * it for name, it in learned(found).items()}
    mean = fmean(log_length(entry.text) for entry in found)
    return weights | {OFFSET: weights.get(OFFSET, 0.0) + offset, MEAN_LENGTH: mean}


def odds_of(text: str, weights: Mapping[str, float]) -> float:
    """Returns the log odds by unscaled weights."""
    return sum(weights[name] * it for name, it in cue_values(text, weights).items())


def _rounded(weights: Mapping[str, float]) -> dict[str, Any]:
    rounded = {name: round(it, 2) for name, it in sorted(weights.items())}
    return {name: it for name, it in rounded.items() if _counts(it) or name in SPECIAL}


def _counts(weight: float) -> bool:
    return abs(weight) >= _MIN_WEIGHT


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write into {FOLDER.name}")
    asked = parser.parse_args()
    for path in sorted(DATA.glob("*.tsv")):
        weights = {}
        for question in QUESTIONS:
            found = examples(path, question)
            print(f"{path.stem}, {question}: {len(found)} examples")
            weights[question] = _rounded(calibrated(found))
        if asked.write:
            text = json.dumps(weights, ensure_ascii=False, indent=0)
            (FOLDER / f"{path.stem}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
