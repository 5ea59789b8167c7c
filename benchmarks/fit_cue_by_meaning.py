"""Learns to tell from the vector of a message whether it needs a memory.

The built-in embedding model places messages of all its languages in one space, so what is learned
from the examples of benchmarks/data/wording holds in its other languages, too. Each language of the
examples is left out once: a second regression over the messages left out scales the weights, and
the printed figures are theirs. The usual length of a message in each further language is estimated
from the sentences that measure an embedder. --write replaces the weights that recall uses.

    pip install -e .[fit] && python benchmarks/fit_cue_by_meaning.py --write
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.fit_cue import DATA, examples
from benchmarks.product import chosen_embedder
from memory_core.providers.embedders.base import Embedder, Vectors
from memory_core.recall.cue import MEAN_LENGTH, QUESTIONS, WANTS, languages, log_length
from memory_core.recall.cue_by_meaning import WEIGHTS
from memory_core.recall.languages import all_probes

_INVERSE_RIDGE = 1.0
_MAX_STEPS = 2000
_TOLERANCE = 1e-3
_BATCH = 256

Labels = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The messages of one language: unit vectors, shape (n, dim), and labels by question."""

    vectors: Vectors
    labels: Mapping[str, Labels]


def read_messages(path: Path, embedder: Embedder) -> Messages:
    asked = {question: examples(path, question) for question in QUESTIONS}
    texts = [entry.text for entry in asked[WANTS]]
    batches = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    return Messages(
        vectors=np.vstack([embedder.embed(batch) for batch in batches]),
        labels={
            question: np.array([entry.is_one for entry in found])
            for question, found in asked.items()
        },
    )


def learned(found: Sequence[Messages], question: str) -> LogisticRegression:
    vectors = np.vstack([one.vectors for one in found])
    labels = np.concatenate([one.labels[question] for one in found])
    model = LogisticRegression(
        C=_INVERSE_RIDGE, class_weight="balanced", max_iter=_MAX_STEPS, tol=_TOLERANCE
    )
    return model.fit(vectors, labels)


def calibrated(found: Mapping[str, Messages], question: str) -> dict[str, Any]:
    """Scales the weights so that they give the log odds of messages in an unseen language."""
    odds = {
        code: learned(
            [one for other, one in found.items() if other != code], question
        ).decision_function(mine.vectors)
        for code, mine in found.items()
    }
    for code, values in odds.items():
        print(f"  {code}: AUC {roc_auc_score(found[code].labels[question], values):.3f}")
    labels = np.concatenate([found[code].labels[question] for code in odds])
    rows = np.concatenate(list(odds.values()))[:, None]
    second = LogisticRegression(C=np.inf, class_weight="balanced").fit(rows, labels)
    scale, offset = float(second.coef_[0][0]), float(second.intercept_[0])
    print(f"  scale {scale:.2f}, offset {offset:.2f}, right {second.score(rows, labels):.3f}")
    model = learned(list(found.values()), question)
    return {
        "offset": round(scale * float(model.intercept_[0]) + offset, 3),
        "weights": [round(scale * float(weight), 3) for weight in model.coef_[0]],
    }


def usual_lengths() -> dict[str, float]:
    """Returns the mean log length of a message in each language without examples."""
    of_probes = {
        code: fmean(log_length(text) for pair in probes.pairs for text in pair)
        for code, probes in all_probes().items()
    }
    known = languages()
    shift = fmean(known[code][WANTS][MEAN_LENGTH] - of_probes[code] for code in known)
    return {
        code: round(length + shift, 2) for code, length in of_probes.items() if code not in known
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    asked = parser.parse_args()
    embedder = chosen_embedder("built-in")
    assert embedder is not None
    found = {path.stem: read_messages(path, embedder) for path in sorted(DATA.glob("*.tsv"))}
    weights: dict[str, Any] = {"model": embedder.fingerprint, "lengths": usual_lengths()}
    for question in QUESTIONS:
        print(question)
        weights[question] = calibrated(found, question)
    if asked.write:
        WEIGHTS.write_text(json.dumps(weights) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
