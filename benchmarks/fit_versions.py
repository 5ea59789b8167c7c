"""Fits the weights by which a newer version of a fact comes first, and writes them.

Every message of the histories in benchmarks/data/everyday/fitted that wants a memory is asked in a
chat of its own. Each pair of an older and a newer candidate is an example: the newer one should
come first if the message wants it and not the older one. A pair of which the message wants neither
counts less; one of which it wants both does not count. Changed facts are rare in everyday
questions, so the bias is raised until other kinds of messages begin to lose their first memory. All
figures are cross-validated by history. The bonus of value_bonus.py is tried in the same way.

    python benchmarks/fit_versions.py --embedder none --write
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.everyday import Bench
from benchmarks.everyday_data import FITTED, History, read_histories
from benchmarks.product import EMBEDDERS, chosen_embedder
from memory_core.providers.embedders.base import Embedder
from memory_core.recall.fact_versions import BIAS, SIGNS, WEIGHTS, newest_first
from memory_core.recall.gate import Gate, GateDecision
from memory_core.recall.query import Query
from memory_core.recall.results import Candidate, VersionSigns
from memory_core.recall.value_bonus import VALUE

CHANGED = "update"
_NEITHER = 0.3  # weight of a pair of which the message wants neither
_INVERSE_RIDGE = 0.3
_MAX_STEPS = 2000
_FOLDS = 7
_SHIFTS = tuple(0.1 * step for step in range(-4, 17))
_ALLOWED = 0.01  # share of other messages that may lose a wanted first memory
_BONUSES = tuple(0.05 * step for step in range(9))

Weights = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A message and its candidates, best first, each with its index in the history."""

    history: str
    kind: str
    want: frozenset[int]
    candidates: Sequence[Candidate]
    places: Mapping[str, int]

    def wants(self, memory_id: str) -> bool:
        return self.places.get(memory_id) in self.want

    def has_wanted_first(self, ordered: Sequence[Candidate]) -> bool:
        return bool(ordered) and self.wants(ordered[0].memory.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """The signs of a pair, whether the newer memory should pass the older, and its weight."""

    signs: VersionSigns
    passes: bool
    weight: float


class Listening(Gate):
    """An open gate that remembers the last candidates."""

    def __init__(self) -> None:
        self.candidates: Sequence[Candidate] = ()

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        self.candidates = tuple(candidates)
        return GateDecision(kept=tuple(candidates))


def cases(histories: Sequence[History], embedder: Embedder | None) -> Iterator[Case]:
    """Asks every message that wants a memory."""
    with tempfile.TemporaryDirectory() as folder:
        bench, gate = Bench(Path(folder), embedder=embedder), Listening()
        bench.listen(gate)
        try:
            for history in histories:
                for outcome in bench.outcomes(history, in_one_chat=False):
                    if outcome.probe.wants:
                        yield Case(
                            history=history.name,
                            kind=outcome.probe.kind,
                            want=outcome.probe.want,
                            candidates=gate.candidates,
                            places=_places(gate.candidates, history),
                        )
        finally:
            bench.close()


def _places(candidates: Sequence[Candidate], history: History) -> dict[str, int]:
    known = {(said.user, said.assistant): place for place, said in enumerate(history.exchanges)}
    said = {one.memory.id: one.memory.exchange for one in candidates}
    return {name: known[it.user, it.assistant] for name, it in said.items() if it}


def examples(case: Case) -> Iterator[Example]:
    """Yields each pair of which the message does not want both."""
    for newer in case.candidates:
        for older, signs in newer.newer_than.items():
            wanted = case.wants(newer.memory.id), case.wants(older)
            if wanted != (True, True):
                weight = 1.0 if any(wanted) else _NEITHER
                yield Example(signs=signs, passes=wanted[0], weight=weight)


def learned(found: Sequence[Case]) -> Weights:
    """Returns the weights of the signs, and the bias."""
    used = [example for case in found for example in examples(case)]
    rows = np.array([[float(getattr(it.signs, name)) for name in SIGNS] for it in used])
    scale = rows.std(axis=0) + 1e-9
    model = LogisticRegression(C=_INVERSE_RIDGE, max_iter=_MAX_STEPS)
    weights = [example.weight for example in used]
    model.fit(rows / scale, [example.passes for example in used], sample_weight=weights)
    found_weights = dict(zip(SIGNS, (model.coef_[0] / scale).tolist(), strict=True))
    return found_weights | {BIAS: float(model.intercept_[0])}


def first_by(case: Case, weights: Weights) -> bool:
    """Returns whether a wanted memory is first in the order by these weights."""
    return case.has_wanted_first(newest_first(case.candidates, weights))


def shifted(weights: Weights, shift: float) -> Weights:
    return {**weights, BIAS: weights[BIAS] + shift}


def _folds(found: Sequence[Case]) -> Iterator[tuple[list[Case], list[Case]]]:
    """Yields the training cases, and those of the histories that were left out."""
    histories = sorted({case.history for case in found})
    for fold in range(_FOLDS):
        mine = frozenset(histories[fold::_FOLDS])
        yield (
            [case for case in found if case.history not in mine],
            [case for case in found if case.history in mine],
        )


def cross_validated(found: Sequence[Case]) -> NDArray[np.bool_]:
    """Returns whether a wanted memory is first, shape (shifts, cases), in folds."""
    columns = []
    for teaching, left_out in _folds(found):
        weights = learned(teaching)
        columns += [
            [first_by(case, shifted(weights, shift)) for shift in _SHIFTS] for case in left_out
        ]
    return np.array(columns).T


def _in_folds(found: Sequence[Case]) -> list[Case]:
    return [case for _, left_out in _folds(found) for case in left_out]


def best_shift(found: Sequence[Case]) -> float:
    """Prints the cross-validated figures and returns the shift that puts most changed facts first.

    At most _ALLOWED of the other messages may lose the memory that is first without this step. If
    more do with every shift, it is the lowest one.
    """
    tried, ordered = cross_validated(found), _in_folds(found)
    changed = np.array([case.kind == CHANGED for case in ordered])
    unsorted = np.array([case.has_wanted_first(case.candidates) for case in ordered])
    least = unsorted[~changed].mean() - _ALLOWED
    print(f"no versions: changed {unsorted[changed].mean():.3f}, others {least + _ALLOWED:.3f}")
    shares = [(row[changed].mean(), row[~changed].mean()) for row in tried]
    for shift, (of_changed, of_others) in zip(_SHIFTS, shares, strict=True):
        print(f"  bias {shift:+.1f}: changed {of_changed:.3f}, others {of_others:.3f}")
    harmless = [index for index, (_, others) in enumerate(shares) if others >= least]
    best = max(harmless, key=lambda index: (shares[index][0], shares[index][1]), default=0)
    print(f"chosen: {_SHIFTS[best]:+.1f}")
    return _SHIFTS[best]


def tell_bonuses(found: Sequence[Case]) -> None:
    """Prints the share of messages with a wanted memory first for each bonus of asked values."""
    asked = [case for case in found if any(VALUE in one.parts for one in case.candidates)]
    for bonus in _BONUSES:
        first = [case.has_wanted_first(_with_bonus(case.candidates, bonus)) for case in asked]
        print(f"bonus {bonus:.2f}: {np.mean(first):.3f} of {len(asked)} that ask for a value")


def _with_bonus(candidates: Sequence[Candidate], bonus: float) -> list[Candidate]:
    again = [
        replace(one, score=one.score - one.parts[VALUE] + bonus) if VALUE in one.parts else one
        for one in candidates
    ]
    return sorted(again, key=lambda one: -one.score)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--embedder", default="none", help=EMBEDDERS)
    parser.add_argument("--write", action="store_true", help=f"write into {WEIGHTS.name}")
    asked = parser.parse_args()
    found = list(cases(read_histories(FITTED), chosen_embedder(asked.embedder)))
    tell_bonuses(found)
    weights = shifted(learned(found), best_shift(found))
    rounded = {name: round(value, 3) for name, value in weights.items()}
    print(rounded)
    if asked.write:
        WEIGHTS.write_text(json.dumps(rounded, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
