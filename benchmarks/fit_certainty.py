"""Fits recall's certainty that a message needs a memory, and writes the weights.

Every message of the histories in benchmarks/data/everyday/fitted is asked three times: in a chat of
its own, in one chat with the others, and in a memory that also has the other histories of its
language. A message whose wanted memory is not among the first eight candidates is left out. The
similarity counts as far as the embedder knows the language, so that all languages contribute to the
other weights. The printed figures are cross-validated by history; the bias is set so that _ALLOWED
of the small talk and reactions reach the default of `recall.min_need`.

    python benchmarks/fit_certainty.py --embedder none --write
    python benchmarks/fit_certainty.py --embedder built-in --write
    .venv-minilm/bin/python benchmarks/fit_certainty.py --embedder minilm --write  # any other model
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.everyday import Bench
from benchmarks.everyday_data import FITTED, History, read_histories
from benchmarks.everyday_report import ROOM
from benchmarks.product import EMBEDDERS, chosen_embedder
from memory_core.config.schema import RecallSettings
from memory_core.providers.embedders.base import Embedder
from memory_core.recall.certainty import (
    BIAS,
    BUILT_IN,
    WEIGHTS,
    WITH_MEANING,
    WORDS_ALONE,
    features,
)
from memory_core.recall.gate import Gate, GateDecision
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate

_OF_MEANING, _OF_WORDING = ("near", "near_lead"), ("agreed_by_meaning",)
_LEFT_OUT = {WORDS_ALONE: (*_OF_MEANING, *_OF_WORDING), WITH_MEANING: _OF_WORDING, BUILT_IN: ()}
_IDLE = ("none_smalltalk", "none_reaction")
_OTHER_SHARE = 0.3  # a needless memory does less harm beside a task than beside small talk
_ALLOWED = 0.05  # share of small talk that may reach few lines
_TRUSTED = 0.5  # below this trust, the weights of words alone decide
_FOLDS = 6
_INVERSE_RIDGE = 0.3
_MAX_STEPS = 1000

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One message with its features; `rank` is that of the first wanted memory, None if missing."""

    history: str
    kind: str
    wants: bool
    rank: int | None
    trust: float
    told: Mapping[str, float]

    @property
    def teaches(self) -> bool:
        return not self.wants or (self.rank is not None and self.rank < ROOM)


class Listening(Gate):
    """An open gate that remembers the last query."""

    def __init__(self) -> None:
        self.told: Mapping[str, float] = {}
        self.trust = 0.0

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        assert query.need_features is not None
        found = features(query, query.need_features, candidates)
        self.trust = query.need_features.trust
        self.told = found | {name: self.trust * found[name] for name in _OF_MEANING}
        return GateDecision(kept=tuple(candidates))


def cases(folder: Path, embedder: Embedder | None) -> Iterator[Case]:
    """Asks every message of the histories in this folder in the three ways."""
    histories = read_histories(folder)
    yield from _asked_of(histories, embedder, in_one_chat=False)
    yield from _asked_of(histories, embedder, in_one_chat=True)
    yield from _asked_of(read_histories(folder, [folder]), embedder, in_one_chat=False)


def _asked_of(
    histories: Sequence[History], embedder: Embedder | None, *, in_one_chat: bool
) -> Iterator[Case]:
    with tempfile.TemporaryDirectory() as folder:
        bench, gate = Bench(Path(folder), embedder=embedder), Listening()
        bench.listen(gate)
        try:
            for history in histories:
                for outcome in bench.outcomes(history, in_one_chat=in_one_chat):
                    ranks = [
                        rank
                        for rank, place in enumerate(outcome.open_first)
                        if place in outcome.probe.want
                    ]
                    yield Case(
                        history=history.name,
                        kind=outcome.probe.kind,
                        wants=outcome.probe.wants,
                        rank=min(ranks, default=None),
                        trust=gate.trust,
                        told=gate.told,
                    )
        finally:
            bench.close()


def learned(found: Sequence[Case], names: Sequence[str]) -> Matrix:
    """Returns the weights of these features, and last the bias. Both labels count equally."""
    used = [entry for entry in found if entry.teaches]
    rows = _rows(used, names)
    scale = rows.std(axis=0) + 1e-9
    model = LogisticRegression(C=_INVERSE_RIDGE, class_weight="balanced", max_iter=_MAX_STEPS)
    counts = [1.0 if example.wants or example.kind in _IDLE else _OTHER_SHARE for example in used]
    model.fit(rows / scale, [example.wants for example in used], sample_weight=counts)
    return np.append(model.coef_[0] / scale, model.intercept_)


def _rows(found: Sequence[Case], names: Sequence[str]) -> Matrix:
    return np.array([[entry.told[name] for name in names] for entry in found])


def cross_validated(found: Sequence[Case], names: Sequence[str]) -> Matrix:
    """Returns the log odds of every case by weights that did not see its history."""
    histories = sorted({entry.history for entry in found})
    odds = np.zeros(len(found))
    for fold in range(_FOLDS):
        mine = frozenset(histories[fold::_FOLDS])
        weights = learned([entry for entry in found if entry.history not in mine], names)
        own = [index for index, it in enumerate(found) if it.history in mine]
        odds[own] = _rows([found[index] for index in own], names) @ weights[:-1] + weights[-1]
    return odds


def _tell(found: Sequence[Case], odds: Matrix, least: float) -> None:
    for kind in sorted({entry.kind for entry in found}):
        own = np.array([odd for it, odd in zip(found, odds, strict=True) if it.kind == kind])
        passed = (own >= np.log(least / (1.0 - least))).mean()
        print(f"  {kind}: {len(own)} messages, {passed:.3f} reach {least}")


def fitted(found: Sequence[Case], kind: str) -> dict[str, float]:
    """Prints the cross-validated figures and returns the weights of all cases."""
    names = [name for name in found[0].told if name not in _LEFT_OUT[kind]]
    least = RecallSettings().min_need
    odds = cross_validated(found, names)
    if kind != WORDS_ALONE:
        trusted = [index for index, it in enumerate(found) if it.trust >= _TRUSTED]
        odds, of_these = odds[trusted], [found[index] for index in trusted]
    else:
        of_these = found
    idle = [odd for it, odd in zip(of_these, odds, strict=True) if it.kind in _IDLE]
    shift = float(np.log(least / (1.0 - least)) - np.quantile(idle, 1.0 - _ALLOWED))
    _tell(of_these, odds + shift, least)
    weights = learned(found, names)
    weights[-1] += shift
    return {name: round(float(it), 3) for name, it in zip([*names, BIAS], weights, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--write", action="store_true", help=f"write into {WEIGHTS.name}")
    asked = parser.parse_args()
    embedder = chosen_embedder(asked.embedder)
    found = list(cases(FITTED, embedder))
    kind = WORDS_ALONE
    if embedder is not None:
        kind = BUILT_IN if any(entry.told[_OF_WORDING[0]] for entry in found) else WITH_MEANING
    told = fitted(found, kind)
    print(told)
    if asked.write:
        weights = json.loads(WEIGHTS.read_text(encoding="utf-8"))
        weights[kind] = told
        WEIGHTS.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
