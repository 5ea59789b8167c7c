"""Learns when a message wants a memory, and writes the weights that the gate uses (need.json).

First how messages are put, from examples of our own writing in benchmarks/data/need. Then how much
that counts beside what a memory makes of the message: the examples that want nothing, and further
questions, are asked of the two histories in benchmarks/data, and of conversations in LoCoMo's
format where --data names any, through the product's own recall. What was learned from an example
is not used to judge it: its cue comes from the other nine tenths. Logistic regressions with a
ridge, by Newton's method.

    python benchmarks/fit_need.py --data locomo_dev.json --write

Wanted are the questions of a history, and those that go on from what was just said (chat_turns.py);
what wants nothing is said in the middle of a chat. Neither the small talk nor the questions of our
own that the benchmarks ask are seen here.
"""

import argparse
import json
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.chat_turns import IN_CONTEXT, chat_turns
from benchmarks.locomo import Conversation, Question, conversation_of, read_conversations
from benchmarks.product import Product
from benchmarks.recall import figures, ranking_settings
from memory_core.recall.gate import Gate, Verdict
from memory_core.recall.need import BIAS, LENGTH, Evidence, cue_facts, cue_features, facts
from memory_core.recall.query import Query
from memory_core.records import Candidate

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
TARGET = HERE.parent / "memory_core" / "recall" / "need.json"
LANGUAGES = ("en", "zh")
OWN = "own"
_LEAST_OFTEN = 4
_FOLDS = 10
_CALLS = 5  # every so many
_RIDGE_CUE, _RIDGE_FACTS = 15.0, 0.1
_ALLOWED = 0.11  # of the messages that want nothing, most of them written to be hard

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    text: str
    wants: bool
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A message with what one memory makes of it; `worth` is what a closed gate would lose."""

    group: str
    text: str
    wants: bool
    worth: float
    evidence: Evidence


class Listening(Gate):
    """An open gate that remembers what it was asked last."""

    def __init__(self) -> None:
        self._heard: list[tuple[str, Evidence]] = []

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> Verdict:
        self._heard = [(query.text, query.evidence)] if query.evidence else []
        return Verdict(kept=tuple(candidates))

    def heard(self) -> tuple[str, Evidence]:
        return self._heard[0]


def logistic(rows: Matrix, wants: Matrix, weights: Matrix, ridge: float) -> Matrix:
    """Weights, of which the last, the bias, is not held down."""
    held = np.diag([ridge] * (rows.shape[1] - 1) + [1e-6])
    found = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weights * (chance - wants)) + held @ found
        curve = (rows * (weights * chance * (1.0 - chance))[:, None]).T @ rows + held
        step = np.linalg.solve(curve, slope)
        found = found - step
        if np.abs(step).max() < 1e-6:
            break
    return np.asarray(found)


class CueModel:
    """How messages are put: what enough examples have, each example as it is and as typed."""

    def __init__(self, examples: Sequence[Example]) -> None:
        often = Counter(chain.from_iterable(chain(*cue_features(it.text)) for it in examples))
        known = sorted(it for it, times in often.items() if times >= _LEAST_OFTEN)
        self.column = {it: at for at, it in enumerate([*known, LENGTH, BIAS])}
        texts = [text for it in examples for text in ways(it.text)]
        wants = np.array([float(it.wants) for it in examples for _ in ways(it.text)])
        even = np.where(wants > 0, 0.25 / wants.mean(), 0.25 / (1.0 - wants.mean()))
        self.found = logistic(self.rows(texts), wants, even, _RIDGE_CUE)

    def rows(self, texts: Sequence[str]) -> Matrix:
        table = np.zeros((len(texts), len(self.column)))
        for at, text in enumerate(texts):
            for name, it in cue_facts(text, self.column).items():
                table[at, self.column[name]] = it
        return table

    def cues(self, texts: Sequence[str]) -> list[float]:
        return list(self.rows(texts) @ self.found)

    def told(self) -> dict[str, Any]:
        weights = {it: round(float(self.found[at]), 3) for it, at in self.column.items()}
        bias, length = weights.pop(BIAS), weights.pop(LENGTH)
        words = {it: weight for it, weight in weights.items() if weight}
        return {"bias": bias, "length": length, "words": words}


def ways(text: str) -> tuple[str, str]:
    """As it is, and as many type: in small letters, without apostrophes and the final sign."""
    return text, _LEFT_OUT.sub("", text.lower()) or text


_LEFT_OUT = re.compile("['’]|[\\s.?!。？！]+$")  # noqa: RUF001


def held_out_cues(examples: Sequence[Example]) -> dict[str, float]:
    """Each example's cue by a model that did not see it."""
    shuffled = np.random.default_rng(0).permutation(len(examples))
    found: dict[str, float] = {}
    for fold in range(_FOLDS):
        mine = {int(it) for it in shuffled[fold::_FOLDS]}
        model = CueModel([it for at, it in enumerate(examples) if at not in mine])
        texts = [text for at in mine for text in ways(examples[at].text)]
        found |= dict(zip(texts, model.cues(texts), strict=True))
    return found


