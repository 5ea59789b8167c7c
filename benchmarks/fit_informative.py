"""Learns to tell from its vector whether what a user said informs.

Positive examples are what users said in the exchanges that messages of the fitted histories want,
except for those wanted for the character's answer, and the short facts of
benchmarks/data/short_facts, as people seldom write as densely as those histories. Negative ones are
the messages that want nothing of the same histories, and those of benchmarks/data/wording: small
talk, reactions, instructions and questions about the world. The printed figures are of histories
that were not learned. --write replaces the weights that recall uses.

    pip install -e .[fit] && python benchmarks/fit_informative.py --write
"""

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.everyday_data import DATA, FITTED, HELD_OUT, History, read_histories
from benchmarks.fit_cue import DATA as WORDING
from benchmarks.fit_cue import examples
from benchmarks.product import chosen_embedder
from memory_core.providers.embedders.base import Embedder, Vectors
from memory_core.recall.cue import WANTS
from memory_core.recall.informative import WEIGHTS

FACTS = Path(__file__).resolve().parent / "data" / "short_facts"
_INVERSE_RIDGE = 0.3
_MAX_STEPS = 3000
_BATCH = 256
_FOR_THE_ANSWER = "assistant_said"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What users said: in wanted exchanges, in messages that want nothing, in other exchanges."""

    informing: Sequence[str]
    idle: Sequence[str]
    other: Sequence[str]


def said_in(histories: Iterable[History]) -> Said:
    informing, idle, other = dict[str, None](), dict[str, None](), dict[str, None]()
    for history in histories:
        wanted, for_the_answer = set[int](), set[int]()
        for probe in history.probes:
            (for_the_answer if probe.kind == _FOR_THE_ANSWER else wanted).update(probe.want)
            if not probe.wants:
                idle[probe.text] = None
        for index, exchange in enumerate(history.exchanges):
            if exchange.user and index in wanted:
                informing[exchange.user] = None
            elif exchange.user and index not in for_the_answer:
                other[exchange.user] = None
    return Said(informing=list(informing), idle=list(idle), other=list(other))


def embedded(texts: Sequence[str], embedder: Embedder) -> Vectors:
    starts = range(0, len(texts), _BATCH)
    return np.vstack([embedder.embed(texts[start : start + _BATCH]) for start in starts])


def learned(embedder: Embedder) -> LogisticRegression:
    said = said_in(read_histories(FITTED))
    wording = [entry for path in sorted(WORDING.glob("*.tsv")) for entry in examples(path, WANTS)]
    idle = [*said.idle, *(entry.text for entry in wording if not entry.is_one)]
    facts = [line for path in sorted(FACTS.glob("*.txt")) for line in _lines(path)]
    informing = [*said.informing, *facts]
    labels = np.repeat([True, False], [len(informing), len(idle)])
    model = LogisticRegression(C=_INVERSE_RIDGE, class_weight="balanced", max_iter=_MAX_STEPS)
    return model.fit(embedded([*informing, *idle], embedder), labels)


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def print_auc(model: LogisticRegression, embedder: Embedder) -> None:
    """Prints how well each set of histories that was not learned is told apart."""
    for folder in sorted(set(filter(Path.is_dir, DATA.iterdir())) - {FITTED, HELD_OUT}):
        said = said_in(read_histories(folder))
        sides = (said.informing, said.idle, said.other)
        informing, idle, other = (model.decision_function(embedded(x, embedder)) for x in sides)
        print(f"{folder.name:16}", end="")
        for name, negative in (("want nothing", idle), ("other exchanges", other)):
            labels = np.repeat([True, False], [len(informing), len(negative)])
            auc = roc_auc_score(labels, np.concatenate((informing, negative)))
            print(f"  AUC against {name}: {auc:.3f}", end="")
        print()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {WEIGHTS.name}")
    asked = parser.parse_args()
    embedder = chosen_embedder("built-in")
    assert embedder is not None
    model = learned(embedder)
    print_auc(model, embedder)
    if asked.write:
        stored = {
            "model": embedder.fingerprint,
            "offset": round(float(model.intercept_[0]), 3),
            "weights": [round(float(weight), 3) for weight in model.coef_[0]],
        }
        WEIGHTS.write_text(json.dumps(stored) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