def cases(product: Product, data: Sequence[Path], examples: Sequence[Example]) -> Iterator[Case]:
    listening = Listening()
    product.listen(listening)
    for group, language, conversation in _histories(data):
        places = product.tell(conversation)
        for question in chain.from_iterable(map(_both_ways, _wanting(conversation))):
            worth = figures(question, product.put(conversation, question), places)["recall@10"]
            yield _case(f"{group} wants", listening.heard(), worth)
        idle = [it.text for it in examples if it.language == language and not it.wants]
        idle = [ways(text)[at % 2] for at, text in enumerate(idle)]
        for at, text in enumerate(idle):
            # Where questions speak of the two by name, small talk has to call them by it as well.
            calls = not group.startswith(OWN) and at % _CALLS == 0
            said = f"{text} {conversation.speakers[1]}" if calls else text
            product.put(conversation, _in_the_chat(conversation, said))
            yield replace(_case(f"{group} wants nothing", listening.heard(), None), text=text)


def _wanting(conversation: Conversation) -> Iterator[Question]:
    yield from conversation.questions
    yield from conversation.chat_turns
    yield from (it for it in chat_turns(conversation) if it.category == IN_CONTEXT)


def _both_ways(question: Question) -> Iterator[Question]:
    return (replace(question, text=text) for text in ways(question.text))


def _in_the_chat(conversation: Conversation, text: str) -> Question:
    """After any of its exchanges."""
    before = random.Random(text).choice(list(conversation.exchanges.values()))
    return Question(text=text, category="", evidence=()).after(before)


def _case(group: str, heard: tuple[str, Evidence], worth: float | None) -> Case:
    text, evidence = heard
    return Case(
        group=group, text=text, wants=worth is not None, worth=worth or 0.0, evidence=evidence
    )


def _histories(data: Sequence[Path]) -> Iterator[tuple[str, str, Conversation]]:
    for language in LANGUAGES:
        (history,) = _read(DATA / f"companion_{language}.json")
        (asked,) = _read(DATA / "need" / f"asked_{language}.json")
        yield f"{OWN} {language}", language, conversation_of(history | asked)
    for path in data:
        for conversation in read_conversations(path):
            yield path.stem, "en", conversation


def _read(path: Path) -> Any:  # noqa: ANN401
    return json.loads(path.read_text(encoding="utf-8"))


def fitted(found: Sequence[Case], cues: Mapping[str, float]) -> dict[str, float]:
    """Every group counts the same; the bias is set so that _ALLOWED of those that want nothing
    pass, in the mean over groups. What recall would not have found anyway teaches nothing.
    """
    used = [it for it in found if not it.wants or it.worth > 0]
    names = list(_facts(used[0], cues))
    sizes = Counter(it.group for it in used)
    rows = np.array([_row(it, cues) for it in used])
    even = np.array([len(used) / len(sizes) / sizes[it.group] for it in used])
    wants = np.array([float(it.wants) for it in used])
    ones = np.ones((len(rows), 1))
    learned = logistic(np.hstack([rows, ones]), wants, even, _RIDGE_FACTS)[:-1]
    groups = np.array([it.group for it in used])
    idle = sorted({it.group for it in used if not it.wants})
    limits = [np.quantile((rows @ learned)[groups == it], 1 - _ALLOWED) for it in idle]
    bias = -float(np.mean(limits))
    _tell(found, np.array([_row(it, cues) for it in found]) @ learned + bias)
    named = {name: round(float(it), 3) for name, it in zip(names, learned, strict=True)}
    return {"bias": round(bias, 3)} | named


def _facts(case: Case, cues: Mapping[str, float]) -> dict[str, float]:
    return facts(case.text, case.evidence) | {"cue": cues[case.text]}


def _row(case: Case, cues: Mapping[str, float]) -> list[float]:
    return list(_facts(case, cues).values())


def _tell(found: Sequence[Case], odds: Matrix) -> None:
    for group in dict.fromkeys(it.group for it in found):
        own = [(it, odd) for it, odd in zip(found, odds, strict=True) if it.group == group]
        passed = sum(odd >= 0 for _, odd in own) / len(own)
        lost = sum(it.worth for it, odd in own if odd < 0) / len(own)
        print(f"  {group}: {len(own)} messages, {passed:.3f} pass, {lost:.3f} of recall@10 lost")


def _examples() -> list[Example]:
    return [
        Example(text=it["text"], wants=it["needs"], language=language)
        for language in LANGUAGES
        for it in _read(DATA / "need" / f"examples_{language}.json")
    ]


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="in LoCoMo's format")
    parser.add_argument("--write", action="store_true", help=f"write {TARGET.name}")
    return parser.parse_args()


def main() -> None:
    asked = _asked()
    examples = _examples()
    model = CueModel(examples)
    settings = ranking_settings(gate=False)
    with (
        tempfile.TemporaryDirectory() as folder,
        Product(Path(folder), settings=settings, embedder=None) as product,
    ):
        found = list(cases(product, asked.data, examples))
    texts = list(dict.fromkeys(it.text for it in found))
    cues = dict(zip(texts, model.cues(texts), strict=True)) | held_out_cues(examples)
    told = {"cue": model.told(), "evidence": fitted(found, cues)}
    print(told["evidence"])
    if asked.write:
        TARGET.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
